import Foundation
import PictureHeader
import Testing

/// Covers: format, size and orientation of each format from constructed bytes; files truncated at every byte; random
/// changes; files that are not pictures; impossible sizes; real photos in the folder that SERIALSCAN_PHOTOS names.
@Suite struct PictureHeaderTests {
  @Test(arguments: Sample.all)
  func readsFormatSizeAndOrientation(_ sample: Sample) throws {
    #expect(try PictureHeader(bytes: sample.bytes) == sample.header)
  }

  @Test(arguments: Sample.all)
  func rejectsEveryPrefix(_ sample: Sample) {
    let mustEnd: Set<PictureHeader.Format> = [.jpeg, .png, .webp, .heic]
    for length in 0..<sample.bytes.count {
      let header = try? PictureHeader(bytes: Array(sample.bytes[..<length]))
      if mustEnd.contains(sample.header.format), !sample.isWholeWithout(last: sample.bytes.count - length) {
        #expect(header == nil, "\(sample.name) cut to \(length) of \(sample.bytes.count) bytes")
      }
    }
  }

  @Test(arguments: Sample.all)
  func survivesChangedBytes(_ sample: Sample) {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var bytes = sample.bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let header = try? PictureHeader(bytes: bytes) {
        #expect(header.width > 0 && header.height > 0 && (1...8).contains(header.orientation))
      }
    }
  }

  @Test func reportsFormatsThatAreNotPictures() {
    #expect(throws: PictureHeaderError.empty) { try PictureHeader(bytes: []) }
    #expect(throws: PictureHeaderError.unsupported(nil)) { try PictureHeader(bytes: Array("hello, world".utf8)) }
    #expect(throws: PictureHeaderError.unsupported("PDF")) { try PictureHeader(bytes: Array("%PDF-1.7".utf8)) }
    #expect(throws: PictureHeaderError.unsupported("GIF")) { try PictureHeader(bytes: Array("GIF89a".utf8)) }
    #expect(throws: PictureHeaderError.unreadable) { try PictureHeader(path: "/nowhere/at/all.jpg") }
  }

  @Test func detectsTruncatedJPEG() {
    let whole = Sample.jpeg.bytes
    #expect(throws: PictureHeaderError.truncated) { try PictureHeader(bytes: Array(whole.dropLast(2))) }
  }

  /// Some webcams write bytes between segments, which libjpeg skips with a warning.
  @Test func skipsFewBytesBetweenSegments() throws {
    let bytes = Sample.jpeg.bytes
    let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
    func jpeg(_ between: [UInt8]) -> [UInt8] { bytes[..<frame] + between + bytes[frame...] }
    for between in [[0], [0x12, 0x34, 0xFF, 0xFF], [UInt8](repeating: 0, count: 16)] {
      #expect(try PictureHeader(bytes: jpeg(between)).width == 4032)
    }
    #expect(throws: PictureHeaderError.self) { try PictureHeader(bytes: jpeg([UInt8](repeating: 0, count: 17))) }
    #expect(throws: PictureHeaderError.self) { try PictureHeader(bytes: jpeg([0xFF, 0])) }
  }

  /// Ten blocks of two bits each, then padding: 20 bits and 4 of ones.
  @Test func findsEndOfJPEGWithoutEndMarker() throws {
    func jpeg(_ data: [UInt8], frame: UInt8 = 0xC0) -> [UInt8] {
      func table(_ kind: UInt8) -> [UInt8] { [kind, 1] + [UInt8](repeating: 0, count: 15) + [0] }
      return [0xFF, 0xD8] + Sample.segment(frame, [8] + Sample.big(16, 2) + Sample.big(40, 2) + [1, 1, 0x11, 0])
        + Sample.segment(0xC4, table(0) + table(0x10)) + Sample.segment(0xDA, [1, 1, 0, 0, 63, 0]) + data
    }
    let whole = jpeg([0, 0, 0x0F])
    let header = try PictureHeader(bytes: whole)
    #expect(header.width == 40 && header.height == 16 && header.unmarkedEnd == whole.count)
    #expect(try PictureHeader(bytes: whole + Array("SEFT".utf8)).unmarkedEnd == whole.count)
    #expect(try PictureHeader(bytes: whole + [0xFF, 0xD9]).unmarkedEnd == nil)
    #expect(throws: PictureHeaderError.truncated) { try PictureHeader(bytes: jpeg([0, 0])) }
    #expect(throws: PictureHeaderError.truncated) { try PictureHeader(bytes: jpeg([0, 0xFF])) }
    #expect(throws: PictureHeaderError.truncated) { try PictureHeader(bytes: jpeg([0, 0, 0x0F], frame: 0xC2)) }
  }

  @Test func findsUnusedReferences() {
    let references = ["dimg", "auxl", "thmb", "cdsc"].map { Sample.box($0, [0, 1, 0, 1, 0, 2]) }.joined()
    let iref = Sample.box("iref", [0, 0, 0, 0] + references)
    let file = Sample.box("ftyp", Array("heic".utf8)) + Sample.box("meta", [0, 0, 0, 0] + iref)
    let types = HEICReferences.typesBesidePicture(in: file).map { String(decoding: file[$0..<$0 + 4], as: UTF8.self) }
    #expect(types == ["auxl", "thmb", "cdsc"])
    for length in 0..<file.count {
      #expect(HEICReferences.typesBesidePicture(in: Array(file[..<length])).isEmpty)
    }
    let many = Sample.box("iref", [0, 0, 0, 0] + Array(repeatElement(references, count: 20_000).joined()))
    #expect(HEICReferences.typesBesidePicture(in: Sample.box("meta", [0, 0, 0, 0] + many)).isEmpty)
  }

  @Test func findsEndOfJPEGBeforeTrailer() throws {
    let withFilm = Sample.jpeg.bytes + Array(repeating: 0x41, count: 300_000)
    #expect(try PictureHeader(bytes: withFilm).width == 4032)
  }

  /// A decoder processes the whole picture for each scan. Also covers a first scan that announces others, and scans hidden
  /// after a marker without a length.
  @Test(arguments: [UInt8(0xC2), 0xC0])
  func rejectsJPEGWithTooManyScans(frame: UInt8) throws {
    func jpeg(scans: Int, hidden: [UInt8] = []) -> [UInt8] {
      let first = [0xFF, 0xD8] + Sample.segment(frame, [8] + Sample.big(10, 2) + Sample.big(20, 2) + [3, 1, 0x11, 0])
      let scan = hidden + Sample.segment(0xDA, [1, 1, 0, 0, 0, 0]) + [0x12]
      return first + Array(repeatElement(scan, count: scans).joined()) + [0xFF, 0xD9]
    }
    #expect(try PictureHeader(bytes: jpeg(scans: 60)).width == 20)
    let error = PictureHeaderError.damaged("it has more scans than any photo")
    #expect(throws: error) { try PictureHeader(bytes: jpeg(scans: 101)) }
    #expect(throws: error) { try PictureHeader(bytes: jpeg(scans: 5000)) }
    #expect(throws: error) { try PictureHeader(bytes: jpeg(scans: 101, hidden: [0xFF, 0x01])) }
    let tables = Array(repeatElement(Sample.segment(0xC4, []), count: 2000).joined())
    #expect(throws: error) { try PictureHeader(bytes: jpeg(scans: 2, hidden: tables)) }
  }

  @Test func reportsAnimationAsUnsupported() {
    var webP = Sample.webPExtended.bytes
    webP[20] |= 0x02
    #expect(throws: PictureHeaderError.unsupported("an animated WebP")) { try PictureHeader(bytes: webP) }
  }

  @Test func rejectsImpossibleSizes() {
    var png = Sample.png.bytes
    png.replaceSubrange(16..<24, with: [UInt8](repeating: 0xFF, count: 8))
    #expect(throws: PictureHeaderError.self) { try PictureHeader(bytes: png) }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["SERIALSCAN_PHOTOS"] != nil, "skipped: no SERIALSCAN_PHOTOS"))
  func readsRealPhotos() throws {
    let folder = ProcessInfo.processInfo.environment["SERIALSCAN_PHOTOS"] ?? ""
    let photos = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jpg") }
    #expect(!photos.isEmpty)
    for photo in photos {
      let header = try PictureHeader(path: "\(folder)/\(photo)")
      #expect(header.format == .jpeg && header.pixelCount > 100_000, "\(photo)")
    }
  }
}

