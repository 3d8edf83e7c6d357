import ScanModel

/// A vote's text with probable misreads corrected, by typical beginnings and endings of serials and by the strokes of
/// its characters.
struct LikelyText {
  /// The text.
  let text: [UInt8]
  /// The vote's margin at each place, log-odds per reading.
  let margins: [Float]
  /// The strokes' opinion on the text.
  let opinion: GlyphVote.Opinion?
  /// As in `FlatThrees`.
  let hasSeenAll: Bool

  /// Corrects a vote's text.
  ///
  /// - Parameters:
  ///   - text: The vote's text.
  ///   - margins: The vote's margin at each place, log-odds per reading.
  ///   - tallies: The vote's characters at each place.
  ///   - strokes: The crops whose strokes are checked.
  init(_ text: [UInt8], margins: [Float], tallies: [CharacterTally], strokes: GlyphVote) {
    let beginning = LikelyBeginning(text, margins: margins, tallies: tallies)
    let ending = LikelyEnding(beginning.text, margins: beginning.margins)
    let clear = ClearStrokes(ending.text, margins: beginning.margins, strokes: strokes)
    let threes = FlatThrees(clear, strokes: strokes)
    (self.text, self.margins, opinion, hasSeenAll) = (threes.text, threes.margins, threes.opinion, threes.hasSeenAll)
  }

  /// Its characters, for comparison with the photo.
  ///
  /// - Parameter tallies: The characters at each place of the vote that it is based on.
  func characters(tallies: [CharacterTally]) -> [CharacterRead] {
    CharacterClarity(text, margins: margins, tallies: tallies, strokes: opinion?.logProbabilities ?? [:]).reads
  }
}
