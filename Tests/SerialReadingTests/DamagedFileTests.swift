import Foundation
import ScanModel
import SerialReading
import Testing

/// What is read in a damaged file that can be decoded needs review, however clear it looks.
@Suite struct DamagedFileTests {
  private static func file(_ name: String) throws -> [UInt8] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../testdata/pictures/\(name)")
    return Array(try Data(contentsOf: path))
  }

  private static func expectReview(_ reading: Reading, _ comment: Comment) throws {
    #expect(reading.verdict != .accepted, comment)
    for read in reading.serials {
      #expect(read.verdict != .accepted && read.confidence < 0.9, comment)
      #expect(read.doubts?.first?.code == "damaged_file", comment)
    }
    #expect(reading.notes.contains { $0.contains("damaged") }, comment)
  }

  /// A repeated run of the coded data cuts the E of J9LDLRBE3382, so that it looks like an F.
  @Test func repeatedDataGiveNoAcceptedSerial() throws {
    let reader = try makeReader()
    var bytes = try Self.file("format_webp.webp")
    #expect(try reader.reading(of: bytes).verdict == .accepted)
    bytes.insert(contentsOf: bytes[3712..<4380], at: 4380)
    try Self.expectReview(try reader.reading(of: bytes), "WebP")
  }

  @Test func damageBesideSerialNeedsReview() throws {
    let reader = try makeReader()
    var heic = try Self.file("format_heic.heic")
    heic[heic.count - 263] ^= 0x10
    let reading = try reader.reading(of: heic)
    #expect(!reading.serials.isEmpty)
    try Self.expectReview(reading, "HEIC")
    let jpeg = try Self.file("sticker_clean_1.jpg")
    let shorter = Array(jpeg[..<(jpeg.count - 3000)] + jpeg[(jpeg.count - 2000)...])
    let request = ReadRequest(timeBudget: 10, limits: PictureLimits(maxPixels: 10_000_000), wantsEverySerial: true)
    try Self.expectReview(try reader.read(shorter, request).reading, "JPEG, every serial")
  }
}
