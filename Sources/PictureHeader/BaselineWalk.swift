/// Walks the coded data of a baseline JPEG (ITU-T T.81, annex F) without decoding pixels, to find where its picture
/// ends.
///
/// Samsung's panoramas have no end-of-image marker: after their pixels comes a trailer, or nothing. A truncated file
/// has no such marker either, but it lacks blocks.
struct BaselineWalk {
  private static let segmentLimit = 4096
  /// The maximum number of tables. A picture has at most four tables of each kind at a time, and as many scans as
  /// components.
  private static let tableLimit = 64

  private var bits: CodedBits
  private var tables = 0
  private var dcTables = [HuffmanTable?](repeating: nil, count: 4)
  private var acTables = [HuffmanTable?](repeating: nil, count: 4)
  private var frame: Frame?
  private var restartInterval = 0
  private var scanned: Set<UInt8> = []

  /// Returns the offset after the picture's data; nil if blocks are missing or the picture is not a baseline JPEG.
  static func endOfPicture(_ source: MeteredSource) -> Int? {
    var walk = BaselineWalk(bits: CodedBits(source, at: 2))
    return walk.end()
  }

  private init(bits: CodedBits) { self.bits = bits }

  private struct Frame {
    var width: Int
    var height: Int
    var components: [Component]
    var mostAcross: Int { components.map(\.across).max() ?? 1 }
    var mostDown: Int { components.map(\.down).max() ?? 1 }
  }

  private struct Component {
    var id: UInt8
    /// Blocks of a unit horizontally and vertically.
    var across, down: Int
  }

  /// A component of a scan: the tables that code its blocks, and its number of blocks per unit.
  private struct Coded {
    var dc, ac: HuffmanTable
    var blocks: Int
  }

  private mutating func end() -> Int? {
    for _ in 0..<Self.segmentLimit {
      guard let marker = bits.nextMarker() else { return nil }
      if (0xD0...0xD8).contains(marker) || marker == 0x01 { continue }
      guard marker != 0xD9, let content = bits.nextSegment() else { return nil }
      switch marker {
      case 0xC0, 0xC1: guard takeFrame(content) else { return nil }
      case 0xC4: guard takeTables(content) else { return nil }
      case 0xC2...0xCF: return nil
      case 0xDD: restartInterval = content.bigEndian(at: 0, count: 2) ?? 0
      case 0xDA:
        guard let frame, takeScan(content, frame) else { return nil }
        if scanned.count == frame.components.count { return bits.end }
      default: break
      }
    }
    return nil
  }

  private mutating func takeFrame(_ content: [UInt8]) -> Bool {
    guard frame == nil, content.first == 8, let height = content.bigEndian(at: 1, count: 2),
      let width = content.bigEndian(at: 3, count: 2), let count = content.bigEndian(at: 5, count: 1),
      width > 0, height > 0, (1...4).contains(count), content.count >= 6 + 3 * count
    else { return false }
    let components = (0..<count).map { index in
      let at = 6 + 3 * index
      let sampling = content[at + 1]
      return Component(id: content[at], across: Int(clamping: sampling >> 4), down: Int(clamping: sampling & 15))
    }
    guard components.allSatisfy({ (1...4).contains($0.across) && (1...4).contains($0.down) }),
      Set(components.map(\.id)).count == count
    else { return false }
    frame = Frame(width: width, height: height, components: components)
    return true
  }

  private mutating func takeTables(_ content: [UInt8]) -> Bool {
    var rest = content[...]
    while let kind = rest.popFirst() {
      let counts = rest.prefix(16)
      let values = rest.dropFirst(16).prefix(counts.reduce(0) { $0 + Int(clamping: $1) })
      tables += 1
      guard kind & 15 < 4, kind >> 4 < 2, tables <= Self.tableLimit,
        let table = HuffmanTable(counts: Array(counts), values: Array(values))
      else { return false }
      rest = rest.dropFirst(16 + values.count)
      let index = Int(clamping: kind & 15)
      if kind >> 4 == 0 { dcTables[index] = table } else { acTables[index] = table }
    }
    return true
  }

