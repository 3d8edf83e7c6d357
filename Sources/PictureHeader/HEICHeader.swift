/// HEIC (ISO/IEC 23008-12): the primary item's size (`ispe`) and turn (`irot`, `imir`) in the `meta` box.
enum HEICHeader {
  /// Brands of pictures coded with HEVC; `mif1` and `msf1` name the container and decide nothing beside `avif`.
  private static let brands: Set<String> = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
  private static let boxLimit = 4096
  /// A photo's `meta` box is a few kilobytes; a tiled one stays far below this.
  private static let metaLimit = 1 << 20

  private struct Box {
    var type: String
    /// Place of the content in its source.
    var start: Int
    /// Place behind the content.
    var end: Int
  }

  static func read(_ source: some ByteSource) throws(PictureHeaderError) -> PictureHeader {
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
        header = try primaryItem(MemorySource(bytes: source.bytes(at: box.start, count: box.end - box.start)))
      default: break
      }
      if offset == 0, !isSupported { throw .unsupported("AVIF or a film") }
      offset = box.end
    }
    guard let header else { throw .damaged("it has no meta box") }
    guard holdsPixels else { throw .truncated }
    return header
  }

  private static func box(_ source: some ByteSource, at offset: Int, limit: Int) throws(PictureHeaderError) -> Box {
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
    return Box(type: String(decoding: head[4..<8], as: UTF8.self), start: offset + headSize, end: offset + length)
  }

  private static func hasSupportedBrand(_ source: some ByteSource, _ box: Box) throws(PictureHeaderError) -> Bool {
    let content = try source.bytes(at: box.start, count: min(box.end - box.start, 1024))
    let names = stride(from: 0, to: content.count - 3, by: 4).filter { $0 != 4 }.map {
      String(decoding: content[$0..<$0 + 4], as: UTF8.self)
    }
    return names.contains(where: brands.contains) && !names.contains("avif") && !names.contains("avis")
  }

  private static func primaryItem(_ meta: MemorySource) throws(PictureHeaderError) -> PictureHeader {
    var primary = 0
    var properties: [Property] = []
    var associations: [Int: [Int]] = [:]
    for box in try children(meta, from: 4, to: meta.size) {
      switch box.type {
      case "pitm":
        let content = try meta.bytes(at: box.start, count: box.end - box.start)
        primary = content.bigEndian(at: 4, count: content.first == 0 ? 2 : 4) ?? 0
      case "iprp":
        for inner in try children(meta, from: box.start, to: box.end) {
          if inner.type == "ipco" {
            for property in try children(meta, from: inner.start, to: inner.end) {
              properties.append(
                Property(property.type, try meta.bytes(at: property.start, count: property.end - property.start)))
            }
          } else if inner.type == "ipma" {
            let content = try meta.bytes(at: inner.start, count: inner.end - inner.start)
            associations.merge(parseAssociations(content)) { first, second in first + second }
          }
        }
      default: break
      }
    }
    // Without an association for the primary item, the largest size is the picture and the others are its tiles.
    let used = associations[primary]?.compactMap { properties.indices.contains($0 - 1) ? properties[$0 - 1] : nil }
    let sizes = (used ?? properties).compactMap(\.size)
    guard let size = sizes.max(by: { $0.width * $0.height < $1.width * $1.height }) else {
      throw .damaged("it gives no size")
    }
    let turn = (used ?? []).reduce(Turn.none) { $1.turn.map($0.followed(by:)) ?? $0 }
    return PictureHeader(format: .heic, width: size.width, height: size.height, orientation: turn.orientation)
  }

  private static func children(_ source: MemorySource, from start: Int, to end: Int) throws(PictureHeaderError) -> [Box]
  {
    var boxes: [Box] = []
    var offset = start
    while offset < end, boxes.count < boxLimit {
      let box = try self.box(source, at: offset, limit: end)
      boxes.append(box)
      offset = box.end
    }
    return boxes
  }

  /// Item to the one-based indices of its properties, in the order in which they apply.
  private static func parseAssociations(_ content: [UInt8]) -> [Int: [Int]] {
    guard let version = content.first, content.count >= 8, let count = content.bigEndian(at: 4, count: 4) else {
      return [:]
    }
    let idSize = version == 0 ? 2 : 4
    let indexSize = content[3] & 1 == 1 ? 2 : 1
    var result: [Int: [Int]] = [:]
    var offset = 8
    for _ in 0..<min(count, content.count) {
      guard let id = content.bigEndian(at: offset, count: idSize),
        let properties = content.bigEndian(at: offset + idSize, count: 1)
      else { break }
      offset += idSize + 1
      for _ in 0..<properties {
        guard let index = content.bigEndian(at: offset, count: indexSize) else { return result }
        result[id, default: []].append(index & (indexSize == 2 ? 0x7FFF : 0x7F))
        offset += indexSize
      }
    }
    return result
  }

  /// The properties that matter here.
  private struct Property {
    var size: (width: Int, height: Int)?
    var turn: Turn?

    init(_ type: String, _ content: [UInt8]) {
      switch type {
      case "ispe":
        if let width = content.bigEndian(at: 4, count: 4), let height = content.bigEndian(at: 8, count: 4),
          width <= Int(Int32.max), height <= Int(Int32.max)
        {
          size = (width, height)
        }
      case "irot": turn = content.first.map { Turn(counterClockwiseQuarters: Int($0 & 3)) }
      case "imir": turn = content.first.map { $0 & 1 == 0 ? .topToBottom : .leftToRight }
      default: break
      }
    }
  }

  /// A turn by quarters with or without a mirror, as the matrix that takes a stored place to a displayed one.
  private struct Turn {
    /// Row by row; x to the right, y down.
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

    /// The EXIF orientation that does the same.
    var orientation: Int {
      let all = [
        [1, 0, 0, 1], [-1, 0, 0, 1], [-1, 0, 0, -1], [1, 0, 0, -1], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, -1, 0],
        [0, 1, -1, 0],
      ]
      return (all.firstIndex(of: matrix) ?? 0) + 1
    }
  }
}
