/// Puts right a `3` with a flat top, which the recogniser of lines reads as a `5` with full confidence.
///
/// Where single characters' strokes said `3` more than `5`, however little more, of 12 places that were read as `5` on generated
/// stickers and screens all 12 were a `3`; of places that were read as `3` none was a `5`.
package struct FlatThrees: Sendable {
  /// The text with its threes.
  package private(set) var text: [UInt8]
  /// The vote's margin of each place, log-odds a reading.
  package private(set) var margins: [Float]
  /// What the strokes say of the text.
  package private(set) var opinion: GlyphVote.Opinion?

  /// Margin of a place that strokes decide by hardly anything, and at most.
  private static let leastMargin = 1.0
  private static let mostMargin = 2.0
  /// What the margin grows by for each unit of the strokes' log-odds.
  private static let growth = 1.0 / 3

  /// Log-odds of strokes that are clearly one of the two.
  private static let clearLogOdds = 1.5

  /// Looks at each `3` and `5` that a vote has in its text.
  package init(_ text: [UInt8], margins: [Float], strokes: GlyphVote) {
    (self.text, self.margins) = (text, margins)
    opinion = strokes.opinion(on: text)
    for (place, logOdds) in opinion?.threesOverFives ?? [:] where logOdds > 0 {
      let margin = Float(min(Self.mostMargin, Self.leastMargin + Self.growth * logOdds))
      self.margins[place] = text[place] == UInt8(ascii: "3") ? max(margins[place], margin) : margin
      self.text[place] = UInt8(ascii: "3")
    }
    if self.text != text { opinion = strokes.opinion(on: self.text) }
  }

  /// Whether the strokes of every `3` and `5` stand apart from their neighbours' and are clearly those of one of the two.
  var hasSeenAll: Bool {
    text.indices.allSatisfy {
      !ShapeCheck.concerns([text[$0]]) || abs(opinion?.threesOverFives[$0] ?? 0) >= Self.clearLogOdds
    }
  }
}
