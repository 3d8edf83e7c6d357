import Imaging
import SerialReading
import Testing

/// Covers: the edge of a shadow across a serial, which joins characters or makes others of them.
@Suite struct ShadowTests {
  /// A picture with a shadow on the right of an oblique edge.
  ///
  /// - Parameters:
  ///   - share: The brightness in the shadow.
  ///   - x, y: A point on the edge, in pixels.
  private static func shadowed(_ picture: GrayPicture, to share: Double, fromX x: Double, y: Double) -> GrayPicture {
    var pixels = picture.pixels
    for row in 0..<picture.height {
      for column in 0..<picture.width {
        let beyond = Double(column) - x + 0.4 * (Double(row) - y)
        let shadow = 1 - (1 - share) * min(1, max(0, (beyond + 3) / 6))
        pixels[row * picture.width + column] = UInt8(Double(picture[column, row]) * shadow)
      }
    }
    return GrayPicture(width: picture.width, height: picture.height, pixels: pixels)
  }

  @Test(arguments: [
    ("etched_medium_2", "SC0XFM8K9DJK", 545.8, 280.9), ("sticker_medium_2", "H0101ZXAAKR", 164.3, 259.8),
  ])
  func acceptsSerialsAcrossShadows(name: String, serial: String, x: Double, y: Double) throws {
    let reading = try read(Self.shadowed(testPicture("\(name).jpg"), to: 0.45, fromX: x, y: y))
    #expect(reading.verdict == .accepted && reading.topSerial?.serial == serial)
    #expect(reading.strategyUsed == "text-evened")
    #expect(reading.trace.contains { $0.strategy == "text" })
  }

  @Test func acceptsWhatReadsClearlyAcrossShadowOnlyWithoutIt() throws {
    let picture = try testPicture("etched_clean_2.jpg")
    #expect(try read(picture).strategyUsed == "text")
    let reading = try read(Self.shadowed(picture, to: 0.45, fromX: 113.6, y: 91.2))
    #expect(reading.strategyUsed == "text-evened" && reading.verdict == .accepted)
  }
}
