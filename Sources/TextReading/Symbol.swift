/// A recognised character.
public struct Symbol: Sendable, Equatable {
  /// The character.
  public var character: Character
  /// 0...100, on the recogniser's own scale; not a probability.
  public var confidence: Float
  /// The left and right edge of its box in pixels of the picture that was read, accurate to a few pixels.
  public var left, right: Int
  /// Whether it starts a word.
  public var startsWord: Bool

  /// Creates a symbol.
  public init(character: Character, confidence: Float, left: Int, right: Int, startsWord: Bool) {
    self.character = character
    self.confidence = confidence
    self.left = left
    self.right = right
    self.startsWord = startsWord
  }
}

extension Sequence<Symbol> {
  /// The text, words separated by spaces.
  public var text: String {
    var text = ""
    for symbol in self {
      if symbol.startsWord, !text.isEmpty { text.append(" ") }
      text.append(symbol.character)
    }
    return text
  }
}

/// A recognised line of text.
public struct TextLine: Sendable, Equatable {
  /// The characters from left to right, without spaces.
  public var symbols: [Symbol]
  /// The probabilities of each character; nil if the recogniser was not asked for them or did not return them.
  public var lattice: CharacterLattice?

  /// Creates a line.
  public init(symbols: [Symbol], lattice: CharacterLattice? = nil) {
    self.symbols = symbols
    self.lattice = lattice
  }

  /// The text, words separated by spaces.
  public var text: String { symbols.text }

  /// The mean confidence of the characters, 0...100; 0 for an empty line.
  public var meanConfidence: Float {
    symbols.isEmpty ? 0 : symbols.reduce(0) { $0 + $1.confidence } / Float(symbols.count)
  }
}
