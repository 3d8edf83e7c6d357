import Imaging
import SerialReading
import Testing

/// Covers: a `3` with a flat top that was read as a `5`, a `5` that stays a `5`, and divided votes.
@Suite struct FlatThreesTests {
  private static let width = 240
  private static let places = (0..<10).map { 20 + $0 * 20 }
  /// Nine `L` and one digit.
  private static let digitPlace = 4

  /// Strokes of a digit, in a box of 14 x 24 pixels: columns and rows.
  private typealias Strokes = [(columns: Range<Int>, rows: Range<Int>)]
  /// A bar on top, a stroke that leads from its right end to the middle, and a bowl.
  private static let flatThree: Strokes =
    [(0..<14, 0..<3), (3..<11, 9..<12), (11..<14, 12..<20), (0..<3, 18..<21), (2..<12, 21..<24)]
    + (0..<7).map { step in (11 - step..<14 - step, 2 + step..<4 + step) }
  /// A bar on top, a stroke that leads from its left end to the middle, and the same bowl.
  private static let five: Strokes = [
    (0..<14, 0..<3), (0..<3, 0..<12), (0..<11, 9..<12), (11..<14, 12..<20), (0..<3, 18..<21), (2..<12, 21..<24),
  ]

  private func strokes(_ digit: Strokes) -> GlyphVote {
    var pixels = [UInt8](repeating: 228, count: Self.width * 44)
    func ink(_ columns: Range<Int>, _ rows: Range<Int>) {
      for y in rows { for x in columns { pixels[y * Self.width + x] = 15 } }
    }
    for (number, left) in Self.places.enumerated() {
      for part in number == Self.digitPlace ? digit : [(0..<4, 0..<24), (0..<14, 20..<24)] {
        ink(
          left + part.columns.lowerBound..<left + part.columns.upperBound,
          10 + part.rows.lowerBound..<10 + part.rows.upperBound)
      }
    }
    var vote = GlyphVote()
    vote.add(Self.places.map { $0..<$0 + 14 }, of: GrayPicture(width: Self.width, height: 44, pixels: pixels))
    return vote
  }

  private func margins(_ ofDigit: Float) -> [Float] {
    (0..<10).map { $0 == Self.digitPlace ? ofDigit : 3 }
  }

  private func judged(_ text: [UInt8], _ margins: [Float], _ strokes: GlyphVote) -> LikelyText {
    var likely = LikelyText(text, margins: margins)
    likely.correctLookAlikes(strokes)
    likely.correctThrees(strokes)
    return likely
  }

  private let withThree = Array("LLLL3LLLLL".utf8)
  private let withFive = Array("LLLL5LLLLL".utf8)

  @Test func correctsFlatThreeReadAsFive() {
    let found = judged(withFive, margins(3.4), strokes(Self.flatThree))
    #expect(found.text == withThree)
    #expect((1...2).contains(found.margins[Self.digitPlace]))
    #expect(found.margins.filter { $0 == 3 }.count == 9)
  }

  @Test func keepsFive() {
    let found = judged(withFive, margins(2.5), strokes(Self.five))
    #expect(found.text == withFive)
    #expect(found.margins == margins(2.5))
  }

  @Test func strokesSettleDividedVote() {
    let found = judged(withThree, margins(0.1), strokes(Self.flatThree))
    #expect(found.text == withThree)
    #expect(found.margins[Self.digitPlace] >= 1)
  }

  /// A digit whose bar leads down between the two sides.
  private static let neither: Strokes = [
    (0..<14, 0..<3), (4..<8, 3..<12), (2..<12, 9..<12), (11..<14, 12..<20), (0..<3, 18..<21), (2..<12, 21..<24),
  ]

  @Test func ambiguousStrokesCastDoubt() throws {
    let clear = judged(withFive, margins(3), strokes(Self.five))
    let unclear = judged(withFive, margins(3), strokes(Self.neither))
    #expect(unclear.text == withFive)
    #expect(try #require(unclear.opinion).leastMargin <= -4)
    #expect(try #require(clear.opinion).leastMargin > -4)
  }

  @Test func changesNothingWithoutStrokes() {
    let found = judged(withFive, margins(2), GlyphVote())
    #expect(found.text == withFive)
    #expect(found.margins == margins(2))
    #expect(found.opinion == nil)
  }

  @Test func strokesDoNotRefuteClearCharacters() {
    func shapes(refuting: Int, isSeen: Bool = true, glyphMargin: Double?) -> TextEvidence.Shapes {
      TextEvidence.Shapes(refuting: refuting, of: 3, isSeen: isSeen, glyphMargin: glyphMargin)
    }
    #expect(shapes(refuting: 1, glyphMargin: nil) == .fitting)
    #expect(shapes(refuting: 2, glyphMargin: nil) == .doubtful && shapes(refuting: 2, glyphMargin: 3.9) == .doubtful)
    #expect(shapes(refuting: 3, glyphMargin: 4) == .fitting)
    #expect(shapes(refuting: 0, isSeen: false, glyphMargin: 3.9) == .unchecked)
  }
}
