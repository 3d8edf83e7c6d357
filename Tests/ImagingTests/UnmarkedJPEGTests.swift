import Imaging
import Testing

/// JPEGs without an end marker, such as Samsung's panoramas: read if they are complete, refused if truncated.
@Suite struct UnmarkedJPEGTests {
  static let files = ["sticker_clean_1.jpg", "screen_medium_1.jpg", "etched_medium_2.jpg"]

  @Test(arguments: files) func readsWholePicture(name: String) throws {
    let file = try testFile(name)
    try #require(file.suffix(2) == [0xFF, 0xD9])
    let picture = try EncodedPicture(file).gray(pixelLimit: 60_000_000).picture
    let unmarked = Array(file.dropLast(2))
    #expect(try EncodedPicture(unmarked).gray(pixelLimit: 60_000_000).picture == picture)
    // The trailer that Samsung's phones append.
    let trailer =
      unmarked + [0, 0, 0x61, 0x0B] + "Panorama_Shot_Info".utf8 + [1, 0, 0xFF, 0x12, 0, 0] + "SEFHe".utf8 + "SEFT".utf8
    #expect(try EncodedPicture(trailer).gray(pixelLimit: 60_000_000).picture == picture)
    let colors = try EncodedPicture(trailer).colors(pixelLimit: 60_000_000, atLeast: 100)
    #expect(try EncodedPicture(file).colors(pixelLimit: 60_000_000, atLeast: 100) == colors)
  }

  @Test(arguments: files) func rejectsTruncatedPicture(name: String) throws {
    let file = try testFile(name)
    // The last byte may hold nothing but padding.
    for cut in [4, 5, 8, 20, 100, 1000, file.count / 10, file.count / 2] {
      #expect(throws: PictureError.self, "\(cut)") {
        try EncodedPicture(Array(file.dropLast(cut))).gray(pixelLimit: 60_000_000)
      }
    }
  }

  @Test func rejectsEveryPrefix() throws {
    let pixels = (0..<40 * 24).map { UInt8(truncatingIfNeeded: $0 * $0 / 7 + $0 * 31) }
    let file = try #require(GrayPicture(width: 40, height: 24, pixels: pixels).jpeg(quality: 80))
    let picture = try EncodedPicture(file).gray(pixelLimit: 10_000).picture
    for length in 0..<file.count {
      let decoded = try? EncodedPicture(Array(file[..<length])).gray(pixelLimit: 10_000)
      #expect(decoded == nil || (length >= file.count - 3 && decoded?.picture == picture), "\(length) of \(file.count)")
    }
    #expect(try EncodedPicture(file.dropLast(2)).gray(pixelLimit: 10_000).picture == picture)
  }
}
