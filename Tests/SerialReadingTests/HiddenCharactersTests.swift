import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: gaps and spots that hide characters, so that what is left looks like another serial.
@Suite struct HiddenCharactersTests {
  /// A picture in which a rectangle shows the ground that is above and below it, as where print wore off.
  private static func erased(_ picture: GrayPicture, _ columns: Range<Int>, _ rows: Range<Int>) -> GrayPicture {
    var pixels = picture.pixels
    for row in rows {
      for column in columns {
        let share = Double(row - rows.lowerBound) / Double(rows.count)
        let (above, below) = (picture[column, rows.lowerBound - 2], picture[column, rows.upperBound + 1])
        pixels[row * picture.width + column] = UInt8(Double(above) * (1 - share) + Double(below) * share)
      }
    }
    return GrayPicture(width: picture.width, height: picture.height, pixels: pixels)
  }

  /// A picture with a white spot, as a reflection leaves, or a dark one, as of dirt.
  private static func spotted(
    _ picture: GrayPicture, _ gray: Double, atX x: Double, y: Double, radius: Double
  ) -> GrayPicture {
    var pixels = picture.pixels
    for row in 0..<picture.height {
      for column in 0..<picture.width {
        let (across, down) = (Double(column) - x, Double(row) - y)
        let distance = (across * across + down * down).squareRoot()
        let share = min(1, max(0, (radius - distance) / (0.3 * radius)))
        let value = Double(picture[column, row])
        pixels[row * picture.width + column] = UInt8((value + (gray - value) * share).rounded())
      }
    }
    return GrayPicture(width: picture.width, height: picture.height, pixels: pixels)
  }

  private static func isUnsure(_ reading: Reading) -> Bool {
    reading.verdict == .uncertain && reading.topSerial?.doubts?.map(\.code) == ["hidden_characters"]
  }

  @Test(arguments: [
    ("etched_clean_1.jpg", 432..<465, 264..<297), ("etched_medium_2.jpg", 492..<520, 266..<295),
    ("format_webp.webp", 252..<288, 70..<110),
  ])
  func acceptsNoSerialWithoutTwoOfItsCharacters(name: String, columns: Range<Int>, rows: Range<Int>) throws {
    let picture = try testPicture(name)
    #expect(try read(picture).verdict == .accepted)
    #expect(Self.isUnsure(try read(Self.erased(picture, columns, rows))))
  }

  @Test(arguments: [
    ("etched_clean_1.jpg", 255.0, 549.9, 283.3, 6.6), ("etched_clean_3.jpg", 255, 528.6, 284.7, 6.2),
    ("sticker_clean_3.jpg", 255, 489.7, 292.3, 11), ("etched_clean_1.jpg", 20, 487.7, 277.5, 4.1),
    ("etched_clean_3.jpg", 20, 475.3, 277.3, 3.9), ("exif_1.jpg", 20, 158.7, 97.9, 4.1),
  ])
  func acceptsNoSerialUnderSpot(name: String, gray: Double, x: Double, y: Double, radius: Double) throws {
    let picture = try testPicture(name)
    #expect(try read(picture).verdict == .accepted)
    #expect(Self.isUnsure(try read(Self.spotted(picture, gray, atX: x, y: y, radius: radius))))
  }
}
