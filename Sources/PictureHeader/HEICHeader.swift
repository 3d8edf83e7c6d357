/// Reads HEIC headers (ISO/IEC 23008-12): the primary item's size (`ispe`), rotation (`irot`) and mirroring (`imir`) in
/// the `meta` box.
enum HEICHeader {
  /// Brands of pictures coded with HEVC. `mif1` and `msf1` only name the container: a file that also has the brand
  /// `avif` is AVIF.
  private static let brands: Set<String> = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
  /// The maximum number of boxes on one level; a photo has about ten.
  private static let boxLimit = 4096
  /// The maximum number of properties in total, and of one item; a photo with many tiles has fewer than a hundred.
  private static let propertyLimit = 4096
  /// The maximum size of a `meta` box in bytes: a photo's takes a few kilobytes, and that of a tiled photo is far below
  /// this limit.
  private static let metaLimit = 1 << 20

  private struct Box {
    var type: String
    /// The offset of the type's four letters in its source.
    var typePlace: Int
    /// The offset of the content in its source.
    var start: Int
    /// The offset after the content.
    var end: Int
  }

  static func read(_ source: MeteredSource) throws(PictureHeaderError) -> PictureHeader {
    var offset = 0
    var isSupported = false
    var holdsPixels = false
    var header: PictureHeader?
    for _ in 0..<boxLimit where offset < source.size {
      let box = try self.box(source, at: offset, limit: source.size)
      switch box.type {
      case "ftyp": isSupported = try hasSupportedBrand(source, box)
      case "mdat": holdsPixels = true
      case "meta":
        guard box.end - box.start <= metaLimit else { throw .damaged("its meta box is far too long") }
        // A file has one `meta` box; decoders use the first.
        if header != nil { break }
        let content = try source.bytes(at: box.start, count: box.end - box.start)
        header = try primaryItem(MeteredSource(content, of: source))
      default: break
      }
      if offset == 0, !isSupported { throw .unsupported("AVIF or a film") }
      offset = box.end
    }
    guard let header else { throw .damaged("it has no meta box") }
    guard holdsPixels else { throw .truncated }
    return header
  }

  /// Returns the file offsets of the types of all references in the first `meta` box, except those of one type.
  static func referenceTypes(_ source: MeteredSource, except kept: String) throws(PictureHeaderError) -> [Int] {
    var offset = 0
    for _ in 0..<boxLimit where offset < source.size {
      let box = try self.box(source, at: offset, limit: source.size)
      offset = box.end
      guard box.type == "meta" else { continue }
      guard box.end - box.start <= metaLimit else { throw .damaged("its meta box is far too long") }
      let meta = MeteredSource(try source.bytes(at: box.start, count: box.end - box.start), of: source)
      var places: [Int] = []
      // Both boxes begin with a version and flags.
      for tables in try children(meta, from: 4, to: meta.size) where tables.type == "iref" {
        for reference in try children(meta, from: tables.start + 4, to: tables.end) where reference.type != kept {
          places.append(box.start + reference.typePlace)
        }
      }
      return places
    }
    return []
  }

  private static func box(_ source: MeteredSource, at offset: Int, limit: Int) throws(PictureHeaderError) -> Box {
    let head = source.read(at: offset, count: 16)
    guard var length = head.bigEndian(at: 0, count: 4), head.count >= 8 else { throw .truncated }
    var headSize = 8
    if length == 1 {
      guard head.count == 16, head[8] == 0, let long = head.bigEndian(at: 9, count: 7) else {
        throw .damaged("a box has an impossible length")
      }
      length = long
      headSize = 16
    } else if length == 0 {
      length = limit - offset
    }
    guard length >= headSize else { throw .damaged("a box has an impossible length") }
    guard length <= limit - offset else { throw .truncated }
    return Box(
      type: String(decoding: head[4..<8], as: UTF8.self), typePlace: offset + 4, start: offset + headSize,
      end: offset + length)
  }

  private static func hasSupportedBrand(_ source: MeteredSource, _ box: Box) throws(PictureHeaderError) -> Bool {
    let content = try source.bytes(at: box.start, count: min(box.end - box.start, 1024))
    let names = stride(from: 0, to: content.count - 3, by: 4).filter { $0 != 4 }.map {
      String(decoding: content[$0..<$0 + 4], as: UTF8.self)
    }
    return names.contains(where: brands.contains) && !names.contains("avif") && !names.contains("avis")
  }

