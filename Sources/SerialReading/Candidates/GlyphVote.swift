import Imaging
import TextReading

/// What the strokes of single characters say of a text, over several cuts of its line.
///
/// A cut's ink falls into pieces, most of them one character each, and the text is laid along them (`GlyphAlignment`).
package struct GlyphVote: Sendable {
  /// One line as it was cut, with its pieces of ink from left to right.
  private struct Cut {
    var picture: GrayPicture
    var pieces: [Range<Int>]
  }

  /// Numbers of pieces that a serial's ink can fall into.
  private static let pieceCounts = 6...20
  /// The farthest that a character of one cut speaks for or against, as a natural logarithm: more is a broken letter.
  static let greatestMargin: Float = 6
  /// Share of the characters that must have ink of their own in some cut.
  private static let leastShare = 0.5

  private var cuts: [Cut] = []

  package init() {}

  /// Adds a cut, with its pieces of ink from left to right.
  package mutating func add(_ pieces: [Range<Int>], of cut: GrayPicture) {
    if Self.pieceCounts.contains(pieces.count) { cuts.append(Cut(picture: cut, pieces: pieces)) }
  }

  /// What the strokes say of a text.
  package struct Opinion: Sendable {
    /// For the character that they speak for least: the logarithm of its probability less that of the likeliest other one,
    /// -6...6, in the mean over the cuts.
    package var leastMargin: Double
    /// For each `3` and `5` that touches no other character, by place: log-odds of a `3` against a `5`, in the mean over the cuts.
    package var threesOverFives: [Int: Double]
  }

  /// What the strokes say of a text; nil where it can't be laid along them.
  package func opinion(on text: [UInt8]) -> Opinion? {
    guard let model = GlyphModel.embedded else { return nil }
    let places = text.map { GlyphModel.alphabet.firstIndex(of: $0) }
    var margins = [[Float]](repeating: [], count: text.count)
    var threesOverFives = [[Float]](repeating: [], count: text.count)
    for cut in cuts {
      for (place, glyph) in GlyphAlignment(of: places, along: cut.pieces, of: cut.picture, model).matched {
        guard let own = places[place] else { continue }
        // The lean of one that was parted is its neighbour's too.
        let isThreeOrFive = !glyph.isParted && ShapeCheck.concerns([text[place]])
        let lean = isThreeOrFive ? ShapeCheck.lean(of: glyph.columns, in: cut.picture) : nil
        margins[place].append(glyph.margin(of: text[place], at: own, lean: lean))
        if isThreeOrFive { threesOverFives[place].append(glyph.threeOverFive(lean: lean)) }
      }
    }
    let known = margins.filter { !$0.isEmpty }
    guard Double(known.count) >= Self.leastShare * Double(text.count), let least = known.map(Self.mean).min() else {
      return nil
    }
    let asked = text.indices.filter { !threesOverFives[$0].isEmpty }
    return Opinion(
      leastMargin: least,
      threesOverFives: Dictionary(uniqueKeysWithValues: asked.map { ($0, Self.mean(threesOverFives[$0])) }))
  }

  private static func mean(_ values: [Float]) -> Double { Double(values.reduce(0, +) / Float(max(1, values.count))) }
}
