import Foundation
import Imaging
import ScanModel
import Testing

/// Covers: the part of a large photo in which small print stands, which is read once more as a photo of its own.
@Suite struct LargePhotoTests {
  /// A photo of 12 megapixels that shows pictures, with their top left corners at places, on a ground with a little
  /// noise, as no screenshot has.
  private static func photo(of pictures: [(picture: GrayPicture, x: Int, y: Int)]) -> GrayPicture {
    let (width, height) = (4032, 3024)
    return GrayPicture(width: width, height: height) { pixels in
      var chance = Chance(state: 3)
      for index in pixels.indices { pixels[index] = UInt8(118 + 5 * chance.next()) }
      for (picture, left, top) in pictures {
        for y in 0..<picture.height {
          for x in 0..<picture.width { pixels[(top + y) * width + left + x] = picture[x, y] }
        }
      }
    }
  }

  /// Print along a curve with capitals of 14 pixels.
  private static func ring() throws -> GrayPicture { try testPicture("round_dark.jpg").scaled(by: 0.4) }

  @Test func readsSmallCurvedPrintWhereItStands() throws {
    var fractions: [Double] = []
    let reading = try read(
      Self.photo(of: [(Self.ring(), 2700, 1900)]), progress: { fractions.append($0.fraction) })
    #expect(reading.topSerial?.serial == "FF1X9QXSH318" && reading.verdict == .accepted)
    #expect(reading.strategyUsed == "text-curved-closer" && reading.fallbackUsed)
    // The middle of the serial in the photo: 443, 108 in the picture before it was reduced.
    let corners = try #require(reading.topSerial?.region).corners
    let (x, y) = ((corners[0].x + corners[2].x) / 2, (corners[0].y + corners[2].y) / 2)
    #expect(abs(x - (2700 + 0.4 * 443)) < 10 && abs(y - (1900 + 0.4 * 108)) < 10, "\(x), \(y)")
    #expect(reading.photoSize == PixelSize(width: 4032, height: 3024))
    #expect(fractions == fractions.sorted() && fractions.last == 1)
  }

  /// What is as dense all over the photo is texture, or a page.
  @Test func looksNoCloserWhereSmallPrintIsEverywhere() throws {
    let other = try testPicture("no_serial_1.jpg")
    let small = other.scaled(by: 380 / Double(other.longestSide))
    let places: [(x: Int, y: Int)] = (0..<81).map { (60 + $0 % 9 * 440, 40 + $0 / 9 * 330) }
    let reading = try read(Self.photo(of: places.map { (picture: small, x: $0.x, y: $0.y) }))
    #expect(reading.topSerial == nil && reading.photoSize == PixelSize(width: 4032, height: 3024))
    #expect(!reading.trace.contains { $0.strategy.hasSuffix("-closer") })
  }

  @Test func looksNoCloserWhereNothingStands() throws {
    #expect(try !read(Self.photo(of: [])).trace.contains { $0.strategy.hasSuffix("-closer") })
  }
}
