import AppleSerial
import Imaging
import TextReading

/// What the strokes of single characters say of a text, over several cuts of its line.
///
/// A cut's ink falls into pieces, most of them one character each, and the text is laid along them (`GlyphAlignment`).
package struct GlyphVote {
  /// One line as it was cut, with its pieces of ink from left to right.
  private struct Cut {
    var glyphs: CutGlyphs
    var pieces: [Range<Int>]
  }

  /// The greatest number of pieces that a serial's ink can fall into.
  private static let mostPieces = 20
  /// The farthest that a character of one cut speaks for or against, as a natural logarithm: more is a broken letter.
  static let greatestMargin: Float = 6
  /// Share of the characters that must have ink of their own in some cut.
  private static let leastShare = 0.5

  private var cuts: [Cut] = []

  package init() {}

  /// Adds a cut, with its pieces of ink from left to right.
  ///
  /// - Parameter capital: Height of its capitals, in pixels.
  package mutating func add(_ pieces: [Range<Int>], of cut: GrayPicture, capital: Float = 24) {
    guard let model = GlyphModel.embedded, (1...Self.mostPieces).contains(pieces.count) else { return }
    cuts.append(Cut(glyphs: CutGlyphs(cut, capital: capital, model), pieces: pieces))
  }

  /// The columns that a text takes in a cut, by the ink that it is laid along; nil where it can't be laid along any.
  ///
  /// The recogniser knows where characters stand to half a character only. Where the first or the last one has no ink of its own, its place
  /// is told by the others.
  package static func columns(
    of text: [UInt8], along pieces: [Range<Int>], of cut: GrayPicture, capital: Float = 24
  ) -> Range<Int>? {
    guard let model = GlyphModel.embedded, (1...mostPieces).contains(pieces.count) else { return nil }
    let places = text.map { GlyphModel.alphabet.firstIndex(of: $0) }
    let found = GlyphAlignment(of: places, along: pieces, in: CutGlyphs(cut, capital: capital, model)).matched
    guard let first = found.min(by: { $0.place < $1.place }), let last = found.max(by: { $0.place < $1.place }),
      Double(last.place - first.place + 1) >= leastShare * Double(text.count)
    else { return nil }
    let (left, right) = (first.glyph.columns.lowerBound, last.glyph.columns.upperBound)
    let width = Double(right - left) / Double(last.place - first.place + 1)
    let before = Int((width * Double(first.place)).rounded(.up))
    let after = Int((width * Double(text.count - 1 - last.place)).rounded(.up))
    return left - before..<max(left + 1, right + after)
  }

  /// What the strokes say of a text.
  package struct Opinion: Sendable {
    /// For the character that they speak for least: the logarithm of its probability less that of the likeliest other one,
    /// -6...6, in the mean over the cuts.
    package var leastMargin: Double
    /// For each `3` and `5` that touches no other character, by place: log-odds of a `3` against a `5`, in the mean over the cuts.
    package var threesOverFives: [Int: Double]
    /// By place: logarithms of the probabilities of the network's characters, in the mean over the cuts.
    package var logProbabilities: [Int: [Float]]
    /// By place, where the strokes hardly bear out the text's character: the likeliest of those that readers take it for.
    package var lookAlikes: [Int: LookAlikeStrokes]
  }

  /// What the strokes of one character say for another that readers take it for.
  package struct LookAlikeStrokes: Sendable {
    /// The other character.
    package var byte: UInt8
    /// Logarithm of its probability, in the mean over the cuts, with the text that has it laid along the ink.
    package var logProbability: Double
    /// By how much that text fits the ink better, as a natural logarithm: in the mean over the cuts, and in the cut where that is least.
    package var lead, leastLead: Double
  }

  /// Whether the strokes bear out every character of a text so well that further cuts need not be asked: of single readings from 2.5 on, one that
  /// had three characters wrong was told at 0.95 (168 pictures).
  package func bearOut(_ text: [UInt8]) -> Bool {
    opinion(on: text).map { $0.leastMargin >= Calibration.clearMargin } ?? false
  }

  /// What the strokes say of a text; nil where it can't be laid along them.
  package func opinion(on text: [UInt8]) -> Opinion? {
    let laid = laid(text)
    let seen = text.indices.map { place in laid.flatMap { $0.seen.filter { $0.place == place } } }
    let known = seen.filter { !$0.isEmpty }.map { $0.map(\.margin) }
    guard Double(known.count) >= Self.leastShare * Double(text.count), let least = known.map(Self.mean).min() else {
      return nil
    }
    var opinion = Opinion(leastMargin: least, threesOverFives: [:], logProbabilities: [:], lookAlikes: [:])
    for place in text.indices where !seen[place].isEmpty {
      opinion.logProbabilities[place] = Self.mean(seen[place].map(\.glyph.logs))
      let threes = seen[place].compactMap(\.threeOverFive)
      if !threes.isEmpty { opinion.threesOverFives[place] = Self.mean(threes) }
      if Self.mean(seen[place].map(\.logProbability)) < Self.doubtful {
        opinion.lookAlikes[place] = likeliestLookAlike(at: place, of: text, laid)
      }
    }
    return opinion
  }

  /// Logarithm of a character's probability, in the mean over the cuts, below which its look-alikes are tried in its place.
  private static let doubtful = -0.5

  /// A character's ink in one cut.
  private struct Seen {
    var place: Int
    var glyph: Glyph
    /// As in `Glyph.margin`.
    var margin: Float
    /// Logarithm of the character's probability.
    var logProbability: Float
    /// For a `3` or a `5` that touches no other character, log-odds of a `3`.
    var threeOverFive: Float?

    init(_ byte: UInt8, at place: Int, own: Int, _ glyph: Glyph, in line: GrayPicture) {
      // The lean of one that was parted is its neighbour's too.
      let isThreeOrFive = !glyph.isParted && ShapeCheck.concerns([byte])
      let lean = isThreeOrFive ? ShapeCheck.lean(of: glyph.columns, in: line) : nil
      (self.place, self.glyph) = (place, glyph)
      margin = glyph.margin(of: byte, at: own, lean: lean)
      logProbability = glyph.logs[own]
      threeOverFive = isThreeOrFive ? glyph.threeOverFive(lean: lean) : nil
    }
  }

  /// A text laid along one cut.
  private struct Laid {
    /// As in `GlyphAlignment`.
    var score: Float?
    var seen: [Seen]
  }

  /// A text laid along every cut.
  private func laid(_ text: [UInt8]) -> [Laid] {
    let places = text.map { GlyphModel.alphabet.firstIndex(of: $0) }
    return cuts.map { cut in
      let alignment = GlyphAlignment(of: places, along: cut.pieces, in: cut.glyphs)
      let seen = alignment.matched.compactMap { place, glyph in
        places[place].map { Seen(text[place], at: place, own: $0, glyph, in: cut.glyphs.line) }
      }
      return Laid(score: alignment.score, seen: seen)
    }
  }

  /// By how much one character is likelier than another by the logarithms of an opinion.
  static func lead(of first: UInt8, over second: UInt8, _ logs: [Float]) -> Double {
    func log(_ byte: UInt8) -> Float {
      max(-greatestMargin, GlyphModel.alphabet.firstIndex(of: byte).map { logs[$0] } ?? -greatestMargin)
    }
    return Double(log(first) - log(second))
  }

  private func likeliestLookAlike(at place: Int, of text: [UInt8], _ own: [Laid]) -> LookAlikeStrokes? {
    let others = Confusions.alternatives(to: text[place]).compactMap { byte -> LookAlikeStrokes? in
      var other = text
      other[place] = byte
      let laid = laid(other)
      let leads = zip(laid, own).compactMap { laid, own in laid.score.flatMap { score in own.score.map { score - $0 } }
      }
      let logs = laid.flatMap { $0.seen.filter { $0.place == place }.map(\.logProbability) }
      guard let least = leads.min(), !logs.isEmpty else { return nil }
      return LookAlikeStrokes(
        byte: byte, logProbability: Self.mean(logs), lead: Self.mean(leads), leastLead: Double(least))
    }
    return others.max { $0.lead < $1.lead }
  }

  private static func mean(_ logs: [[Float]]) -> [Float] {
    GlyphModel.alphabet.indices.map { place in logs.reduce(0) { $0 + $1[place] } / Float(max(1, logs.count)) }
  }

  private static func mean(_ values: [Float]) -> Double { Double(values.reduce(0, +) / Float(max(1, values.count))) }
}
