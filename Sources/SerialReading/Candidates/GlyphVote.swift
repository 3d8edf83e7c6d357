import Imaging
import TextReading

/// What the strokes of single characters say of a text, over several cuts of its line.
///
/// A cut's ink falls into pieces, most of them one character each. Where small print touches, a piece is two or three
/// characters, and where it breaks, a character is two pieces: the text is laid along the pieces in the likeliest way, and
/// only characters with pieces of their own count.
package struct GlyphVote: Sendable {
  /// One line as it was cut, with its pieces of ink from left to right.
  private struct Cut {
    var picture: GrayPicture
    var pieces: [Range<Int>]
  }

  /// What one piece of ink, or two together, may be.
  private struct Glyph {
    var columns: Range<Int>
    /// Logarithms of the characters' probabilities.
    var logs: [Float]

    init?(_ columns: Range<Int>, in picture: GrayPicture, _ model: GlyphModel) {
      guard let logs = model.logProbabilities(of: columns, in: picture) else { return nil }
      (self.columns, self.logs) = (columns, logs)
    }

    /// Log-odds of a `3` against a `5`: the network's, and what its lean adds.
    func threeOverFive(lean: Double?) -> Float {
      logs[Self.three] - logs[Self.five] - Self.weightOfLean * Float(lean ?? 0)
    }

    private static let three = GlyphModel.alphabet.firstIndex(of: UInt8(ascii: "3")) ?? 0
    private static let five = GlyphModel.alphabet.firstIndex(of: UInt8(ascii: "5")) ?? 0
    /// Of 4 to 20, which part threes from fives alike, on the pictures that `FlatThrees` was fitted on.
    private static let weightOfLean: Float = 8

    /// What it says for a character, as the logarithm of its probability less that of the likeliest other one.
    func margin(of byte: UInt8, at own: Int, lean: Double?) -> Float {
      if ShapeCheck.refutes(byte, lean: lean) { return -GlyphVote.greatestMargin }
      let other = logs.indices.filter { $0 != own }.map { logs[$0] }.max() ?? 0
      let greatest = ShapeCheck.leavesOpen(byte, lean: lean) ? 0 : GlyphVote.greatestMargin
      return min(greatest, max(-GlyphVote.greatestMargin, logs[own] - other))
    }
  }

  /// A cut's pieces as the network sees them, alone and together with the next.
  private struct SeenCut {
    var widths: [Float]
    var alone: [Glyph?]
    var joined: [Glyph?]

    init(_ cut: Cut, _ model: GlyphModel) {
      widths = cut.pieces.map { Float($0.count) }
      alone = cut.pieces.map { Glyph($0, in: cut.picture, model) }
      joined = zip(cut.pieces, cut.pieces.dropFirst()).map {
        Glyph($0.lowerBound..<$1.upperBound, in: cut.picture, model)
      }
    }
  }

  /// Numbers of pieces that a serial's ink can fall into.
  private static let pieceCounts = 6...20
  /// The farthest that a character of one cut speaks for or against, as a natural logarithm: more is a broken letter.
  private static let greatestMargin: Float = 6
  /// Share of the characters that must have pieces of their own in some cut.
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
    /// For each `3` and `5` with pieces of its own, by place: log-odds of a `3` against a `5`, in the mean over the cuts.
    package var threesOverFives: [Int: Double]
  }

  /// What the strokes say of a text; nil where hardly any character stands apart from its neighbours.
  package func opinion(on text: [UInt8]) -> Opinion? {
    guard let model = GlyphModel.embedded else { return nil }
    let places = text.map { GlyphModel.alphabet.firstIndex(of: $0) }
    var margins = [[Float]](repeating: [], count: text.count)
    var threesOverFives = [[Float]](repeating: [], count: text.count)
    for cut in cuts {
      for (place, glyph) in Self.alignment(of: places, along: SeenCut(cut, model)) {
        guard let own = places[place] else { continue }
        let isThreeOrFive = ShapeCheck.concerns([text[place]])
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

  /// A way of laying the first characters along the first pieces.
  private struct Path {
    var score: Float
    /// Which characters have pieces of their own, and which.
    var matched: [(place: Int, glyph: Glyph)] = []
  }

  /// Costs of what seldom happens, as natural logarithms of its share.
  private enum Cost {
    static let broken: Float = 1
    /// Two characters in one piece, and each further one.
    static let touching: Float = 2.5
    static let furtherTouching: Float = 1
    /// A piece that is no character, and a piece or character at either end without its like: the cut's ends are uncertain.
    static let alone: Float = 3
  }

  /// The most characters that touch, and the least width of each in such a piece, as a share of the usual one.
  private static let mostTouching = 5
  private static let leastTouchingWidth: Float = 0.7
  /// The most pieces or characters left over at either end.
  private static let mostLeftOver = 3

  /// The likeliest way of laying characters along the pieces; empty where there is none.
  private static func alignment(of places: [Int?], along cut: SeenCut) -> [(place: Int, glyph: Glyph)] {
    let (characters, pieces) = (places.count, cut.widths.count)
    let usual = Statistics.median(cut.widths)
    var paths = [[Path?]](repeating: [Path?](repeating: nil, count: pieces + 1), count: characters + 1)
    for left in 0...mostLeftOver {
      if left <= pieces { paths[0][left] = Path(score: -Cost.alone * Float(left)) }
      if left <= characters { paths[left][0] = Path(score: -Cost.alone * Float(left)) }
    }
    func reach(_ character: Int, _ piece: Int, _ path: Path, _ cost: Float, _ place: Int, _ glyph: Glyph?) {
      guard character <= characters, piece <= pieces else { return }
      var next = path
      next.score -= cost
      if let glyph, let own = places[place] {
        next.score += glyph.logs[own]
        next.matched.append((place, glyph))
      }
      if next.score > paths[character][piece]?.score ?? -.infinity { paths[character][piece] = next }
    }
    for character in 0..<characters {
      for piece in 0..<pieces {
        guard let path = paths[character][piece] else { continue }
        reach(character + 1, piece + 1, path, cut.alone[piece] == nil ? Cost.alone : 0, character, cut.alone[piece])
        if piece + 1 < pieces, let joined = cut.joined[piece] {
          reach(character + 1, piece + 2, path, Cost.broken, character, joined)
        }
        for count in 2...mostTouching where cut.widths[piece] >= leastTouchingWidth * Float(count) * usual {
          let cost = Cost.touching + Cost.furtherTouching * Float(count - 2)
          reach(character + count, piece + 1, path, cost, character, nil)
        }
      }
    }
    var ends: [Path] = []
    for left in 0...mostLeftOver {
      for (character, piece) in [(characters, pieces - left), (characters - left, pieces)]
      where min(character, piece) >= 0 {
        guard var path = paths[character][piece] else { continue }
        path.score -= Cost.alone * Float(left)
        ends.append(path)
      }
    }
    return ends.max { $0.score < $1.score }?.matched ?? []
  }
}
