/// Corrects a flat-topped `3`, which the line recogniser reads as `5` with full confidence.
///
/// The thresholds are fitted on generated images of both families: of 322 separate places read as `5`, 24 were a `3`.
/// Strokes gave log-odds above 1 for a `3` at 17 of these and at none of the others, and below -9 at all but eleven of
/// the others and at none of these. None of 277 places read as `3` was a `5`.
package struct FlatThrees: Sendable {
  /// The text with corrected threes.
  package private(set) var text: [UInt8]
  /// The vote's margin at each place, log-odds per reading.
  package private(set) var margins: [Float]
  /// The strokes' opinion on the text.
  package private(set) var opinion: GlyphVote.Opinion?
  /// Whether the strokes of every `3` and `5` are separate from their neighbours' and clearly belong to one of the two.
  private(set) var hasSeenAll: Bool

  /// Stroke log-odds from which a character is a `3`, and up to which it is a `5`.
  private static let three = 1.0
  private static let five = -9.0
  /// Margin of a place that barely counts as a `3`, its growth per unit of log-odds, and its greatest value.
  private static let margin = (least: 1.0, growth: 0.2, most: 2.0)
  /// Stroke margin of a `3` or `5` whose strokes fit neither, the same as for a contradicted character.
  private static let doubt = -4.0

  /// Checks each `3` and `5` of a text whose other characters are already corrected by their strokes.
  package init(_ clear: ClearStrokes, strokes: GlyphVote) {
    let text = clear.text
    (self.text, margins, opinion) = (text, clear.margins, clear.opinion)
    let logOdds = opinion?.threesOverFives ?? [:]
    for (place, value) in logOdds where value > Self.three {
      let margin = Float(min(Self.margin.most, Self.margin.least + Self.margin.growth * (value - Self.three)))
      margins[place] = text[place] == UInt8(ascii: "3") ? max(margins[place], margin) : margin
      self.text[place] = UInt8(ascii: "3")
    }
    if self.text != text { opinion = strokes.opinion(on: self.text) }
    let asked = text.indices.filter { ShapeCheck.concerns([text[$0]]) }
    let isDoubtful = asked.contains { place in logOdds[place].map { Self.isDoubtful(text[place], $0) } ?? false }
    hasSeenAll = !isDoubtful && asked.allSatisfy { logOdds[$0] != nil }
    if isDoubtful, let least = opinion?.leastMargin { opinion?.leastMargin = min(least, Self.doubt) }
  }

  private static func isDoubtful(_ byte: UInt8, _ logOdds: Double) -> Bool {
    logOdds <= three && (byte == UInt8(ascii: "3") || logOdds > five)
  }
}
