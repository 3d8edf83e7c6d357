/// The recogniser's probabilities for each time step of a line, symbol by symbol: the network's own output
/// (connectionist temporal classification, Graves et al. 2006), before the most probable text is chosen.
///
/// It contains alternatives for each character, but not characters outside the cut.
public struct CharacterLattice: Sendable, Equatable {
  /// A character that a time step may be.
  public struct Choice: Sendable, Equatable {
    /// ASCII; 0 for no character, 255 for a character outside ASCII.
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

  /// The time steps of each symbol of the line. Those of a preceding space come first.
  public var symbols: [[Step]]

  /// Creates a lattice.
  public init(symbols: [[Step]]) { self.symbols = symbols }

  /// The time steps of a range of symbols, in order; empty if the range exceeds the line.
  public func steps(of range: Range<Int>) -> [Step] {
    symbols.indices.contains(range.lowerBound) && range.upperBound <= symbols.count
      ? Array(symbols[range].joined()) : []
  }

  /// Assembles the recogniser's choices, whose parts are symbols and spaces.
  ///
  /// - Returns: nil if the number of parts does not match the line's symbols.
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

  /// Whether a space is the most probable character of a part.
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
