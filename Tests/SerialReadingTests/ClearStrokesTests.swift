import SerialReading
import Testing

/// Covers: characters whose strokes are clearly another's, and characters that are kept.
@Suite struct ClearStrokesTests {
  /// A text corrected by the strokes of ten `L`, in three crops.
  private func corrected(_ text: [UInt8], _ margins: [Float]) -> LikelyText {
    var vote = GlyphVote()
    for _ in 0..<3 { vote.add(TenLs.pieces, of: TenLs.cut) }
    var likely = LikelyText(text, margins: margins)
    likely.correctLookAlikes(vote)
    return likely
  }

  private func read(_ character: String, at place: Int) -> [UInt8] {
    var text = TenLs.text
    text.replaceSubrange(place...place, with: character.utf8)
    return text
  }

  private func margins(_ margin: Float, at place: Int) -> [Float] { (0..<10).map { $0 == place ? margin : 3 } }

  @Test func correctsClearLookAlikes() {
    let found = corrected(read("1", at: 4), margins(2, at: 4))
    #expect(found.text == TenLs.text)
    #expect((1...2).contains(found.margins[4]))
    #expect(found.margins.filter { $0 == 3 }.count == 9)
  }

  @Test(arguments: [("1", Float(3)), ("H", 2)])
  func keepsConfidentAndUnambiguousCharacters(character: String, margin: Float) {
    let text = read(character, at: 4)
    let found = corrected(text, margins(margin, at: 4))
    #expect(found.text == text)
    #expect(found.margins == margins(margin, at: 4))
  }

  @Test func changesNothingIfManyCharactersDiffer() {
    let text = Array("1L1L1L1L1L".utf8)
    let low = [Float](repeating: 1, count: 10)
    #expect(corrected(text, low).text == text)
  }

  @Test func keepsCharactersConfirmedByStrokes() {
    let low = [Float](repeating: 0.5, count: 10)
    let found = corrected(TenLs.text, low)
    #expect(found.text == TenLs.text && found.margins == low)
  }
}
