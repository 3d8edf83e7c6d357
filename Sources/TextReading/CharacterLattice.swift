/// What each time step of the recogniser's output may be, character by character of a line: its network's own probabilities (connectionist
/// temporal classification, Graves et al. 2006), before the most probable text was picked.
///
/// It knows what else a character may be. It does not know what a cut left out.
public struct CharacterLattice: Sendable, Equatable {
  /// One character that a time step may be.
  public struct Choice: Sendable, Equatable {
    /// ASCII; 0 for no character, 255 for one that is not ASCII.
    public var character: UInt8
    /// 0...1.
    public var probability: Float

    /// Creates a choice.
    public init(_ character: UInt8, _ probability: Float) {
      (self.character, self.probability) = (character, probability)
    }
  }

  /// The choices of one time step.
  public typealias Step = [Choice]

  /// The time steps of each symbol of the line, those of a space before it first.
  public var symbols: [[Step]]

  /// Creates a lattice.
  public init(symbols: [[Step]]) { self.symbols = symbols }

  /// The time steps of some symbols, in order; empty where the line has not so many.
  public func steps(of range: Range<Int>) -> [Step] {
    symbols.indices.contains(range.lowerBound) && range.upperBound <= symbols.count
      ? Array(symbols[range].joined()) : []
  }

  /// Brings together the choices of the recogniser, whose parts are symbols and spaces.
  ///
  /// - Returns: Nil where the parts are not as many as the line's symbols.
  package static func assembled(_ parts: [[Step]], symbolCount: Int) -> CharacterLattice? {
    var symbols: [[Step]] = []
    var before: [Step] = []
    for part in parts {
      if isSpace(part) {
        before += part
      } else {
        symbols.append(before + part)
        before = []
      }
    }
    return symbols.count == symbolCount ? CharacterLattice(symbols: symbols) : nil
  }

  /// Whether of all characters a space is the most probable in a part.
  private static func isSpace(_ part: [Step]) -> Bool {
    var space: Float = 0
    var others: [UInt8: Float] = [:]
    for choice in part.joined() where choice.character != 0 {
      if choice.character == UInt8(ascii: " ") {
        space += choice.probability
      } else {
        others[choice.character, default: 0] += choice.probability
      }
    }
    return space > (others.values.max() ?? 0)
  }
}
