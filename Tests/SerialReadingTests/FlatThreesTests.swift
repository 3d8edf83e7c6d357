import Imaging
import SerialReading
import Testing

/// Covers: the strokes of a `3` with a flat top, which a line model may take for a `5`.
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

  private let withThree = Array("LLLL3LLLLL".utf8)
  private let withFive = Array("LLLL5LLLLL".utf8)

  private func margin(of text: [UInt8], _ digit: Strokes) throws -> Double {
    try #require(strokes(digit).opinion(on: text)).leastMargin
  }

  @Test func strokesOfFlatThreeRefuteFive() throws {
    #expect(try margin(of: withFive, Self.flatThree) < 0)
    #expect(try margin(of: withThree, Self.flatThree) > 0)
  }

  @Test func strokesOfFiveRefuteThree() throws {
    #expect(try margin(of: withThree, Self.five) < 0)
    #expect(try margin(of: withFive, Self.five) > 0)
  }
}