  private mutating func takeScan(_ content: [UInt8], _ frame: Frame) -> Bool {
    guard let count = content.bigEndian(at: 0, count: 1), (1...4).contains(count), content.count >= 1 + 2 * count else {
      return false
    }
    var coded: [Coded] = []
    var units = (
      across: Self.quotient(frame.width, 8 * frame.mostAcross), down: Self.quotient(frame.height, 8 * frame.mostDown)
    )
    for index in 0..<count {
      let (id, tables) = (content[1 + 2 * index], content[2 + 2 * index])
      guard let component = frame.components.first(where: { $0.id == id }), tables >> 4 < 4, tables & 15 < 4,
        let dc = dcTables[Int(clamping: tables >> 4)], let ac = acTables[Int(clamping: tables & 15)],
        scanned.insert(id).inserted
      else { return false }
      coded.append(Coded(dc: dc, ac: ac, blocks: count == 1 ? 1 : component.across * component.down))
      if count == 1 {
        // A component alone in its scan has only as many blocks as its samples need.
        units.across = Self.quotient(Self.quotient(frame.width * component.across, frame.mostAcross), 8)
        units.down = Self.quotient(Self.quotient(frame.height * component.down, frame.mostDown), 8)
      }
    }
    bits.begin()
    var left = restartInterval
    for _ in 0..<units.across * units.down {
      if restartInterval > 0 {
        if left == 0 {
          guard bits.takeRestart() else { return false }
          left = restartInterval
        }
        left -= 1
      }
      for part in coded {
        for _ in 0..<part.blocks {
          guard bits.skipBlock(part.dc, part.ac) else { return false }
        }
      }
    }
    bits.align()
    return true
  }

  private static func quotient(_ number: Int, _ divisor: Int) -> Int {
    (number + max(1, divisor) - 1) / max(1, divisor)
  }
}

/// A Huffman code table (ITU-T T.81, annex C).
private struct HuffmanTable {
  /// The codes of one length: the first code, the index of its value, and their number.
  private struct Codes {
    var first: Int
    var index: Int
    var count: Int
  }

  private var lengths: [Codes] = []
  private let values: [UInt8]

  /// Creates a table from the number of codes of each length, 1 to 16, and the values; nil if they do not form a valid
  /// code.
  init?(counts: [UInt8], values: [UInt8]) {
    guard counts.count == 16, values.count <= 256 else { return nil }
    self.values = values
    var (code, index) = (0, 0)
    for (length, count) in counts.enumerated() {
      let count = Int(clamping: count)
      lengths.append(Codes(first: code, index: index, count: count))
      (code, index) = (code + count, index + count)
      guard code <= 2 << length else { return nil }
      code *= 2
    }
    guard index == values.count else { return nil }
  }

  /// Returns the length and value of the code at the start of 16 bits; nil if no code matches.
  func code(in bits: Int) -> (length: Int, value: UInt8)? {
    for length in 1...16 {
      let codes = lengths[length - 1]
      let offset = bits >> (16 - length) - codes.first
      if offset >= 0, offset < codes.count { return (length, values[codes.index + offset]) }
    }
    return nil
  }
}

/// A reader of a JPEG's coded bits and of the markers between them.
private struct CodedBits {
  private static let chunkSize = 64 * 1024

  private let source: MeteredSource
  private var chunk: [UInt8] = []
  private var chunkStart: Int
  private var index = 0
  /// Bits read ahead; the next one is the highest of `count`.
  private var ahead: UInt64 = 0
  private var count = 0
  /// The end offsets of the last eight bytes that bits were read from, and the total number of such bytes.
  private var ends = [Int](repeating: 0, count: 8)
  private var taken = 0

  init(_ source: MeteredSource, at offset: Int) {
    self.source = source
    chunkStart = offset
  }

