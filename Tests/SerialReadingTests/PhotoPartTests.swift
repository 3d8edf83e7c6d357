import Foundation
import Imaging
import ScanModel
import SerialReading
import Testing

/// Covers: reading a part of a photo: its content, its places in the whole photo, and invalid parts.
@Suite struct PhotoPartTests {
  private static let pictures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../testdata/pictures")

  private static func answer(_ bytes: [UInt8], _ part: PhotoPart?, drawn: Bool = false) throws -> ReadAnswer {
    try makeReader().read(
      bytes,
      ReadRequest(timeBudget: 10, limits: PictureLimits(maxPixels: 60_000_000), wantsAnnotation: drawn, part: part))
  }

  private static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: pictures.appendingPathComponent(name)))
  }

  @Test func textFormsRoundTrip() throws {
    let part = try #require(PhotoPart(" 0, 0.25,1 ,0.5"))
    #expect(part == PhotoPart(left: 0, top: 0.25, right: 1, bottom: 0.5))
    #expect(PhotoPart(part.description) == part)
    let third = try #require(PhotoPart(left: 1.0 / 3, top: 0, right: 1, bottom: 1))
    #expect(try JSONDecoder().decode(PhotoPart.self, from: JSONEncoder().encode(third)) == third)
    let wrong = [
      "", "0,0,1", "0,0,1,1,", "1,0,0,1", "0,0,0,1", "0,0,1,inf", "0,0,1,nan", "0,0,0x1p0,1", "0,0,1,2", "-1,0,1,1",
    ]
    #expect(wrong.allSatisfy { PhotoPart($0) == nil })
  }

  @Test(arguments: [
    "etched_clean_1.jpg", "exif_2.jpg", "exif_5.jpg", "exif_6.jpg", "exif_8.jpg", "format_heic.heic",
    "format_tiff.tiff",
  ])
  func partReportsPlaceInWholePhoto(name: String) throws {
    let bytes = try Self.bytes(name)
    let whole = try Self.answer(bytes, nil).reading
    let top = try #require(whole.topSerial)
    let file = try EncodedPicture(bytes)
    let back = try #require(file.uploadedFromUpright.inverse)
    let corners = try #require(top.region).corners.map { back.apply($0.x, $0.y) }
    let (width, height) = (Double(file.uprightWidth), Double(file.uprightHeight))
    func share(_ places: [Double], _ side: Double) -> (first: Double, last: Double) {
      (max(0, ((places.min() ?? 0) - side / 5) / side), min(1, ((places.max() ?? 0) + side / 5) / side))
    }
    let (across, down) = (share(corners.map(\.x), width), share(corners.map(\.y), height))
    let part = try #require(PhotoPart(left: across.first, top: down.first, right: across.last, bottom: down.last))
    let reading = try Self.answer(bytes, part).reading
    #expect(reading.topSerial?.serial == top.serial)
    #expect(reading.photoSize == whole.photoSize)
    let region = try #require(reading.topSerial?.region).corners
    for (corner, other) in zip(region, try #require(top.region).corners) {
      #expect(abs(corner.x - other.x) < 12 && abs(corner.y - other.y) < 12, "\(corner) is not at \(other)")
    }
  }

  @Test func readsNothingOutsideThePart() throws {
    let bytes = try Self.bytes("sticker_qr.jpg")
    let read = try #require(Self.answer(bytes, nil).reading.topSerial)
    let region = try #require(read.region).corners
    let size = try Self.answer(bytes, nil).reading.photoSize
    let bottom = ((region.map(\.y).min() ?? 0) / Double(size.height)) - 0.01
    let part = try #require(PhotoPart(left: 0, top: 0, right: 1, bottom: max(0.02, bottom)))
    let serials = try Self.answer(bytes, part).reading.serials
    #expect(serials.allSatisfy { ($0.region?.corners.map(\.y).max() ?? 0) <= bottom * Double(size.height) + 1 })
  }

  @Test func drawsPartIntoWholePhoto() throws {
    let bytes = try Self.bytes("exif_6.jpg")
    let part = try #require(PhotoPart(left: 0.01, top: 0.01, right: 1, bottom: 1))
    let drawn = try EncodedPicture(try #require(Self.answer(bytes, part, drawn: true).annotation))
    let whole = try EncodedPicture(try #require(Self.answer(bytes, nil, drawn: true).annotation))
    #expect(drawn.uploadedWidth == whole.uploadedWidth && drawn.uploadedHeight == whole.uploadedHeight)
  }

  @Test(arguments: ["0,0,1e-9,1e-9", "0.999999,0.999999,1,1", "0,0.5,1,0.500001"])
  func onePixelPartHasNoText(part: String) throws {
    let reading = try Self.answer(try Self.bytes("etched_clean_1.jpg"), try #require(PhotoPart(part))).reading
    #expect(reading.serials.isEmpty && reading.photoSize.width > 100)
  }

  @Test func pixelLimitAppliesToWholePhoto() throws {
    let bytes = try #require(GrayPicture(width: 2000, height: 60, gray: 180).png())
    let request = ReadRequest(timeBudget: 10, limits: PictureLimits(maxPixels: 100_000), part: PhotoPart("0,0,0.1,0.1"))
    #expect(throws: ReadFailure.self) { try makeReader().read(bytes, request) }
  }

  @Test func decodesPartOfLargeJPEGAtNeededSize() throws {
    let bytes = try #require(GrayPicture(width: 12_800, height: 600, gray: 180).jpeg(quality: 80))
    let photo = try Photo(bytes: bytes, limits: PictureLimits(maxPixels: 60_000_000), part: PhotoPart("0.5,0,0.75,1"))
    #expect(photo.longestUploadedSide == 3200)
    #expect(try photo.reduced(toSide: 1600).picture.longestSide == 1600)
    #expect(try photo.full().picture.longestSide == 3200)
  }
}
