import PictureHeader
import Testing

/// The steps of parsing a header: twice the hostile bytes cost at most twice the steps, and their number is bounded for
/// any file.
@Suite struct HeaderWorkTests {
  /// A kind of hostile file whose size can be doubled.
  struct Kind: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// A number of repetitions that stays below all limits when doubled.
    var count: Int
    /// A number of repetitions for megabytes, beyond all limits.
    var most: Int
    var make: @Sendable (Int) -> [UInt8]
  }

  static let kinds = [
    Kind(testDescription: "HEIC associations of one item", count: 8, most: 4000) { count in
      heic(tables: [association(id: 1, of: Array(repeating: 0x81, count: 250), times: count)])
    },
    Kind(testDescription: "HEIC associations of other items", count: 1000, most: 340_000) { count in
      heic(tables: [association(id: 2, of: [], times: count)])
    },
    Kind(testDescription: "HEIC items named again without a property", count: 1000, most: 340_000) { count in
      heic(tables: [association(id: 1, of: [0x81], times: 1) + association(id: 1, of: [], times: count)])
    },
    Kind(testDescription: "HEIC tables of associations", count: 2, most: 50_000) { count in
      heic(tables: Array(repeating: association(id: 1, of: [0x81], times: 1), count: count))
    },
    Kind(testDescription: "HEIC properties", count: 1000, most: 100_000) { heic(properties: $0) },
    Kind(testDescription: "HEIC boxes beside the picture", count: 1000, most: 200_000) { count in
      heic() + Array(repeatElement(box("free", []), count: count).joined())
    },
    Kind(testDescription: "HEIC meta boxes", count: 1000, most: 4000) { count in
      heic() + Array(repeatElement(box("meta", Array(repeating: 0, count: 300)), count: count).joined())
    },
    Kind(testDescription: "JPEG segments before the scan", count: 1000, most: 400_000) { count in
      jpeg(before: Array(repeatElement(segment(0xE5, [1]), count: count).joined()))
    },
    Kind(testDescription: "JPEG segments of EXIF", count: 1000, most: 20_000) { count in
      let directory = Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 4, 0] + Array(repeating: 0, count: 48)
      return jpeg(before: Array(repeatElement(segment(0xE1, directory), count: count).joined()))
    },
    Kind(testDescription: "JPEG scans", count: 40, most: 200_000) { count in
      jpeg(after: Array(repeatElement(segment(0xDA, [1, 1, 0, 0, 0, 0]) + [0x12], count: count).joined()))
    },
    Kind(testDescription: "JPEG tables between scans", count: 400, most: 400_000) { count in
      jpeg(after: Array(repeatElement(segment(0xC4, []), count: count).joined()))
    },
    Kind(testDescription: "JPEG without an end", count: 100_000, most: 4_000_000) { count in
      jpeg(after: Array(repeating: 0x41, count: count))
    },
    Kind(testDescription: "JPEG of blocks without an end", count: 100_000, most: 4_000_000) { count in
      baseline(Array(repeating: 0, count: count))
    },
    Kind(testDescription: "JPEG of restarts without an end", count: 10_000, most: 1_000_000) { count in
      baseline(restartEvery: 1, (0..<count).flatMap { [0x3F, 0xFF, 0xD0 | UInt8($0 % 8)] })
    },
    Kind(testDescription: "JPEG of Huffman tables without an end", count: 10, most: 20_000) { count in
      baseline(tables: Array(repeatElement(segment(0xC4, table(0)), count: count).joined()), [0, 0])
    },
    Kind(testDescription: "PNG chunks", count: 1000, most: 300_000) { count in
      png(Array(repeatElement(chunk("tEXt", [1]), count: count).joined()))
    },
    Kind(testDescription: "PNG chunks of EXIF", count: 1000, most: 20_000) { count in
      let directory = Array("II*\0".utf8) + [8, 0, 0, 0, 4, 0] + Array(repeating: 0, count: 48)
      return png(Array(repeatElement(chunk("eXIf", directory), count: count).joined()))
    },
    Kind(testDescription: "TIFF entries", count: 1000, most: 65_535) { count in
      Array("II*\0".utf8) + [8, 0, 0, 0, UInt8(count & 0xFF), UInt8(count >> 8)]
        + Array(repeatElement([0, 1, 4, 0, 1, 0, 0, 0, 9, 0, 0, 0], count: count).joined())
    },
    Kind(testDescription: "WebP chunks", count: 1000, most: 300_000) { count in
      webP(Array(repeatElement(Array("ICCP".utf8) + [2, 0, 0, 0, 1, 1], count: count).joined()))
    },
  ]

  @Test(arguments: kinds) func doubleFileCostsAtMostDoubleWork(_ kind: Kind) {
    let once = PictureHeader.steps(toRead: kind.make(kind.count))
    let twice = PictureHeader.steps(toRead: kind.make(2 * kind.count))
    #expect(once > 0 && twice <= 2 * once, "\(once), then \(twice)")
  }

  /// Also beyond the limits, and for any length.
  @Test(arguments: kinds) func boundsWorkForLargestFile(_ kind: Kind) {
    let bytes = kind.make(kind.most)
    let steps = PictureHeader.steps(toRead: bytes)
    #expect(steps <= 200_001 + bytes.count / 64, "\(steps) steps for \(bytes.count) bytes")
  }

  /// The file that once took 52 s: half a million associations, then thousands of small tables beside them.
  @Test func rejectsDuplicateTables() {
    let large = association(id: 1, of: Array(repeating: 0x81, count: 255), times: 2000)
    let small = Array(repeating: association(id: 1, of: [0x81], times: 1), count: 20_000)
    let bytes = Self.heic(tables: [large] + small)
    #expect(throws: PictureHeaderError.self) { try PictureHeader(bytes: bytes) }
    #expect(PictureHeader.steps(toRead: bytes) < 100_000)
  }

  /// Decoders use the first `meta` box: a second one can't change the size.
  @Test func usesFirstMetaBox() throws {
    let second = box("meta", [0, 0, 0, 0] + box("iprp", box("ipco", ispe(1, 1))))
    #expect(try PictureHeader(bytes: Self.heic() + second).width == 20)
  }
}