  /// The offset of the next byte.
  private var place: Int { chunkStart + index }
  /// The offset after the last byte whose bits were used.
  var end: Int { taken > 0 ? ends[(taken - 1) & 7] : place }

  private mutating func nextByte() -> UInt8? {
    if index >= chunk.count {
      chunkStart += index
      index = 0
      chunk = source.read(at: chunkStart, count: Self.chunkSize)
      if chunk.isEmpty { return nil }
    }
    defer { index += 1 }
    return chunk[index]
  }

  /// Reads a marker and returns its code; nil if the next bytes are not a marker.
  mutating func nextMarker() -> UInt8? {
    guard nextByte() == 0xFF else { return nil }
    while let byte = nextByte() {
      if byte != 0xFF { return byte == 0 ? nil : byte }
    }
    return nil
  }

  /// Reads a segment and returns its content; nil if it is invalid or truncated.
  mutating func nextSegment() -> [UInt8]? {
    guard let high = nextByte(), let low = nextByte() else { return nil }
    let length = Int(clamping: high) << 8 + Int(clamping: low) - 2
    guard length >= 0 else { return nil }
    var content: [UInt8] = []
    content.reserveCapacity(length)
    while content.count < length {
      guard let byte = nextByte() else { return nil }
      content.append(byte)
    }
    return content
  }

  /// Starts a run of bits.
  mutating func begin() { (ahead, count, taken) = (0, 0, 0) }

  /// Reads ahead up to a marker or the end of the file.
  private mutating func fill() {
    while count <= 48 {
      let before = place
      guard let byte = nextByte() else { return }
      if byte == 0xFF {
        guard let next = nextByte() else { return }
        if next != 0 {
          // A marker ends the coded bits.
          return goBack(to: before)
        }
      }
      ahead = ahead << 8 | UInt64(truncatingIfNeeded: byte)
      count += 8
      ends[taken & 7] = place
      taken += 1
    }
  }

  private mutating func goBack(to place: Int) {
    if place >= chunkStart {
      index = place - chunkStart
    } else {
      (chunkStart, index, chunk) = (place, 0, [])
    }
  }

  /// Decodes the next Huffman code; nil if it is invalid or truncated.
  private mutating func nextValue(_ table: HuffmanTable) -> UInt8? {
    if count < 16 { fill() }
    let bits = count >= 16 ? ahead >> (count - 16) : ahead << (16 - count)
    guard let (length, value) = table.code(in: Int(truncatingIfNeeded: bits & 0xFFFF)), length <= count else {
      return nil
    }
    count -= length
    return value
  }

  private mutating func skip(_ number: Int) -> Bool {
    if count < number { fill() }
    guard number <= count else { return false }
    count -= number
    return true
  }

  /// Skips a block of 64 coefficients; false if the block is incomplete or invalid.
  mutating func skipBlock(_ dc: HuffmanTable, _ ac: HuffmanTable) -> Bool {
    guard let size = nextValue(dc), size <= 16, skip(Int(truncatingIfNeeded: size)) else { return false }
    var coefficient = 1
    while coefficient < 64 {
      guard let value = nextValue(ac) else { return false }
      let (run, size) = (Int(truncatingIfNeeded: value >> 4), Int(truncatingIfNeeded: value & 15))
      if size == 0 {
        if run != 15 { break }  // The rest of the block is zero.
        coefficient += 16
      } else {
        guard skip(size) else { return false }
        coefficient += run + 1
      }
    }
    return true
  }

  /// Discards the unused bits of the last byte used, and returns to the byte after it.
  mutating func align() {
    let unused = count / 8
    taken -= unused
    if unused > 0, taken > 0 { goBack(to: ends[(taken - 1) & 7]) }
    (ahead, count) = (0, 0)
  }

  /// Skips a restart marker; false if the next bytes are something else.
  mutating func takeRestart() -> Bool {
    align()
    guard let marker = nextMarker(), (0xD0...0xD7).contains(marker) else { return false }
    begin()
    return true
  }
}
