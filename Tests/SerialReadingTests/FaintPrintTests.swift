import Imaging
import Testing

/// Covers: print whose contrast is a few hundredths of its ground's brightness, such as etched text in even light.
@Suite struct FaintPrintTests {
  /// A picture at a share of its contrast, around a gray value.
  private static func faded(_ picture: GrayPicture, to share: Double, around gray: Double) -> GrayPicture {
    GrayPicture(
      width: picture.width, height: picture.height,
      pixels: picture.pixels.map { UInt8(max(0, min(255, gray + share * (Double($0) - 170)))) })
  }

  @Test(arguments: [("etched_clean_2", "FK1CRVYNLFK3"), ("etched_medium_3", "FC7Q19SQ3KMS")])
  func acceptsFaintDarkPrint(name: String, serial: String) throws {
    let reading = try read(Self.faded(testPicture("\(name).jpg"), to: 0.1, around: 170))
    #expect(reading.verdict == .accepted && reading.topSerial?.serial == serial)
    #expect(reading.strategyUsed == "text")
  }

  @Test(arguments: [("etched_clean_2", "FK1CRVYNLFK3"), ("etched_medium_3", "FC7Q19SQ3KMS")])
  func acceptsFaintLightPrint(name: String, serial: String) throws {
    let reading = try read(Self.faded(testPicture("\(name).jpg"), to: -0.1, around: 70))
    #expect(reading.verdict == .accepted && reading.topSerial?.serial == serial)
  }

  @Test func readsNothingOnBareMetal() throws {
    let reading = try read(Self.faded(testPicture("no_serial_2.jpg"), to: 0.3, around: 170))
    #expect(reading.verdict == .refused && reading.serials.isEmpty)
  }
}
