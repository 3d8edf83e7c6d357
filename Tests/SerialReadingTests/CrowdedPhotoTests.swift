import Imaging
import ScanModel
import SerialReading
import Testing

/// Photos with so much print that reading all of it would take long, such as circuit boards.
@Suite struct CrowdedPhotoTests {
  /// Sixteen of the generated pictures, upside down in a mirror so that nothing can be read, but for the first.
  private static func board(first: GrayPicture? = nil) throws -> GrayPicture {
    let tiles = try ["etched_clean_3.jpg", "no_serial_2.jpg", "no_serial_3.jpg", "screen_clean_1.jpg"].map(testPicture)
    let (width, height, across) = (900, 560, tiles.count)
    try #require((tiles + [first].compactMap(\.self)).allSatisfy { $0.width == width && $0.height == height })
    let board = (0..<across * across).map { index -> GrayPicture in
      let tile = tiles[(index / across + index % across) % tiles.count]
      return index == 0 ? first ?? mirrored(tile) : mirrored(tile)
    }
    return GrayPicture(width: across * width, height: across * height) { pixels in
      for index in pixels.indices {
        let (x, y) = (index % (across * width), index / (across * width))
        pixels[index] = board[y / height * across + x / width].pixels[y % height * width + x % width]
      }
    }
  }

  private static func mirrored(_ picture: GrayPicture) -> GrayPicture {
    GrayPicture(width: picture.width, height: picture.height) { pixels in
      for index in pixels.indices {
        pixels[index] =
          picture.pixels[
            (picture.height - 1 - index / picture.width) * picture.width + index % picture.width]
      }
    }
  }

  /// Only codes are still looked for once much was read and nothing suggests a serial.
  @Test func endsIfNothingSuggestsASerial() throws {
    let reading = try read(try Self.board())
    #expect(reading.serials.isEmpty)
    let strategies = reading.trace.map(\.strategy)
    #expect(strategies.starts(with: ["text", "barcode", "rows"]) && strategies.last == "barcode-regions")
    #expect(!strategies.contains("rows-small") && !strategies.contains("rows-contrast"), "\(strategies)")
  }

  /// A device's print is a sign, though its serial is covered.
  @Test func continuesIfADeviceIsSeen() throws {
    let device = try testPicture("etched_clean_1.jpg")
    let covered = GrayPicture(width: device.width, height: device.height) { pixels in
      for index in pixels.indices {
        let isCovered = (400..<600).contains(index % device.width) && (255..<300).contains(index / device.width)
        pixels[index] = device.pixels[isCovered ? 0 : index]
      }
    }
    let strategies = try read(try Self.board(first: covered)).trace.map(\.strategy)
    #expect(strategies.contains("rows-contrast"), "\(strategies)")
  }
}
