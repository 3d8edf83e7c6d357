import Foundation
import Imaging
import SerialReading
import Testing

/// Covers: detecting a line along a curve, and unrolling it into a strip.
@Suite struct CurvedLineTests {
  private static let capital = 10.0

  /// Middles of characters on a circle around (300, 300), one every `step` radians, alternately `jitter` inside and outside.
  private static func arc(radius: Double, step: Double, count: Int, jitter: Double = 0) -> [PlanePoint] {
    (0..<count).map { index in
      let angle = Double(index) * step
      let reach = radius + (index % 2 == 0 ? jitter : -jitter)
      return [300 + reach * sin(angle), 300 - reach * cos(angle)]
    }
  }

  @Test(arguments: [120.0, 200, 400])
  func findsCharactersOnACircle(radius: Double) throws {
    let line = try #require(
      CurvedLine(through: Self.arc(radius: radius, step: 8 / radius, count: 24), capital: Self.capital))
    let strip = line.strip(capital: 20, enlargedBy: 1)
    // Twice the size, and extended straight by three and a half capitals at each end.
    #expect(abs(strip.columns.count - Int(2 * (23 * 8 + 7 * Self.capital))) < 12)
    for column in strip.columns.dropFirst(80).dropLast(80) {
      let radial = column.point - 300
      let reach = radial.length
      #expect(abs(reach - radius) < 0.06 * Self.capital, "\(reach)")
      // The text runs clockwise, at a right angle to the radius.
      #expect(abs(radial.cross(column.direction) / reach - 1) < 0.01)
    }
  }

  /// The pieces of broken characters come in any order.
  @Test func stripNeverTurnsBack() throws {
    var middles = Self.arc(radius: 200, step: 0.04, count: 24)
    middles.insert(middles[9], at: 12)
    middles.swapAt(17, 18)
    let strip = try #require(CurvedLine(through: middles, capital: Self.capital)).strip(capital: 20, enlargedBy: 1)
    for (column, next) in zip(strip.columns, strip.columns.dropFirst()) {
      #expect((next.point - column.point).dot(column.direction) > 0)
    }
    #expect(abs(strip.columns.count - Int(2 * (23 * 8 + 7 * Self.capital))) < 12)
  }

  @Test func straightLineIsNotCurved() {
    #expect(CurvedLine(through: (0..<24).map { [Double($0) * 8, 40] }, capital: Self.capital) == nil)
  }

  @Test func specksAreNotACurvedLine() {
    let specks = Self.arc(radius: 150, step: 0.05, count: 24, jitter: 0.3 * Self.capital)
    #expect(CurvedLine(through: specks, capital: Self.capital) == nil)
  }

  @Test func fewCharactersAreNotACurvedLine() {
    #expect(CurvedLine(through: Self.arc(radius: 60, step: 0.13, count: 8), capital: Self.capital) == nil)
  }
}
