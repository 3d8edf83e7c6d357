import Foundation
import Imaging
import SerialReading
import Testing

/// Covers: measuring the tilt of rows of print.
@Suite struct TextTiltTests {
  /// Characters of 10 x 14 pixels in rows tilted by an angle, 12 pixels apart, with 30 pixels between rows.
  private static func rows(_ angle: Double, of count: Int = 40) -> [Component] {
    (0..<5).flatMap { row in
      (0..<count / 5).map { column in
        let (along, down) = (Double(12 * column), Double(30 * row))
        return component(200 + along * cos(angle) - down * sin(angle), 200 + along * sin(angle) + down * cos(angle))
      }
    }
  }

  private static func component(_ x: Double, _ y: Double) -> Component {
    Component(
      x: Int(x) - 5, y: Int(y) - 7, width: 10, height: 14, area: 60, centroidX: Float(x), centroidY: Float(y))
  }

  @Test(arguments: [-0.7, -0.3, 0, 0.25, 0.6])
  func measuresTiltOfRows(angle: Double) throws {
    let tilt = try #require(TextTilt(of: Self.rows(angle)))
    #expect(abs(tilt.angle - angle) < 0.01)
    #expect(tilt.share > 0.9)
    #expect(tilt.characterSide == 14)
    // Eight characters in each of five rows, from the middle of the first to that of the last.
    #expect(abs(tilt.box.right - tilt.box.left - 84) < 2 && abs(tilt.box.bottom - tilt.box.top - 120) < 2)
  }

  @Test func measuresTiltOfVerticalRows() throws {
    let tilt = try #require(TextTilt(of: Self.rows(0.3 + .pi / 2)))
    #expect(abs(tilt.angle - 0.3) < 0.01)
  }

  /// Pieces of the size of characters, scattered over a square.
  private static func scattered(_ count: Int) -> [Component] {
    var chance = Chance(state: 7)
    return (0..<count).map { _ in component(400 * chance.next(), 400 * chance.next()) }
  }

  @Test func scatteredPiecesHaveNoTilt() throws {
    let tilt = try #require(TextTilt(of: Self.scattered(300)))
    #expect(tilt.share < 0.17)
  }

  @Test func measuresTiltAmidPattern() throws {
    let tilt = try #require(TextTilt(of: Self.rows(0.35, of: 60) + Self.scattered(60)))
    #expect(abs(tilt.angle - 0.35) < 0.04)
    #expect(tilt.share >= 0.3)
  }

  @Test func fewPiecesHaveNoTilt() { #expect(TextTilt(of: Self.rows(0.3, of: 5)) == nil) }
}
