import SerialReading
import Testing

/// Covers: the reads beside a device's model number.
@Suite struct DeviceMarkTests {
  /// A read of 200 x 42 pixels, so with capitals of 24, whose top left corner is at the place.
  private func read(atX x: Double, y: Double, scale: Double = 1) -> Sighting {
    let middle = y + 21 * scale
    return Sighting(left: [x, middle], right: [x + 200 * scale, middle], capital: 24 * scale, polarity: .dark)
  }

  private func modelNumber(_ text: String = "Model A2537") -> DeviceMark? {
    DeviceMark(text, at: Sighting(left: [200, 300], right: [400, 300], capital: 24, polarity: .dark))
  }

  @Test func linesOfOneLabelAreBesideEachOther() throws {
    let mark = try #require(modelNumber())
    #expect(mark.isBeside(read(atX: 180, y: 340)))
    #expect(mark.isBeside(read(atX: 180, y: 200)))
  }

  @Test func distantOrLargerTextIsNotBeside() throws {
    let mark = try #require(modelNumber())
    #expect(!mark.isBeside(read(atX: 180, y: 800)))
    #expect(!mark.isBeside(read(atX: 100, y: 340, scale: 2.5)))
  }

  @Test(arguments: ["AirPods Max", "MacBook Pro 16-inch 2021", "iPad"])
  func namesOfProductsAreDeviceMarks(line: String) { #expect(modelNumber(line) != nil) }

  @Test(arguments: ["Max", "For iPad and iPhone", "iPhone 13 with a charger and a case"])
  func otherTextIsNotADeviceMark(line: String) { #expect(modelNumber(line) == nil) }

  @Test(arguments: [
    "FCC ID: BCGA1915 IC: 579C-A1915", "Designed by Apple in California", "e in California. Assembled in China",
  ])
  func recognizesDevicePrint(line: String) { #expect(DeviceMark.isDevicePrint(line)) }

  @Test(arguments: ["Apple Inc.", "California Street 12", "C02ZK1ABMD6N", ""])
  func otherTextIsNotDevicePrint(line: String) { #expect(!DeviceMark.isDevicePrint(line)) }
}
