import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: the thumbnail of a reading: its size, its bytes and its orientation.
@Suite struct ThumbnailTests {
  private static let pictures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../testdata/pictures")

  private static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: pictures.appendingPathComponent(name)))
  }

  private static func answer(_ bytes: [UInt8], _ part: PhotoPart? = nil) throws -> ReadAnswer {
    // The time budget is zero: a thumbnail does not need it.
    try makeReader().read(
      bytes, ReadRequest(timeBudget: 0, limits: PictureLimits(maxPixels: 60_000_000), part: part, wantsThumbnail: true))
  }

  private static func pixels(of jpeg: [UInt8]) throws -> ColorPicture {
    try EncodedPicture(jpeg).colors(pixelLimit: 100_000, atLeast: Thumbnail.longestSide)
  }

  /// The mean difference of the gray values of two pictures of one size.
  private static func difference(_ one: [UInt8], _ other: [UInt8]) throws -> Double {
    let (one, other) = (try pixels(of: one), try pixels(of: other))
    try #require(one.width == other.width && one.height == other.height)
    let sum = zip(one.grayValues(), other.grayValues()).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    return Double(sum) / Double(one.pixels.count)
  }

  @Test(arguments: [
    "etched_clean_1.jpg", "exif_6.jpg", "no_serial_1.jpg", "glowing_screen.jpg", "format_heic.heic", "format_png.png",
    "format_tiff.tiff", "format_webp.webp",
  ])
  func everyFormatHasThumbnailOfFewKilobytes(name: String) throws {
    let bytes = try Self.bytes(name)
    let answer = try Self.answer(bytes)
    let thumbnail = try #require(answer.thumbnail)
    #expect(Thumbnail.isPlausible(thumbnail) && thumbnail.count > 500, "\(thumbnail.count)")
    let (picture, file) = (try Self.pixels(of: thumbnail), try EncodedPicture(bytes))
    #expect(max(picture.width, picture.height) == Thumbnail.longestSide)
    let shape = Double(file.uprightWidth) / Double(file.uprightHeight)
    #expect(abs(Double(picture.width) / Double(picture.height) / shape - 1) < 0.02)
    #expect(answer.annotation == nil)
  }

  @Test(arguments: 2...8) func thumbnailIsUprightForAnyOrientation(orientation: Int) throws {
    let upright = try #require(try Self.answer(Self.bytes("exif_1.jpg")).thumbnail)
    let turned = try #require(try Self.answer(Self.bytes("exif_\(orientation).jpg")).thumbnail)
    #expect(try Self.difference(upright, turned) < 4)
  }

  @Test(arguments: ["etched_clean_1.jpg", "format_png.png"])
  func thumbnailShowsWholePhotoOfPart(name: String) throws {
    let bytes = try Self.bytes(name)
    let whole = try #require(try Self.answer(bytes).thumbnail)
    let part = try #require(try Self.answer(bytes, PhotoPart("0,0,0.5,0.4")).thumbnail)
    #expect(try Self.difference(whole, part) < 2)
  }

  @Test func smallPictureIsNotEnlarged() throws {
    let bytes = try #require(GrayPicture(width: 90, height: 40, gray: 180).jpeg(quality: 90))
    let picture = try Self.pixels(of: try #require(try Self.answer(bytes).thumbnail))
    #expect(picture.width == 90 && picture.height == 40)
  }

  @Test func noiseIsCompressedUntilItFits() throws {
    var state: UInt64 = 1
    let noise = GrayPicture(width: 160, height: 160) { out in
      for index in out.indices {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        out[index] = UInt8(truncatingIfNeeded: state >> 56)
      }
    }
    let thumbnail = try #require(noise.thumbnail(longestSide: 160, mostBytes: Thumbnail.mostBytes * 2))
    #expect(thumbnail.count > Thumbnail.mostBytes)
    #expect(noise.thumbnail(longestSide: 160, mostBytes: 100) == nil)
    #expect((noise.thumbnail(longestSide: 40, mostBytes: Thumbnail.mostBytes) ?? []).count > 100)
  }

  @Test func thumbnailIsMadeOnlyOnRequest() throws {
    let request = ReadRequest(timeBudget: 0, limits: PictureLimits(maxPixels: 60_000_000))
    #expect(try makeReader().read(Self.bytes("etched_clean_1.jpg"), request).thumbnail == nil)
  }
}
