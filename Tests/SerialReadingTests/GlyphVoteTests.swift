import Imaging
import SerialReading
import Testing

/// Covers: votes on a text by the strokes of its characters, with pieces that touch, and without pieces.
@Suite struct GlyphVoteTests {
  private func cut(joining pair: Int? = nil) -> GrayPicture { pair.map { joined(TenLs.cut, $0) } ?? TenLs.cut }

  /// A crop with a bar that joins two neighbours.
  private func joined(_ line: GrayPicture, _ pair: Int) -> GrayPicture {
    var pixels = line.pixels
    for y in 30..<34 {
      for x in TenLs.places[pair]...TenLs.places[pair + 1] { pixels[y * line.width + x] = 15 }
    }
    return GrayPicture(width: line.width, height: line.height, pixels: pixels)
  }

  private let pieces = TenLs.pieces
  private let text = TenLs.text

  private func margin(_ pieces: [Range<Int>], _ cut: GrayPicture, of text: [UInt8]) -> Double? {
    var vote = GlyphVote()
    vote.add(pieces, of: cut)
    return vote.opinion(on: text)?.leastMargin
  }

  @Test func strokesConfirmCharacters() throws {
    #expect(try #require(margin(pieces, cut(), of: text)) > 1)
  }

  @Test func detectsOneWrongCharacter() throws {
    var wrong = text
    wrong[4] = UInt8(ascii: "H")
    #expect(try #require(margin(pieces, cut(), of: wrong)) < -1)
  }

  @Test func separatesTouchingCharacters() throws {
    var touching = pieces
    touching.replaceSubrange(3...4, with: [pieces[3].lowerBound..<pieces[4].upperBound])
    var other = text
    other[3] = UInt8(ascii: "H")
    #expect(try #require(margin(touching, cut(joining: 3), of: text)) > 1)
    #expect(try #require(margin(touching, cut(joining: 3), of: other)) < -1)
  }

  @Test func findsEachCharacterOfJoinedPieces() throws {
    var line = cut()
    for pair in stride(from: 0, to: 10, by: 2) { line = joined(line, pair) }
    let pairs = stride(from: 0, to: 10, by: 2).map { pieces[$0].lowerBound..<pieces[$0 + 1].upperBound }
    var other = text
    other[6] = UInt8(ascii: "H")
    #expect(try #require(margin(pairs, line, of: text)) > 1)
    #expect(try #require(margin(pairs, line, of: other)) < -1)
    for pair in 0..<9 { line = joined(line, pair) }
    let whole = [pieces[0].lowerBound..<pieces[9].upperBound]
    #expect(try #require(margin(whole, line, of: text)) > 1)
    #expect(try #require(margin(whole, line, of: other)) < -1)
  }

  @Test func splitsPieceAtThinInk() {
    let piece = TenLs.places[3]..<TenLs.places[4] + 14
    let partings = TouchingCharacters.partings(of: piece, usual: 14, in: cut(joining: 3))
    // The joining bar is 6 columns wide; the ink right of the first character's upright is as thin.
    #expect(partings.contains { (TenLs.places[3] + 14...TenLs.places[4]).contains($0.column) })
    #expect(partings.allSatisfy { $0.ink < 0.5 && piece.contains($0.column) })
    #expect(TouchingCharacters.partings(of: pieces[0], usual: 14, in: cut()).isEmpty)
  }

  @Test func ignoresSpecks() {
    for width in 1...5 {
      let specks = (0..<6).map { 30 + $0 * 20..<30 + $0 * 20 + width }
      #expect(margin(specks, GrayPicture(width: 240, height: 44, gray: 60), of: Array("LLLLLLLLLLLL".utf8)) ?? -9 < 1)
    }
  }

  @Test func emptyPiecesGiveNoVote() {
    #expect(margin([], cut(), of: text) == nil)
    #expect(GlyphVote().opinion(on: text) == nil)
  }
}