/// A small file with its expected header. Its pixels are arbitrary and never decoded.
struct Sample: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var header: PictureHeader

  var testDescription: String { name }

  /// Whether the picture is complete without its last bytes: only those after a PNG's IEND name.
  func isWholeWithout(last count: Int) -> Bool { header.format == .png && count <= 4 }

  static let all = [jpeg, progressiveJPEG, png, webPLossy, webPLossless, webPExtended, tiffLittle, tiffBig, heic]

  static let jpeg = Sample(
    name: "jpeg",
    bytes: [0xFF, 0xD8] + segment(0xE1, Array("Exif\0\0".utf8) + tiff([(274, 6)], littleEndian: false))
      + segment(0xC0, [8] + big(3024, 2) + big(4032, 2) + [1, 1, 0x11, 0]) + segment(0xDA, [1, 1, 0, 0, 63, 0])
      + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD3, 0x56, 0xFF, 0xD9],
    header: PictureHeader(format: .jpeg, width: 4032, height: 3024, orientation: 6))

  static let progressiveJPEG = Sample(
    name: "progressive jpeg",
    bytes: [0xFF, 0xD8] + segment(0xC2, [8] + big(10, 2) + big(20, 2) + [1, 1, 0x11, 0])
      + segment(0xDA, [1, 1, 0, 0, 0, 0]) + [0x12, 0x34] + segment(0xC4, Array(repeating: 0xFF, count: 20))
      + segment(0xDA, [1, 1, 0, 1, 63, 0]) + [0x56, 0xFF, 0xD9],
    header: PictureHeader(format: .jpeg, width: 20, height: 10))

  static let png = Sample(
    name: "png",
    bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", big(640, 4) + big(480, 4) + [8, 2, 0, 0, 0])
      + chunk("eXIf", tiff([(274, 3)], littleEndian: true)) + chunk("IDAT", [1, 2, 3]) + chunk("IEND", []),
    header: PictureHeader(format: .png, width: 640, height: 480, orientation: 3))

  static let webPLossy = Sample(
    name: "webp lossy", bytes: riff("VP8 ", [0, 0, 0, 0x9D, 0x01, 0x2A] + little(300, 2) + little(200, 2)),
    header: PictureHeader(format: .webp, width: 300, height: 200))

  static let webPLossless = Sample(
    name: "webp lossless", bytes: riff("VP8L", [0x2F] + little(299 | 199 << 14, 4) + [0, 0, 0, 0, 0]),
    header: PictureHeader(format: .webp, width: 300, height: 200))

  static let webPExtended = Sample(
    name: "webp extended",
    bytes: riff(
      "VP8X", [8, 0, 0, 0] + little(299, 3) + little(199, 3),
      then: Array("EXIF".utf8) + little(26, 4) + tiff([(274, 8)], littleEndian: true)),
    header: PictureHeader(format: .webp, width: 300, height: 200, orientation: 8))

  static let tiffLittle = Sample(
    name: "tiff, Intel", bytes: tiff([(256, 800), (257, 600), (274, 5)], littleEndian: true),
    header: PictureHeader(format: .tiff, width: 800, height: 600, orientation: 5))

  static let tiffBig = Sample(
    name: "tiff, Motorola", bytes: tiff([(256, 800), (257, 600)], littleEndian: false),
    header: PictureHeader(format: .tiff, width: 800, height: 600))

  /// A tile (property 1), the whole picture (2) turned by 270 degrees counter-clockwise (3).
  static let heic = Sample(
    name: "heic",
    bytes: box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8))
      + box(
        "meta",
        [0, 0, 0, 0] + box("pitm", [0, 0, 0, 0] + big(49, 2))
          + box(
            "iprp",
            box(
              "ipco",
              box("ispe", [0, 0, 0, 0] + big(512, 4) + big(512, 4))
                + box("ispe", [0, 0, 0, 0] + big(4032, 4) + big(3024, 4)) + box("irot", [3]))
              + box("ipma", [0, 0, 0, 0] + big(2, 4) + big(1, 2) + [1, 1] + big(49, 2) + [2, 2, 0x83]))
      ) + box("mdat", [1, 2, 3]),
    header: PictureHeader(format: .heic, width: 4032, height: 3024, orientation: 6))

  static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + big(content.count + 2, 2) + content
  }

  static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count, 4) + Array(type.utf8) + content + [0, 0, 0, 0]
  }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + Array(type.utf8) + content
  }

  static func riff(_ type: String, _ content: [UInt8], then rest: [UInt8] = []) -> [UInt8] {
    let chunks = Array(type.utf8) + little(content.count, 4) + content + rest
    return Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
  }

  static func tiff(_ entries: [(tag: Int, value: Int)], littleEndian: Bool) -> [UInt8] {
    let number = littleEndian ? little : big
    var bytes: [UInt8] = Array((littleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
    bytes += number(entries.count, 2)
    for entry in entries {
      bytes += number(entry.tag, 2) + number(3, 2) + number(1, 4) + number(entry.value, 2) + [0, 0]
    }
    return bytes + number(0, 4)
  }
}
