import Imaging
import Testing

/// HEIC files whose depth maps, gain maps, thumbnails and metadata refer to several items. They decode to the same picture
/// as a file without them.
@Suite struct HEICTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var references: [HEICShape.Reference]
  }

  static let shapes: [Shape] = [
    Shape(testDescription: "no references", references: []),
    Shape(testDescription: "auxl to the picture", references: [.init(type: "auxl", from: 11, to: [1])]),
    Shape(
      testDescription: "auxl to two items",
      references: [.init(type: "dimg", from: 10, to: [1, 11]), .init(type: "auxl", from: 11, to: [1, 10])]),
    Shape(testDescription: "thmb to two items", references: [.init(type: "thmb", from: 13, to: [1, 10])]),
    Shape(testDescription: "depth map on tmap", references: [.init(type: "auxl", from: 12, to: [10])]),
    Shape(
      testDescription: "thumbnail of a thumbnail",
      references: [
        .init(type: "thmb", from: 13, to: [1]), .init(type: "thmb", from: 12, to: [13]),
      ]),
    Shape(testDescription: "auxl to no item", references: [.init(type: "auxl", from: 11, to: [99])]),
    Shape(testDescription: "iOS 18", references: HEICShape.iOS18),
  ]

  @Test(arguments: shapes) func decodesSinglePicture(_ shape: Shape) throws {
    let sample = try EncodedPicture(try HEICShape.sample()).gray(pixelLimit: 10_000_000)
    for hasLongReferences in [false, true] {
      var file = HEICShape.single(shape.references, further: HEICShape.hdr)
      file.hasLongReferences = hasLongReferences
      let decoded = try EncodedPicture(try file.file()).gray(pixelLimit: 10_000_000)
      #expect(decoded.picture == sample.picture)
    }
  }

  @Test(arguments: shapes) func decodesGrid(_ shape: Shape) throws {
    let sample = try EncodedPicture(try HEICShape.sample()).gray(pixelLimit: 10_000_000).picture
    let encoded = try EncodedPicture(try HEICShape.grid(shape.references, further: HEICShape.hdr).file())
    #expect(encoded.header.width == 2 * HEICShape.width && encoded.header.height == HEICShape.height)
    let decoded = try encoded.gray(pixelLimit: 10_000_000).picture
    #expect(decoded.width == 2 * HEICShape.width && decoded.height == HEICShape.height)
    for x in [0, HEICShape.width] {
      let tile = decoded.cropped(x: x, y: 0, width: HEICShape.width, height: HEICShape.height)
      #expect(tile == sample)
    }
  }

  /// The gain map is a second grid.
  @Test func decodesGridBesideGrid() throws {
    let layout: [UInt8] = [0, 0, 0, 1] + HEICShape.big(2 * HEICShape.width, 2) + HEICShape.big(HEICShape.height, 2)
    let map = HEICShape.Item(
      id: 15, type: "grid", data: layout, properties: [HEICShape.Property.gridSize, HEICShape.Property.gainMap])
    let file = HEICShape.grid(
      HEICShape.iOS18 + [.init(type: "dimg", from: 15, to: [16, 17]), .init(type: "auxl", from: 15, to: [1, 10])],
      further: HEICShape.hdr + [map, HEICShape.Item(id: 16), HEICShape.Item(id: 17)])
    #expect(try EncodedPicture(try file.file()).gray(pixelLimit: 10_000_000).picture.width == 2 * HEICShape.width)
  }

  @Test(arguments: [1, 2, 3]) func appliesRotation(quarters: Int) throws {
    let sample = try EncodedPicture(try HEICShape.sample()).gray(pixelLimit: 10_000_000).picture
    var file = HEICShape.single(HEICShape.iOS18, further: HEICShape.hdr)
    file.quarters = UInt8(quarters)
    let encoded = try EncodedPicture(try file.file())
    let turned = (0..<4 - quarters).reduce(sample) { picture, _ in picture.turnedClockwise() }
    #expect(try encoded.gray(pixelLimit: 10_000_000).picture == turned)
    #expect(encoded.uploadedWidth == turned.width && encoded.uploadedHeight == turned.height)
    var grid = HEICShape.grid(HEICShape.iOS18, further: HEICShape.hdr)
    grid.quarters = UInt8(quarters)
    let decoded = try EncodedPicture(try grid.file()).gray(pixelLimit: 10_000_000).picture
    let isSideways = quarters % 2 == 1
    #expect(decoded.width == (isSideways ? HEICShape.height : 2 * HEICShape.width))
    #expect(decoded.height == (isSideways ? 2 * HEICShape.width : HEICShape.height))
  }

  @Test func enforcesPixelLimit() throws {
    let file = try HEICShape.single(HEICShape.iOS18, further: HEICShape.hdr).file()
    #expect(throws: PictureError.self) { try EncodedPicture(file).gray(pixelLimit: 90_000) }
  }

  /// Truncated boxes, wrong sizes and changed bytes give an error or a picture.
  @Test func rejectsDamagedReferences() throws {
    let file = try HEICShape.single(HEICShape.iOS18, further: HEICShape.hdr).file()
    let start = try #require(file.indices.first { file[$0...].starts(with: "iref".utf8) })
    for place in start - 4..<start + 60 {
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var bytes = file
        bytes[place] = value
        _ = try? EncodedPicture(bytes).gray(pixelLimit: 1_000_000)
      }
    }
    for length in stride(from: 0, to: start + 100, by: 7) {
      _ = try? EncodedPicture(Array(file[..<length])).gray(pixelLimit: 1_000_000)
    }
  }
}
