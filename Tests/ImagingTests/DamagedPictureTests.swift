import Foundation
import Imaging
import Testing

/// Damaged files in which a decoder sees no error, and undamaged ones with oddities of real cameras and tools.
@Suite struct DamagedPictureTests {
  private static func file(_ name: String) throws -> [UInt8] {
    let pictures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../testdata/pictures")
    return [UInt8](try Data(contentsOf: pictures.appending(path: name)))
  }

  /// Whether the file is refused, or decoded as damaged.
  private static func isNoticed(_ bytes: [UInt8]) -> Bool {
    (try? EncodedPicture(bytes).gray(pixelLimit: 10_000_000).isDamaged) ?? true
  }

  private static func isWhole(_ bytes: [UInt8]) throws -> Bool {
    try !EncodedPicture(bytes).gray(pixelLimit: 10_000_000).isDamaged
  }

  /// The offset of the first byte after a JPEG's first start-of-scan segment.
  private static func scanStart(_ bytes: [UInt8]) throws -> Int {
    try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xDA]) }) + 14
  }

  @Test func replacedFunctionsTakeEffect() { #expect(DecoderHooks.broken.isEmpty) }

  @Test(arguments: ["format_webp.webp", "format_heic.heic", "format_png.png"])
  func changedByteIsNoticed(name: String) throws {
    let bytes = try Self.file(name)
    #expect(try Self.isWhole(bytes))
    let unnoticed = stride(from: bytes.count / 4, to: bytes.count * 9 / 10, by: bytes.count / 23).filter { place in
      var damaged = bytes
      damaged[place] ^= 0x5A
      return !Self.isNoticed(damaged)
    }
    // Some bits of HEVC data are no more than the signs of a block: what follows is not shifted.
    #expect(unnoticed.count <= (name.hasSuffix("heic") ? 1 : 0), "\(unnoticed)")
  }

  @Test(arguments: ["sticker_clean_1.jpg", "screen_clean_1.jpg"])
  func repeatedOrRemovedJPEGDataAreNoticed(name: String) throws {
    let bytes = try Self.file(name)
    let start = try Self.scanStart(bytes)
    for place in stride(from: start, to: bytes.count - 1500, by: (bytes.count - start) / 12) {
      var longer = bytes
      longer.insert(contentsOf: bytes[place..<place + 1000], at: place)
      #expect(Self.isNoticed(longer), "\(place)")
      var shorter = bytes
      shorter.removeSubrange(place..<place + 1000)
      #expect(Self.isNoticed(shorter), "\(place)")
    }
  }

  /// libjpeg does not warn about so few: they are the data of a block or two that it has not decoded.
  @Test func fewBytesLeftOverInJPEGAreNoticed() throws {
    let bytes = try #require(GrayPicture(width: 64, height: 64, gray: 90).jpeg(quality: 80))
    #expect(try Self.isWhole(bytes))
    #expect(!(try Self.isWhole(bytes.dropLast(2) + [0x12, 0x34, 0xFF, 0xD9])))
    #expect(try Self.isWhole(bytes.dropLast(2) + [0, 0, 0xFF, 0xD9]), "padding")
  }

  @Test func jpegWithOdditiesIsWhole() throws {
    let bytes = try Self.file("sticker_clean_1.jpg")
    let body = Array(bytes.dropLast(2))
    let end: [UInt8] = [0xFF, 0xD9]
    #expect(try Self.isWhole(body + [UInt8](repeating: 0, count: 600) + end), "padding before the end")
    #expect(try Self.isWhole(bytes + bytes), "a second picture")
    #expect(try Self.isWhole(bytes + [UInt8]("trailer".utf8)), "a trailer")
    let table = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xDB]) })
    #expect(try Self.isWhole(bytes[..<table] + [0] + bytes[table...]), "a byte before a segment, as of webcams")
    let version = try #require(bytes.indices.first { bytes[$0...].starts(with: "JFIF\0".utf8) }) + 5
    var later = bytes
    later[version] = 9
    #expect(try Self.isWhole(later), "an unknown version of the header")
  }

  @Test func otherFormatsWithOdditiesAreWhole() throws {
    let webp = try Self.file("format_webp.webp")
    #expect(try Self.isWhole(webp + [UInt8]("trailer".utf8)), "bytes after the file")
    var odd = webp + [0]
    odd[4] &+= 1
    odd[16] &+= 1
    #expect(try Self.isWhole(odd), "a chunk of odd size without padding")
    var exif = webp + Array("EXIF".utf8) + [4, 0, 0, 0, 1, 2, 3, 4]
    exif[4] &+= 12
    #expect(try Self.isWhole(exif), "a chunk after the picture")
    #expect(try Self.isWhole(try Self.file("format_png.png") + [UInt8]("text".utf8)), "text after the end of a PNG")
    #expect(try Self.isWhole(try Self.file("format_heic.heic") + [0, 0, 0, 8] + Array("free".utf8)), "a further box")
  }

  @Test func transparentWebPIsWhite() throws {
    // 16 x 16 transparent pixels, lossless.
    let bytes = [UInt8](try #require(Data(base64Encoded: "UklGRhoAAABXRUJQVlA4TA0AAAAvD8ADEAcQERGIiP4HAA==")))
    #expect(bytes.count == 34)
    let picture = try EncodedPicture(bytes).gray(pixelLimit: 1000)
    #expect(picture.picture.pixels.allSatisfy { $0 == 255 })
  }
}
