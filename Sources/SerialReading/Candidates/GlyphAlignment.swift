import Imaging

/// A text laid along the pieces of ink of one cut, in the likeliest way.
///
/// A piece is one character; two may be one that is broken; and one may be several that touch, which are parted where the characters to
/// either side are likeliest, among the places where their ink is thin (`TouchingCharacters`).
struct GlyphAlignment {
  /// Which characters have ink of their own, and which.
  private(set) var matched: [(place: Int, glyph: Glyph)] = []
  /// Logarithm of how likely the ink is if it is this text, but for what all texts have in common; nil where it can't be laid along it.
  private(set) var score: Float?

  /// Costs of what seldom happens, as natural logarithms of its share.
  private enum Cost {
    static let broken: Float = 1
    /// A place where characters are parted that touch, and what is added where there is as much ink as in the piece's fullest column.
    static let parting: Float = 1
    static let partingOfInk: Float = 2
    /// A piece that is no character, and a piece or character at either end without its like: the cut's ends are uncertain.
    static let alone: Float = 3
  }

  /// The greatest width of a character in two pieces, as a share of the usual character's.
  private static let greatestWidthOfBroken: Float = 1.6
  /// The least and greatest width of a character that is parted from others, as shares of the usual one's.
  private static let widthOfParted: ClosedRange<Float> = 0.25...2
  /// The most pieces or characters left over at either end.
  private static let mostLeftOver = 3

  /// A part of a piece between two places where it may be parted.
  private struct Part {
    var columns: Range<Int>
    var piece: Int
    /// Whether the piece begins, and ends, with it.
    var isFirst: Bool
    var isLast: Bool
    /// What it costs that a character begins with it.
    var cost: Float
  }

  /// How a number of characters and parts was reached in the likeliest way.
  private struct Step {
    var score: Float
    /// Characters before, and parts before; nil for a beginning.
    var from: (character: Int, part: Int)?
    var glyph: Glyph?
  }

  private let glyphs: CutGlyphs
  private let pieces: [Range<Int>]
  private let parts: [Part]
  /// Where each piece's parts begin, and at the end their number.
  private let firstParts: [Int]
  /// Width of the usual character, in pixels.
  private let usual: Float
  private var steps: [[Step?]]

  /// - Parameters:
  ///   - places: Each character's place in the network's alphabet.
  ///   - pieces: Columns of the pieces, from left to right.
  ///   - glyphs: What the cut's columns may be.
  init(of places: [Int?], along pieces: [Range<Int>], in glyphs: CutGlyphs) {
    (self.glyphs, self.pieces) = (glyphs, pieces)
    let total = pieces.reduce(Float(0)) { $0 + Float($1.count) }
    // Where most pieces are several characters, the usual piece is no measure of one.
    usual = min(Statistics.median(pieces.map { Float($0.count) }), total / Float(max(1, places.count)))
    parts = Self.parts(of: pieces, usual: usual, in: glyphs)
    firstParts = parts.indices.filter { [parts] in parts[$0].isFirst } + [parts.count]
    steps = [[Step?]](repeating: [Step?](repeating: nil, count: parts.count + 1), count: places.count + 1)
    begin()
    for place in places.indices {
      for part in parts.indices where steps[place][part] != nil { goOn(from: place, part, places[place]) }
    }
    collect()
  }

  private static func parts(of pieces: [Range<Int>], usual: Float, in cut: CutGlyphs) -> [Part] {
    pieces.indices.flatMap { index -> [Part] in
      let piece = pieces[index]
      let partings = TouchingCharacters.partings(of: piece, usual: usual, in: cut.line, capital: cut.capital)
      let edges = [piece.lowerBound] + partings.map(\.column) + [piece.upperBound]
      return zip(edges, edges.dropFirst()).enumerated().map { place, edge in
        Part(
          columns: edge.0..<edge.1, piece: index, isFirst: place == 0, isLast: place == partings.count,
          cost: place == 0 ? 0 : Cost.parting + Cost.partingOfInk * partings[place - 1].ink)
      }
    }
  }

  /// The ways to begin: with the first character and piece, or with some of either left over.
  private mutating func begin() {
    for left in 0...Self.mostLeftOver {
      let step = Step(score: -Cost.alone * Float(left))
      if left < firstParts.count { steps[0][firstParts[left]] = step }
      if left < steps.count { steps[left][0] = step }
    }
  }

  /// The ways to go on with one character from a part of a piece.
  private mutating func goOn(from place: Int, _ first: Int, _ own: Int?) {
    let (part, start) = (parts[first], parts[first].columns.lowerBound)
    for last in first..<firstParts[part.piece + 1] {
      let columns = start..<parts[last].columns.upperBound
      let isWhole = part.isFirst && parts[last].isLast
      guard isWhole || Self.widthOfParted.contains(Float(columns.count) / usual) else { continue }
      if let glyph = glyphs.glyph(columns, isParted: !isWhole), let own {
        reach(place + 1, last + 1, from: (place, first), part.cost - glyph.logs[own], glyph)
      } else if isWhole {
        reach(place + 1, last + 1, from: (place, first), Cost.alone, nil)
      }
    }
    guard part.isFirst, part.piece + 1 < pieces.count, let own else { return }
    let columns = start..<pieces[part.piece + 1].upperBound
    if Float(columns.count) <= Self.greatestWidthOfBroken * usual, let glyph = glyphs.glyph(columns, isParted: false) {
      reach(place + 1, firstParts[part.piece + 2], from: (place, first), Cost.broken - glyph.logs[own], glyph)
    }
  }

  private mutating func reach(
    _ character: Int, _ part: Int, from: (character: Int, part: Int), _ cost: Float, _ glyph: Glyph?
  ) {
    let score = (steps[from.character][from.part]?.score ?? -.infinity) - cost
    if score > steps[character][part]?.score ?? -.infinity {
      steps[character][part] = Step(score: score, from: from, glyph: glyph)
    }
  }

  /// Goes back from the likeliest end: with the last character and piece, or with some of either left over.
  private mutating func collect() {
    var ends: [(score: Float, character: Int, part: Int)] = []
    for left in 0...Self.mostLeftOver {
      for (character, piece) in [(steps.count - 1, pieces.count - left), (steps.count - 1 - left, pieces.count)]
      where min(character, piece) >= 0 {
        let part = firstParts[piece]
        if let step = steps[character][part] { ends.append((step.score - Cost.alone * Float(left), character, part)) }
      }
    }
    guard let end = ends.max(by: { $0.score < $1.score }) else { return }
    score = end.score
    var at: (character: Int, part: Int)? = (end.character, end.part)
    while let here = at, let step = steps[here.character][here.part], let from = step.from {
      if let glyph = step.glyph { matched.append((from.character, glyph)) }
      at = from
    }
  }
}
