import AppleSerial
import Imaging
import TextReading

/// Votes on a text by the strokes of its single characters, over several crops of its line.
///
/// A crop's ink splits into pieces, mostly one character each. `GlyphAlignment` aligns the text with them.
package struct GlyphVote {
  /// One crop of the line, with its pieces of ink from left to right.
  private struct Cut {
    var glyphs: CutGlyphs
    var pieces: [Range<Int>]
  }

  /// Maximum number of pieces into which a serial's ink can split.
  private static let mostPieces = 20
  /// Maximum absolute margin of a character in one crop, as a natural logarithm; a larger value indicates a broken
  /// letter.
  static let greatestMargin: Float = 6
  /// Share of the characters that need ink of their own in some crop.
  private static let leastShare = 0.5

  private var cuts: [Cut] = []

  package init() {}

  /// Adds a crop, with its pieces of ink from left to right and the height of its capitals in pixels.
  package mutating func add(_ pieces: [Range<Int>], of cut: GrayPicture, capital: Float = LineCrop.capitalHeight) {
    guard let model = GlyphModel.embedded, (1...Self.mostPieces).contains(pieces.count) else { return }
    cuts.append(Cut(glyphs: CutGlyphs(cut, capital: capital, model), pieces: pieces))
  }

  /// The columns that a text covers in a crop, by the ink aligned with it; nil if it can't be aligned.
  ///
  /// The recogniser locates characters only to half a character. If the first or last one has no ink of its own, its
  /// place is extrapolated from the others.
  package static func columns(
    of text: [UInt8], along pieces: [Range<Int>], of cut: GrayPicture, capital: Float = LineCrop.capitalHeight
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

  /// The strokes' opinion on a text.
  package struct Opinion: Sendable {
    /// Margin of the weakest character: the natural logarithm of its probability minus that of the likeliest other one,
    /// -6...6, averaged over the crops.
    package var leastMargin: Double
    /// For each `3` and `5` that touches no other character, by place: log-odds of a `3` against a `5`, averaged over
    /// the crops.
    package var threesOverFives: [Int: Double]
    /// By place: natural logarithms of the probabilities of the network's characters, averaged over the crops.
    package var logProbabilities: [Int: [Float]]
    /// By place, if the strokes barely confirm the text's character: the likeliest of its look-alikes.
    package var lookAlikes: [Int: LookAlikeStrokes]
  }

  /// The support of one place's strokes for a look-alike.
  package struct LookAlikeStrokes: Sendable {
    /// The look-alike.
    package var byte: UInt8
    /// Natural logarithm of its probability, averaged over the crops, with the changed text aligned with the ink.
    package var logProbability: Double
    /// How much better the changed text fits the ink, as a natural logarithm: averaged over the crops, and in the crop
    /// with the least lead.
    package var lead, leastLead: Double
  }

  /// Whether the strokes confirm every character of a text clearly enough to skip further crops. A threshold of 2.5 was
  /// too low for single readings: one with three wrong characters reached 0.95.
  package func bearOut(_ text: [UInt8]) -> Bool {
    opinion(on: text).map { $0.leastMargin >= Calibration.clearMargin } ?? false
  }

  /// The strokes' opinion on a text; nil if it can't be aligned with them.
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

  /// Natural logarithm of a character's probability, averaged over the crops, below which its look-alikes are tried.
  private static let doubtful = -0.5

  /// A character's ink in one crop.
  private struct Seen {
    var place: Int
    var glyph: Glyph
    /// As in `Glyph.margin`.
    var margin: Float
    /// Natural logarithm of the character's probability.
    var logProbability: Float
    /// Log-odds of a `3`, for a `3` or `5` that touches no other character.
    var threeOverFive: Float?

    init(_ byte: UInt8, at place: Int, own: Int, _ glyph: Glyph, in line: GrayPicture) {
      // The lean of a split character includes its neighbour's.
      let isThreeOrFive = !glyph.isParted && ShapeCheck.concerns([byte])
      let lean = isThreeOrFive ? ShapeCheck.lean(of: glyph.columns, in: line) : nil
      (self.place, self.glyph) = (place, glyph)
      margin = glyph.margin(of: byte, at: own, lean: lean)
      logProbability = glyph.logs[own]
      threeOverFive = isThreeOrFive ? glyph.threeOverFive(lean: lean) : nil
    }
  }

  /// A text aligned with one crop.
  private struct Laid {
    /// As in `GlyphAlignment`.
    var score: Float?
    var seen: [Seen]
  }

  /// Aligns a text with every crop.
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

  /// The lead of one character over another by an opinion's logarithms.
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
