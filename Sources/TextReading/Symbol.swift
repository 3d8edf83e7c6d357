/// One character as it was read.
public struct Symbol: Sendable, Equatable {
  /// Another reading of the same place.
  public struct Alternative: Sendable, Equatable {
    /// The character.
    public var character: Character
    /// 0...100, on the recogniser's own scale.
    public var confidence: Float
  }

  /// The character.
  public var character: Character
  /// 0...100, on the recogniser's own scale; no probability.
  public var confidence: Float
  /// Left and right end of its box, in pixels of the picture that was read. The recogniser knows them to a few pixels.
  public var left, right: Int
  /// Whether it begins a word.
  public var startsWord: Bool
  /// Other readings, most likely first; empty unless the engine was asked for them.
  public var alternatives: [Alternative]

  /// Creates a symbol.
  public init(
    character: Character, confidence: Float, left: Int, right: Int, startsWord: Bool, alternatives: [Alternative] = []
  ) {
    self.character = character
    self.confidence = confidence
    self.left = left
    self.right = right
    self.startsWord = startsWord
    self.alternatives = alternatives
  }
}

/// A line of text as it was read.
public struct TextLine: Sendable, Equatable {
  /// The characters from left to right, without spaces.
  public var symbols: [Symbol]
  /// What else they may be; nil where the recogniser was not asked, or did not say.
  public var lattice: CharacterLattice?

  /// Creates a line.
  public init(symbols: [Symbol], lattice: CharacterLattice? = nil) {
    self.symbols = symbols
    self.lattice = lattice
  }

  /// The text, words separated by spaces.
  public var text: String {
    var text = ""
    for (index, symbol) in symbols.enumerated() {
      if symbol.startsWord, index > 0 { text.append(" ") }
      text.append(symbol.character)
    }
    return text
  }

  /// The mean confidence of the characters, 0...100; 0 for an empty line.
  public var meanConfidence: Float {
    symbols.isEmpty ? 0 : symbols.reduce(0) { $0 + $1.confidence } / Float(symbols.count)
  }
}
