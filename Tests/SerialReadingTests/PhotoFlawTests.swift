import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: what plainly keeps photos from being read, what a refused serial is instead, and what people are told then.
@Suite struct PhotoFlawTests {
  /// A device without a legible serial, larger than in `testdata`.
  private static func photo() throws -> GrayPicture { try testPicture("no_serial_1.jpg").scaled(by: 1.5) }

  @Test func namesNoFlawInGoodPhotos() throws {
    let reading = try read(Self.photo())
    #expect(reading.serials.isEmpty && reading.flaw == nil)
    #expect(reading.withoutSerial == Reading.withoutSerial)
  }

  @Test func namesDarkness() throws {
    let photo = try Self.photo()
    let dark = GrayPicture(width: photo.width, height: photo.height, pixels: photo.pixels.map { $0 / 8 })
    let reading = try read(dark)
    #expect(reading.flaw == .tooDark && reading.withoutSerial.contains("very dark"))
  }

  @Test func namesBlur() throws {
    let blurred = try testPicture("no_serial_1.jpg").scaled(by: 0.15).scaled(by: 10)
    let reading = try read(blurred)
    #expect(reading.flaw == .outOfFocus && reading.withoutSerial.contains("out of focus"))
  }

  @Test func namesSizeOfPreviews() throws {
    let reading = try read(try testPicture("no_serial_1.jpg").scaled(by: 0.25))
    #expect(reading.flaw == .tooSmall && reading.withoutSerial.contains("180 x 140 pixels"))
  }

  @Test(arguments: [
    ("other_maker.jpg", "another manufacturer's"), ("serial_of_battery.png", "that of a part"),
    ("serial_of_disk.png", "that of a part"),
  ])
  func saysWhatTheSerialIsInstead(file: String, reason: String) throws {
    let reader = try makeReader(ReadingThresholds(accept: 0.9, refuse: 0.4))
    let reading = try reader.reading(of: try #require(testPicture(file).png()))
    #expect(reading.serials.isEmpty && reading.flaw == nil)
    #expect(reading.withoutSerial.hasPrefix("No serial number was found: "))
    #expect(reading.withoutSerial.contains(reason), "\(reading.withoutSerial)")
  }

  @Test func doesNotMatterOnceSerialIsRead() throws {
    let reading = try read(try testPicture("etched_clean_2.jpg"))
    #expect(!reading.serials.isEmpty && reading.flaw == nil)
  }
}