// Minimal hostile files.

extension HeaderWorkTests {
  fileprivate static func heic(properties: Int = 1, tables: [[UInt8]] = []) -> [UInt8] {
    let sizes = Array(repeatElement(ispe(20, 10), count: properties).joined())
    let associations = tables.map { box("ipma", [0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF] + $0) }.joined()
    let content = box("pitm", [0, 0, 0, 0, 0, 1]) + box("iprp", box("ipco", sizes) + associations)
    return box("ftyp", Array("heic\0\0\0\0heic".utf8)) + box("meta", [0, 0, 0, 0] + content) + box("mdat", [1])
  }

  fileprivate static func jpeg(before: [UInt8] = [], after: [UInt8] = []) -> [UInt8] {
    [0xFF, 0xD8] + before + segment(0xC2, [8, 0, 10, 0, 20, 3, 1, 0x11, 0]) + segment(0xDA, [1, 1, 0, 0, 0, 0]) + after
      + [0xFF, 0xD9]
  }

  /// A baseline picture whose blocks are two bits each, without an end-of-image marker.
  fileprivate static func baseline(
    tables: [UInt8] = [], restartEvery interval: UInt8 = 0, _ data: [UInt8]
  ) -> [UInt8] {
    [0xFF, 0xD8] + segment(0xC0, [8, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1, 0x11, 0]) + segment(0xDD, [0, interval]) + tables
      + segment(0xC4, table(0) + table(0x10)) + segment(0xDA, [1, 1, 0, 0, 63, 0]) + data
  }

  /// A table with one code, of one bit, for 0.
  fileprivate static func table(_ kind: UInt8) -> [UInt8] { [kind, 1] + [UInt8](repeating: 0, count: 15) + [0] }

  fileprivate static func png(_ chunks: [UInt8]) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", [0, 0, 0, 20, 0, 0, 0, 10, 8, 2, 0, 0, 0]) + chunks
      + chunk("IDAT", [1]) + chunk("tEXt", [1])
  }

  fileprivate static func webP(_ chunks: [UInt8]) -> [UInt8] {
    let body = Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 8, 0, 0, 0, 19, 0, 0, 9, 0, 0] + chunks
    return Array("RIFF".utf8) + big(body.count).reversed() + body
  }
}

private func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }

private func box(_ type: String, _ content: [UInt8]) -> [UInt8] { big(content.count + 8) + type.utf8 + content }

private func ispe(_ width: Int, _ height: Int) -> [UInt8] { box("ispe", [0, 0, 0, 0] + big(width) + big(height)) }

private func association(id: UInt8, of properties: [UInt8], times: Int) -> [UInt8] {
  Array(repeatElement([0, id, UInt8(properties.count)] + properties, count: times).joined())
}

private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
  [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
}

private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
  big(content.count) + type.utf8 + content + [0, 0, 0, 0]
}
