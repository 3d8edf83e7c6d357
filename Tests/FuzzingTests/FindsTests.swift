import CZXingShim
import Foundation
import MultipartParsing
import PictureHeader
import Testing

/// Inputs found by fuzzing, and files of kinds that once failed: each is passed to every parser of untrusted bytes, as by
/// the fuzzers in `Fuzzing/`.
@Suite struct FindsTests {
  static let finds: [URL] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzzing/finds")
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return files.sorted { $0.path < $1.path }
  }()

  @Test func everyFuzzerHasFinds() {
    for target in ["multipart", "picture_header", "barcodes"] {
      #expect(Self.finds.count { $0.lastPathComponent.hasPrefix("\(target)-") } >= 10, "\(target)")
    }
  }

  /// The events do not depend on the chunks, and the content is no larger than the input.
  @Test(arguments: finds) func multipartParserSurvivesFinds(find: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: find))
    let whole = MultipartEvents(bytes, cutEvery: max(1, bytes.count))
    #expect(whole.ended <= whole.contents.count)
    #expect(whole.contents.reduce(0) { $0 + $1.count } <= bytes.count)
    for step in [1, 2, 3, 7] { #expect(MultipartEvents(bytes, cutEvery: step) == whole, "cut every \(step)") }
    let boundary = MultipartParser.boundary(ofContentType: String(decoding: bytes.prefix(200), as: UTF8.self))
    #expect(boundary?.isEmpty != true)
  }

  /// A header is rejected, or has sizes whose product does not overflow; in memory as from a file.
  @Test(arguments: finds) func pictureHeaderSurvivesFinds(find: URL) throws {
    let fromMemory = Self.header { () throws(PictureHeaderError) in
      try PictureHeader(bytes: [UInt8]((try? Data(contentsOf: find)) ?? Data()))
    }
    #expect(fromMemory == Self.header { () throws(PictureHeaderError) in try PictureHeader(path: find.path) })
    let bytes = [UInt8](try Data(contentsOf: find))
    #expect(HEICReferences.typesBesidePicture(in: bytes).allSatisfy { $0 >= 0 && $0 + 4 <= bytes.count })
    for page in (try? PictureHeader.tiffPages(in: bytes, most: 9)) ?? [] {
      #expect(!page.header.width.multipliedReportingOverflow(by: page.header.height).overflow)
    }
    guard case .success(let header) = fromMemory else { return }
    #expect(header.width > 0 && header.height > 0)
    #expect(!header.width.multipliedReportingOverflow(by: header.height).overflow)
    #expect((1...8).contains(header.orientation))
  }

  private static func header(
    _ read: () throws(PictureHeaderError) -> PictureHeader
  ) -> Result<PictureHeader, PictureHeaderError> {
    do {
      return .success(try read())
    } catch {
      return .failure(error)
    }
  }

  /// Returns codes or nothing: no exception and no failed assertion ends the process.
  @Test(arguments: finds) func barcodeShimSurvivesFinds(find: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: find))
    guard let picture = ShimPicture(bytes) else { return }
    let seen = Seen()
    let count = serialscan_zxing_read(
      picture.pixels, picture.width, picture.height, picture.stride, 50, true,
      { code, context in
        guard let code = code?.pointee, let context else { return }
        Unmanaged<Seen>.fromOpaque(context).takeUnretainedValue().lengths.append(code.text_length)
      }, Unmanaged.passUnretained(seen).toOpaque())
    #expect(count >= -1)
    // Codes found before the library failed do not count.
    if count >= 0 { #expect(seen.lengths.count == Int(count)) }
    #expect(seen.lengths.allSatisfy { $0 < 10_000 })
  }

  private final class Seen {
    var lengths: [Int] = []
  }

  @Test func readsCodesInFinds() throws {
    let find = try #require(Self.finds.first { $0.lastPathComponent == "barcodes-code-on-several-lines" })
    let picture = try #require(ShimPicture([UInt8](try Data(contentsOf: find))))
    let count = serialscan_zxing_read(
      picture.pixels, picture.width, picture.height, picture.stride, 50, true, { _, _ in }, nil)
    #expect(count == 1)
  }
}

/// The result of parsing a body.
private struct MultipartEvents: Equatable {
  var parts: [PartHeaders] = []
  var contents: [[UInt8]] = []
  var ended = 0
  var error: MultipartError?

  init(_ bytes: [UInt8], cutEvery step: Int) {
    var parser = MultipartParser(boundary: "b")
    do {
      for start in stride(from: 0, to: bytes.count, by: step) {
        try Array(bytes[start..<min(bytes.count, start + step)]).withUnsafeBytes { chunk in
          try parser.push(chunk) { take($0) }
        }
      }
      try parser.finish()
    } catch {
      self.error = error as? MultipartError
    }
  }

  private mutating func take(_ event: MultipartParser.Event) {
    switch event {
    case .begin(let headers):
      parts.append(headers)
      contents.append([])
    case .content(let content): contents[contents.count - 1] += Array(content)
    case .end: ended += 1
    }
  }
}

/// Bytes as a picture, as in `Fuzzing/barcodes.cpp`.
private struct ShimPicture {
  var pixels: [UInt8]
  var width: Int32
  var height: Int32
  var stride: Int32

  /// Nil if there are no pixels for a row.
  init?(_ bytes: [UInt8]) {
    guard bytes.count > 4 else { return nil }
    width = 1 + Int32(bytes[0]) + 4 * Int32(bytes[1])
    stride = width + Int32(bytes[2] & 7)
    let content = bytes.dropFirst(4)
    pixels =
      bytes[3] & 1 == 0
      ? Array(content) : content.flatMap { byte in (0..<8).map { byte >> $0 & 1 == 1 ? 255 : 0 } }
    height = Int32(pixels.count) / stride
    guard height > 0 else { return nil }
  }
}