  private static func primaryItem(_ meta: MeteredSource) throws(PictureHeaderError) -> PictureHeader {
    var primary = 0
    var properties: [Property] = []
    var tables: [Box] = []
    for box in try children(meta, from: 4, to: meta.size) {
      switch box.type {
      case "pitm":
        let content = meta.read(at: box.start, count: min(box.end - box.start, 8))
        primary = content.bigEndian(at: 4, count: content.first == 0 ? 2 : 4) ?? 0
      case "iprp":
        for inner in try children(meta, from: box.start, to: box.end) {
          switch inner.type {
          case "ipco": properties += try children(meta, from: inner.start, to: inner.end).map { Property($0, in: meta) }
          case "ipma": tables.append(inner)
          default: break
          }
        }
      default: break
      }
    }
    guard properties.count <= propertyLimit else { throw .damaged("it has more properties than any photo") }
    // If the primary item has no association, the largest size is the picture and the others are its tiles.
    let used = try associations(of: primary, in: tables, meta)?.compactMap {
      properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil
    }
    let sizes = (used ?? properties).compactMap(\.size)
    guard let size = sizes.max(by: { $0.width * $0.height < $1.width * $1.height }) else {
      throw .damaged("it gives no size")
    }
    let turn = (used ?? []).reduce(Turn.none) { $1.turn.map($0.followed(by:)) ?? $0 }
    return PictureHeader(format: .heic, width: size.width, height: size.height, orientation: turn.orientation)
  }

  private static func children(_ source: MeteredSource, from start: Int, to end: Int) throws(PictureHeaderError)
    -> [Box]
  {
    var boxes: [Box] = []
    var offset = start
    while offset < end {
      guard boxes.count < boxLimit else { throw .damaged("it has more boxes than any photo") }
      let box = try self.box(source, at: offset, limit: end)
      boxes.append(box)
      offset = box.end
    }
    return boxes
  }

  /// Returns the one-based indices of an item's properties in the order in which they apply; nil if no table names the
  /// item.
  private static func associations(
    of item: Int, in tables: [Box], _ meta: MeteredSource
  ) throws(PictureHeaderError) -> [Int]? {
    // One table for each version and each index size (ISO/IEC 23008-12, 9.3.1).
    guard tables.count <= 4 else { throw .damaged("it has more tables of properties than any photo") }
    var found: [Int] = []
    var isNamed = false
    for table in tables {
      let content = try meta.bytes(at: table.start, count: table.end - table.start)
      guard let version = content.first, let count = content.bigEndian(at: 4, count: 4) else { continue }
      let idSize = version == 0 ? 2 : 4
      let indexSize = content.count > 3 && content[3] & 1 == 1 ? 2 : 1
      var offset = 8
      for _ in 0..<min(count, content.count) {
        guard let id = content.bigEndian(at: offset, count: idSize),
          let properties = content.bigEndian(at: offset + idSize, count: 1)
        else { break }
        offset += idSize + 1
        try meta.work.addOrThrow()
        if id == item {
          try meta.work.addOrThrow(properties)
          isNamed = true
          found.append(contentsOf: indices(content, at: offset, size: indexSize, count: properties))
          guard found.count <= propertyLimit else { throw .damaged("it has more properties than any photo") }
        }
        offset += properties * indexSize
      }
    }
    return isNamed ? found : nil
  }

  /// Reads consecutive indices; fewer if the table ends early.
  private static func indices(_ content: [UInt8], at offset: Int, size: Int, count: Int) -> [Int] {
    (0..<count).compactMap { content.bigEndian(at: offset + $0 * size, count: size) }.map {
      $0 & (size == 2 ? 0x7FFF : 0x7F)
    }
  }

  /// The properties used here.
  private struct Property {
    var size: (width: Int, height: Int)?
    var turn: Turn?

    init(_ box: Box, in meta: MeteredSource) {
      let content = meta.read(at: box.start, count: min(box.end - box.start, 12))
      switch box.type {
      case "ispe":
        if let width = content.bigEndian(at: 4, count: 4), let height = content.bigEndian(at: 8, count: 4),
          width <= Int(Int32.max), height <= Int(Int32.max)
        {
          size = (width, height)
        }
      case "irot": turn = content.first.map { Turn(counterClockwiseQuarters: Int(clamping: $0 & 3)) }
      case "imir": turn = content.first.map { $0 & 1 == 0 ? .topToBottom : .leftToRight }
      default: break
      }
    }
  }

  /// A rotation by quarter turns, with or without mirroring, as the matrix from stored to displayed coordinates.
  private struct Turn {
    /// The matrix row by row; x points right, y down.
    var matrix: [Int]

    static let none = Turn(matrix: [1, 0, 0, 1])
    static let topToBottom = Turn(matrix: [1, 0, 0, -1])
    static let leftToRight = Turn(matrix: [-1, 0, 0, 1])

    init(matrix: [Int]) { self.matrix = matrix }

    init(counterClockwiseQuarters: Int) {
      let quarters = [[1, 0, 0, 1], [0, 1, -1, 0], [-1, 0, 0, -1], [0, -1, 1, 0]]
      matrix = quarters[counterClockwiseQuarters & 3]
    }

    func followed(by next: Turn) -> Turn {
      let (a, b) = (next.matrix, matrix)
      return Turn(matrix: [
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
      ])
    }

    /// The equivalent EXIF orientation.
    var orientation: Int {
      let all = [
        [1, 0, 0, 1], [-1, 0, 0, 1], [-1, 0, 0, -1], [1, 0, 0, -1], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, -1, 0],
        [0, 1, -1, 0],
      ]
      return (all.firstIndex(of: matrix) ?? 0) + 1
    }
  }
}
