import Imaging
import Testing

/// Covers: photos in low light, whose noise hides the print.
@Suite struct SmoothedReadingTests {
  /// A display in a dark room: a picture at a sixth of its brightness, with the noise of a phone's sensor.
  ///
  /// - Parameter deviation: The standard deviation of the noise, in gray values.
  private static func inTheDark(_ picture: GrayPicture, deviation: Double = 7) -> GrayPicture {
    var chance = Chance(state: 11)
    let pixels = picture.pixels.map { pixel in
      let noise = (0..<6).reduce(-3) { sum, _ in sum + chance.next() } / 0.7071
      return UInt8(max(0, min(255, Double(pixel) / 6 + 14 + deviation * noise)))
    }
    return GrayPicture(width: picture.width, height: picture.height, pixels: pixels)
  }

  @Test(arguments: [("screen_medium_3", "BRQ36KLJXC"), ("screen_zh", "3D0ZUPZY86")])
  func readsSerialsInNoiseAfterSmoothing(name: String, serial: String) throws {
    var fractions: [Double] = []
    let reading = try read(Self.inTheDark(testPicture("\(name).jpg")), progress: { fractions.append($0.fraction) })
    #expect(reading.topSerial?.serial == serial)
    #expect(reading.topSerial?.strategy == "rows-inverted-smoothed" && reading.strategyUsed == "rows-inverted-smoothed")
    #expect(reading.fallbackUsed)
    // The trace includes all earlier strategies.
    let names = reading.trace.map(\.strategy)
    #expect(
      names.contains("rows-inverted") && names.firstIndex(of: "rows") ?? 99 < names.firstIndex(of: "rows-smoothed") ?? 0
    )
    #expect(fractions == fractions.sorted() && fractions.last == 1)
  }

  @Test func acceptsUncertainSerialThatSmoothingClears() throws {
    let reading = try read(Self.inTheDark(testPicture("screen_medium_2.jpg"), deviation: 9))
    #expect(reading.verdict == .accepted && reading.topSerial?.serial == "114DBDWUTG")
    #expect(reading.strategyUsed.hasSuffix("-smoothed"))
  }
}
