import Imaging
import SerialReading
import Testing

/// Covers: what single characters' strokes say of a text, with pieces that touch, and without any.
@Suite struct GlyphVoteTests {
  /// Ten times an `L`, 20 pixels apart, on a cut as lines are read in.
  private static let places = (0..<10).map { 20 + $0 * 20 }

  private func cut(joining pair: Int? = nil) -> GrayPicture {
    let width = 240
    var pixels = [UInt8](repeating: 228, count: width * 44)
    func ink(_ columns: Range<Int>, _ rows: Range<Int>) {
      for y in rows { for x in columns { pixels[y * width + x] = 15 } }
    }
    for left in Self.places {
      ink(left..<left + 4, 10..<34)
      ink(left..<left + 14, 30..<34)
    }
    if let pair { ink(Self.places[pair]..<Self.places[pair + 1] + 1, 30..<34) }
    return GrayPicture(width: width, height: 44, pixels: pixels)
  }

  private var pieces: [Range<Int>] { Self.places.map { $0..<$0 + 14 } }
  private let text = Array("LLLLLLLLLL".utf8)

  private func margin(_ pieces: [Range<Int>], _ cut: GrayPicture, of text: [UInt8]) -> Double? {
    var vote = GlyphVote()
    vote.add(pieces, of: cut)
    return vote.opinion(on: text)?.leastMargin
  }

  @Test func charactersAreBorneOutByTheirStrokes() throws {
    #expect(try #require(margin(pieces, cut(), of: text)) > 1)
  }

  @Test func oneWrongCharacterIsTold() throws {
    var wrong = text
    wrong[4] = UInt8(ascii: "H")
    #expect(try #require(margin(pieces, cut(), of: wrong)) < -1)
  }

  @Test func charactersThatTouchAreParted() throws {
    var touching = pieces
    touching.replaceSubrange(3...4, with: [pieces[3].lowerBound..<pieces[4].upperBound])
    var other = text
    other[3] = UInt8(ascii: "H")
    #expect(try #require(margin(touching, cut(joining: 3), of: text)) > 1)
    #expect(try #require(margin(touching, cut(joining: 3), of: other)) < -1)
  }

  @Test func aPieceIsPartedWhereItsInkIsThinnest() throws {
    let joined = Self.places[3]..<Self.places[4] + 14
    let parts = TouchingCharacters.parts(of: joined, count: 2, in: cut(joining: 3))
    #expect(parts.count == 2)
    let left = try #require(parts[0])
    let right = try #require(parts[1])
    #expect(left.lowerBound == joined.lowerBound)
    #expect(left.upperBound == right.lowerBound)
    #expect(right.upperBound == joined.upperBound)
    // Between them lies the bar that joins them, 6 columns wide.
    #expect((Self.places[3] + 14...Self.places[4]).contains(left.upperBound))
  }

  @Test func noPiecesSayNothing() {
    #expect(margin([], cut(), of: text) == nil)
    #expect(GlyphVote().opinion(on: text) == nil)
  }
}
