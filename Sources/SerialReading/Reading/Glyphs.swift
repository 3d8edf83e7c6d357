import Imaging
import TextReading

/// The possible characters of a piece of ink, of two adjacent pieces, or of part of one.
struct Glyph {
  var columns: Range<Int>
  /// Natural logarithms of the characters' probabilities.
  var logs: [Float]

  init?(_ columns: Range<Int>, in picture: GrayPicture, _ model: GlyphModel) {
    guard let logs = model.logProbabilities(of: columns, in: picture) else { return nil }
    (self.columns, self.logs) = (columns, logs)
  }

  /// Margin of a character: the natural logarithm of its probability minus that of the likeliest other one.
  func margin(at own: Int) -> Float {
    let other = logs.indices.filter { $0 != own }.map { logs[$0] }.max() ?? 0
    return min(GlyphVote.greatestMargin, max(-GlyphVote.greatestMargin, logs[own] - other))
  }
}

/// The pieces of ink of one crop. Classifies and caches runs of its columns, so that each is classified once for all texts
/// aligned with the crop.
final class CutGlyphs {
  /// The columns of the pieces, from left to right.
  let pieces: [Range<Int>]
  /// The line's crop.
  let line: GrayPicture
  /// Height of its capitals, in pixels.
  let capital: Float
  private let model: GlyphModel
  private var known: [Range<Int>: Glyph?] = [:]

  /// Maximum number of pieces into which a serial's ink can split.
  private static let mostPieces = 20

  /// Nil if there is no ink, or more pieces than a serial has.
  init?(_ pieces: [Range<Int>], of line: GrayPicture, capital: Float) {
    guard let model = GlyphModel.embedded, (1...Self.mostPieces).contains(pieces.count) else { return nil }
    (self.pieces, self.line, self.capital, self.model) = (pieces, line, capital, model)
  }

  /// The possible characters of a run of columns; nil if it has almost no ink.
  func glyph(_ columns: Range<Int>) -> Glyph? {
    if let known = known[columns] { return known }
    let glyph = Glyph(columns, in: line, model)
    known[columns] = .some(glyph)
    return glyph
  }
}

/// The likeliest alignment of a text with the pieces of ink of one crop.
///
/// A piece is one character, half of a broken one (two pieces), or several characters that touch. Touching characters
/// are split at thin ink (`TouchingCharacters`), where the characters on both sides are likeliest.
struct GlyphAlignment {
  /// The characters that have ink of their own, with their glyphs.
  private(set) var matched: [(place: Int, glyph: Glyph)] = []

  /// Costs of rare events: negative natural logarithms of their frequencies.
  private enum Cost {
    static let broken: Float = 1
    /// A split between touching characters, and the extra cost if the column has as much ink as the piece's fullest.
    static let parting: Float = 1
    static let partingOfInk: Float = 2
    /// A piece that matches no character, and an unmatched piece or character at either end: the crop's ends are
    /// uncertain.
    static let alone: Float = 3
  }

  /// Maximum width of a character in two pieces, as a multiple of the usual character width.
  private static let greatestWidthOfBroken: Float = 1.6
  /// Range of widths of a character split from others, as multiples of the usual width.
  private static let widthOfParted: ClosedRange<Float> = 0.25...2
  /// Maximum number of unmatched pieces or characters at either end.
  private static let mostLeftOver = 3

  /// A part of a piece between two possible splits.
  private struct Part {
    var columns: Range<Int>
    var piece: Int
    /// Whether it is the first, and the last, part of its piece.
    var isFirst: Bool
    var isLast: Bool
    /// Cost of beginning a character with it.
    var cost: Float
  }

  /// The likeliest way to consume a number of characters and parts.
  private struct Step {
    var score: Float
    /// The characters and parts consumed before; nil at the beginning.
    var from: (character: Int, part: Int)?
    var glyph: Glyph?
  }

  private let glyphs: CutGlyphs
  private var pieces: [Range<Int>] { glyphs.pieces }
  private let parts: [Part]
  /// Index of each piece's first part, followed by the number of parts.
  private let firstParts: [Int]
  /// Width of the usual character, in pixels.
  private let usual: Float
  private var steps: [[Step?]]

  /// Aligns a text with the pieces of a crop, from left to right.
  ///
  /// - Parameter places: Each character's index in the network's alphabet.
  init(of places: [Int?], in glyphs: CutGlyphs) {
    self.glyphs = glyphs
    let widths = glyphs.pieces.map { Float($0.count) }
    // If most pieces hold several characters, the median piece is wider than one character.
    usual = min(Statistics.median(widths), widths.reduce(0, +) / Float(max(1, places.count)))
    parts = Self.parts(of: glyphs, usual: usual)
    firstParts = parts.indices.filter { [parts] in parts[$0].isFirst } + [parts.count]
    steps = [[Step?]](repeating: [Step?](repeating: nil, count: parts.count + 1), count: places.count + 1)
    begin()
    for place in places.indices {
      for part in parts.indices where steps[place][part] != nil { goOn(from: place, part, places[place]) }
    }
    collect()
  }

  private static func parts(of cut: CutGlyphs, usual: Float) -> [Part] {
    cut.pieces.enumerated().flatMap { index, piece in
      let partings = TouchingCharacters.partings(of: piece, usual: usual, in: cut.line, capital: cut.capital)
      let edges = [piece.lowerBound] + partings.map(\.column) + [piece.upperBound]
      return zip(edges, edges.dropFirst()).enumerated().map { place, edge in
        Part(
          columns: edge.0..<edge.1, piece: index, isFirst: place == 0, isLast: place == partings.count,
          cost: place == 0 ? 0 : Cost.parting + Cost.partingOfInk * partings[place - 1].ink)
      }
    }
  }

  /// Sets the start states: with the first character and piece, or with some of either unmatched.
  private mutating func begin() {
    for left in 0...Self.mostLeftOver {
      let step = Step(score: -Cost.alone * Float(left))
      if left < firstParts.count { steps[0][firstParts[left]] = step }
      if left < steps.count { steps[left][0] = step }
    }
  }

  /// Extends the alignment by one character that starts at a part of a piece.
  private mutating func goOn(from place: Int, _ first: Int, _ own: Int?) {
    let (part, start) = (parts[first], parts[first].columns.lowerBound)
    for last in first..<firstParts[part.piece + 1] {
      let columns = start..<parts[last].columns.upperBound
      let isWhole = part.isFirst && parts[last].isLast
      guard isWhole || Self.widthOfParted.contains(Float(columns.count) / usual) else { continue }
      if let glyph = glyphs.glyph(columns), let own {
        reach(place + 1, last + 1, from: (place, first), part.cost - glyph.logs[own], glyph)
      } else if isWhole {
        reach(place + 1, last + 1, from: (place, first), Cost.alone, nil)
      }
    }
    guard part.isFirst, part.piece + 1 < pieces.count, let own else { return }
    let columns = start..<pieces[part.piece + 1].upperBound
    if Float(columns.count) <= Self.greatestWidthOfBroken * usual, let glyph = glyphs.glyph(columns) {
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

  /// Traces back from the likeliest end: the last character and piece, or some of either unmatched.
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
    var at: (character: Int, part: Int)? = (end.character, end.part)
    while let here = at, let step = steps[here.character][here.part], let from = step.from {
      if let glyph = step.glyph { matched.append((from.character, glyph)) }
      at = from
    }
  }
}
