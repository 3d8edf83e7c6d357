import Imaging
import TextReading

/// Votes on a text by the strokes of its single characters, over several crops of its line.
///
/// A crop's ink splits into pieces, mostly one character each. `GlyphAlignment` aligns the text with them.
package struct GlyphVote {
  /// Maximum absolute margin of a character in one crop, as a natural logarithm; a larger value indicates a broken
  /// letter.
  static let greatestMargin: Float = 6
  /// Share of the characters that need ink of their own in some crop.
  private static let leastShare = 0.5

  private var cuts: [CutGlyphs] = []

  package init() {}

  /// Adds a crop, with its pieces of ink from left to right and the height of its capitals in pixels.
  package mutating func add(_ pieces: [Range<Int>], of cut: GrayPicture, capital: Float = LineCrop.capitalHeight) {
    if let cut = CutGlyphs(pieces, of: cut, capital: capital) { cuts.append(cut) }
  }

  /// The columns that a text covers in a crop, by the ink aligned with it; nil if it can't be aligned.
  ///
  /// The recogniser locates characters only to half a character. If the first or last one has no ink of its own, its
  /// place is extrapolated from the others.
  package static func columns(
    of text: [UInt8], along pieces: [Range<Int>], of cut: GrayPicture, capital: Float = LineCrop.capitalHeight
  ) -> Range<Int>? {
    guard let glyphs = CutGlyphs(pieces, of: cut, capital: capital) else { return nil }
    let found = GlyphAlignment(of: text.map { GlyphModel.alphabet.firstIndex(of: $0) }, in: glyphs).matched
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
    /// By place: natural logarithms of the probabilities of the network's characters, averaged over the crops.
    package var logProbabilities: [Int: [Float]]
  }

  /// Whether the strokes confirm every character of a text clearly enough to skip further crops. A threshold of 2.5 was
  /// too low for single readings: one with three wrong characters reached 0.95.
  package func bearOut(_ text: [UInt8]) -> Bool {
    opinion(on: text).map { $0.leastMargin >= Calibration.clearMargin } ?? false
  }

  /// The strokes' opinion on a text; nil if it can't be aligned with them.
  package func opinion(on text: [UInt8]) -> Opinion? {
    let places = text.map { GlyphModel.alphabet.firstIndex(of: $0) }
    var seen = [[Glyph]](repeating: [], count: text.count)
    for cut in cuts {
      for (place, glyph) in GlyphAlignment(of: places, in: cut).matched { seen[place].append(glyph) }
    }
    let margins = zip(places, seen).compactMap { own, glyphs in
      glyphs.isEmpty ? nil : own.map { own in Self.mean(glyphs.map { $0.margin(at: own) }) }
    }
    guard Double(margins.count) >= Self.leastShare * Double(text.count), let least = margins.min() else { return nil }
    var opinion = Opinion(leastMargin: least, logProbabilities: [:])
    for (place, glyphs) in seen.enumerated() where !glyphs.isEmpty {
      opinion.logProbabilities[place] = Self.mean(glyphs.map(\.logs))
    }
    return opinion
  }

  /// The lead of one character over another by an opinion's logarithms.
  static func lead(of first: UInt8, over second: UInt8, _ logs: [Float]) -> Double {
    func log(_ byte: UInt8) -> Float {
      max(-greatestMargin, GlyphModel.alphabet.firstIndex(of: byte).map { logs[$0] } ?? -greatestMargin)
    }
    return Double(log(first) - log(second))
  }

  private static func mean(_ logs: [[Float]]) -> [Float] {
    GlyphModel.alphabet.indices.map { place in logs.reduce(0) { $0 + $1[place] } / Float(max(1, logs.count)) }
  }

  private static func mean(_ values: [Float]) -> Double { Double(values.reduce(0, +) / Float(max(1, values.count))) }
}
