/// Puts right a `3` with a flat top, which the recogniser of lines reads as a `5` with full confidence.
///
/// Fitted on generated pictures of both families: of 322 places that were read as `5` and touched no neighbour, 24 were a `3`.
/// Single characters' strokes had log-odds of more than 1 for a `3` at 17 of these and at none of the others, and of less than
/// -9 at all but eleven of the others and at none of these. Of 277 places that were read as `3`, none was a `5`.
package struct FlatThrees: Sendable {
  /// The text with its threes.
  package private(set) var text: [UInt8]
  /// The vote's margin of each place, log-odds a reading.
  package private(set) var margins: [Float]
  /// What the strokes say of the text.
  package private(set) var opinion: GlyphVote.Opinion?
  /// Whether the strokes of every `3` and `5` stand apart from their neighbours' and are clearly those of one of the two.
  private(set) var hasSeenAll: Bool

  /// Log-odds of strokes from which a character is a `3`, and up to which it is a `5`.
  private static let three = 1.0
  private static let five = -9.0
  /// Margin of a place that is hardly a `3`, what it grows by for each unit of the log-odds, and its greatest.
  private static let margin = (least: 1.0, growth: 0.2, most: 2.0)
  /// What the strokes say for a `3` or `5` of which they say neither, as for a character that they speak against.
  private static let doubt = -4.0

  /// Looks at each `3` and `5` of a text whose other characters are what their strokes say.
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
