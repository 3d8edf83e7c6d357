import ScanModel

/// A vote's text with what was probably misread put right: by what serials begin and end with, and by its characters' strokes.
struct LikelyText {
  /// The text.
  let text: [UInt8]
  /// The vote's margin of each place, log-odds a reading.
  let margins: [Float]
  /// What the strokes say of the text.
  let opinion: GlyphVote.Opinion?
  /// As in `FlatThrees`.
  let hasSeenAll: Bool

  /// - Parameter tallies: What the vote has at each place.
  init(_ text: [UInt8], margins: [Float], tallies: [CharacterTally], strokes: GlyphVote) {
    let beginning = LikelyBeginning(text, margins: margins, tallies: tallies)
    let ending = LikelyEnding(beginning.text, margins: beginning.margins)
    let clear = ClearStrokes(ending.text, margins: beginning.margins, strokes: strokes)
    let threes = FlatThrees(clear, strokes: strokes)
    (self.text, self.margins, opinion, hasSeenAll) = (threes.text, threes.margins, threes.opinion, threes.hasSeenAll)
  }

  /// Its characters, for who compares them with the photo.
  ///
  /// - Parameter tallies: What the vote that it came of has at each place.
  func characters(tallies: [CharacterTally]) -> [CharacterRead] {
    CharacterClarity(text, margins: margins, tallies: tallies, strokes: opinion?.logProbabilities ?? [:]).reads
  }
}
