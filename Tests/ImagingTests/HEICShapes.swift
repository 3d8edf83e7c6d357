import Foundation

/// HEIC files as phones structure them, with the coded picture of `testdata/pictures/format_heic.heic`.
struct HEICShape {
  /// An item: coded (`hvc1`), or derived with its parameters in `data`.
  struct Item {
    var id: Int
    var type = "hvc1"
    /// Its own bytes; nil for the coded picture.
    var data: [UInt8]?
    /// One-based indices of its properties.
    var properties: [UInt8] = [Property.coded, Property.size]
  }

  /// References of one type from one item to others.
  struct Reference {
    var type: String
    var from: Int
    var to: [Int]
  }

  /// Places of the properties in a file of these shapes.
  enum Property {
    static let coded: UInt8 = 1
    static let size: UInt8 = 2
    static let gridSize: UInt8 = 3
    static let gainMap: UInt8 = 4
    static let depth: UInt8 = 5
    static let turn: UInt8 = 6
  }

  /// Size of the coded picture.
  static let (width, height) = (520, 180)

  var items: [Item]
  var references: [Reference]
  var primary = 1
  /// Quarters that the picture is turned by, anticlockwise.
  var quarters: UInt8 = 0
  /// Whether references have identifiers of four bytes.
  var hasLongReferences = false

  /// A single picture.
  static func single(_ references: [Reference], further: [Item] = []) -> HEICShape {
    HEICShape(items: [Item(id: 1)] + further, references: references)
  }

  /// A picture of two tiles, 2 and 3, side by side.
  static func grid(_ references: [Reference], further: [Item] = []) -> HEICShape {
    let layout: [UInt8] = [0, 0, 0, 1] + big(2 * width, 2) + big(height, 2)
    return HEICShape(
      items: [Item(id: 1, type: "grid", data: layout, properties: [Property.gridSize]), Item(id: 2), Item(id: 3)]
        + further,
      references: [Reference(type: "dimg", from: 1, to: [2, 3])] + references)
  }

  /// An HDR form of the picture: item 10, made of it and a gain map, item 11; a depth map, 12; a thumbnail, 13; metadata, 14.
  static let hdr = [
    Item(id: 10, type: "tmap", data: [UInt8](repeating: 0, count: 62), properties: [Property.size]),
    Item(id: 11, properties: [Property.coded, Property.size, Property.gainMap]),
    Item(id: 12, properties: [Property.coded, Property.size, Property.depth]), Item(id: 13),
    Item(id: 14, type: "Exif", data: [0, 0, 0, 0] + "II*\0".utf8 + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0], properties: []),
  ]

  /// The references of such items, as iPhones write them since iOS 18.
  static let iOS18 = [
    Reference(type: "dimg", from: 10, to: [1, 11]), Reference(type: "auxl", from: 11, to: [1, 10]),
    Reference(type: "auxl", from: 12, to: [10]), Reference(type: "thmb", from: 13, to: [1, 10]),
    Reference(type: "cdsc", from: 14, to: [1, 10, 11]),
  ]

  func file() throws -> [UInt8] {
    let sample = try Self.sample()
    let configuration = try Self.box("hvcC", in: sample)
    let coded = try Self.box("mdat", in: sample).dropFirst(8)
    let contents = items.map { $0.data ?? Array(coded) }
    let head = Self.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heictmap".utf8))
    // The size of the box does not depend on the offsets it holds.
    let size = meta(configuration, contents.map { (0, $0.count) }).count
    var place = head.count + size + 8
    let extents = contents.map { content in
      defer { place += content.count }
      return (place, content.count)
    }
    return head + meta(configuration, extents) + Self.box("mdat", Array(contents.joined()))
  }

  private func meta(_ configuration: [UInt8], _ extents: [(place: Int, size: Int)]) -> [UInt8] {
    let full: [UInt8] = [0, 0, 0, 0]
    func ispe(_ width: Int) -> [UInt8] { Self.box("ispe", full + Self.big(width, 4) + Self.big(Self.height, 4)) }
    func auxC(_ name: String) -> [UInt8] { Self.box("auxC", full + Array(name.utf8) + [0]) }
    let properties =
      configuration + ispe(Self.width) + ispe(2 * Self.width) + auxC("urn:com:apple:photo:2020:aux:hdrgainmap")
      + auxC("urn:mpeg:hevc:2015:auxid:2") + Self.box("irot", [quarters])
    let associations = items.map { item in
      let used = item.properties + (item.id == primary && quarters != 0 ? [Property.turn | 0x80] : [])
      return Self.big(item.id, 2) + [UInt8(used.count)] + used
    }
    let entries = items.map { item in
      Self.box("infe", [2, 0, 0, 0] + Self.big(item.id, 2) + [0, 0] + Array(item.type.utf8) + [0])
    }
    let locations = zip(items, extents).map { item, extent in
      Self.big(item.id, 2) + [0, 0, 0, 1] + Self.big(extent.place, 4) + Self.big(extent.size, 4)
    }
    let size = hasLongReferences ? 4 : 2
    let linked = references.map { reference in
      Self.box(
        reference.type,
        Self.big(reference.from, size) + Self.big(reference.to.count, 2)
          + reference.to.flatMap { Self.big($0, size) })
    }
    let count = Self.big(items.count, 2)
    return Self.box(
      "meta",
      full + Self.box("hdlr", full + full + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        + Self.box("pitm", full + Self.big(primary, 2))
        + Self.box("iloc", full + [0x44, 0] + count + locations.joined())
        + Self.box("iinf", full + count + entries.joined())
        + Self.box("iref", [hasLongReferences ? 1 : 0, 0, 0, 0] + linked.joined())
        + Self.box(
          "iprp",
          Self.box("ipco", properties) + Self.box("ipma", full + [0, 0] + count + associations.joined())))
  }

  /// The file with the coded picture.
  static func sample() throws -> [UInt8] { try testFile("format_heic.heic") }

  /// The first box of a type, found by its four letters.
  private static func box(_ type: String, in file: [UInt8]) throws -> [UInt8] {
    struct NoSuchBox: Error {}
    guard let start = file.indices.first(where: { file[$0...].starts(with: type.utf8) }), start >= 4 else {
      throw NoSuchBox()
    }
    let size = file[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
    return Array(file[start - 4..<start - 4 + size])
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + type.utf8 + content
  }

  static func big(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

/// A file of `testdata/pictures`.
func testFile(_ name: String) throws -> [UInt8] {
  let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../testdata/pictures/\(name)")
  return Array(try Data(contentsOf: file))
}
