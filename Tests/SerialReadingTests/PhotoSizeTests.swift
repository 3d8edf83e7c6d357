import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: in which sizes a photo is decoded, and how often.
@Suite struct PhotoSizeTests {
  private static func photo(_ bytes: [UInt8]?) throws -> Photo {
    try Photo(bytes: try #require(bytes), limits: PictureLimits(maxPixels: 60_000_000))
  }

  private static func gray(_ width: Int) -> GrayPicture { GrayPicture(width: width, height: 60, gray: 180) }

  @Test(arguments: [3200, 6400, 12_800])
  func partiallyDecodedJPEGKeepsResolution(width: Int) throws {
    let photo = try Self.photo(Self.gray(width).jpeg(quality: 80))
    #expect(try photo.reduced(toSide: Photo.workingSide).picture.longestSide == Photo.workingSide)
    #expect(try photo.full().picture.longestSide == width)
    #expect(try photo.reduced(toSide: 2600).picture.longestSide == 2600)
  }

  @Test func decodesOtherFormatsOnce() throws {
    let heic = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../testdata/pictures/format_heic.heic")
    for bytes in [Self.gray(4000).png(), Array(try Data(contentsOf: heic))] {
      let photo = try Self.photo(bytes)
      #expect(try photo.reduced(toSide: 300).picture.longestSide == 300)
      #expect(try photo.reduced(toSide: 200).picture.longestSide == 200)
      #expect(try photo.full().picture.longestSide == photo.longestUploadedSide)
      #expect(photo.decodings == 1)
    }
  }

  @Test func decodesSmallJPEGOnce() throws {
    let photo = try Self.photo(Self.gray(1500).jpeg(quality: 80))
    #expect(try photo.reduced(toSide: Photo.workingSide).picture.longestSide == 1500)
    #expect(try photo.full().picture.longestSide == 1500)
    #expect(photo.decodings == 1)
  }
}
