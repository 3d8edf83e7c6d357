/// Reads TIFF 6.0 headers: the first directory and those of further pages. Also reads EXIF, which is a TIFF structure.
enum TIFFHeader {
  /// The maximum number of entries of a directory; more means damage.
  private static let entryLimit = 4096

  /// The subfile type bits of a smaller copy of another page, and of a mask.
  private static let notAPage = 0b101

  private enum Tag {
    static let subfileType = 254
    static let width = 256
    static let height = 257
    static let orientation = 274
  }

  static func read(_ source: MeteredSource) throws(PictureHeaderError) -> PictureHeader {
    try header(of: directory(source, at: nil).values)
  }

  /// Returns the first pages, without the smaller copies and masks of other pages.
  static func pages(
    _ source: MeteredSource, most: Int
  ) throws(PictureHeaderError) -> [(directory: Int, header: PictureHeader)] {
    var found = try directory(source, at: nil)
    let first = try header(of: found.values)
    guard isPlausible(first) else { throw .damaged("its header declares \(first.width) x \(first.height) pixels") }
    var pages = [(directory: 0, header: first)]
    var seen: Set<Int> = [found.place]
    // Each page may come with a smaller copy and a mask.
    for index in 1..<max(1, 3 * most) where pages.count < most {
      guard found.next != 0, seen.insert(found.next).inserted, let next = try? directory(source, at: found.next) else {
        break
      }
      found = next
      if (next.values[Tag.subfileType] ?? 0) & notAPage != 0 { continue }
      guard let header = try? header(of: next.values), isPlausible(header) else { break }
      pages.append((index, header))
    }
    return pages
  }

  private static func isPlausible(_ header: PictureHeader) -> Bool {
    (1...Int(Int32.max)).contains(header.width) && (1...Int(Int32.max)).contains(header.height)
  }

  private static func header(of values: [Int: Int]) throws(PictureHeaderError) -> PictureHeader {
    guard let width = values[Tag.width], let height = values[Tag.height] else {
      throw .damaged("its first directory gives no size")
    }
    return PictureHeader(
      format: .tiff, width: width, height: height, orientation: validOrientation(values[Tag.orientation]) ?? 1)
  }

  /// Returns the orientation in an EXIF block; nil if there is none.
  static func orientation(_ source: MeteredSource) -> Int? {
    guard let values = try? directory(source, at: nil).values else { return nil }
    return validOrientation(values[Tag.orientation])
  }

  private static func validOrientation(_ value: Int?) -> Int? {
    value.flatMap { (1...8).contains($0) ? $0 : nil }
  }

  /// A directory: its offset, its single numbers by tag, and the offset of the next directory (0 if it is the last).
  private struct Directory {
    var place: Int
    var values: [Int: Int]
    var next: Int
  }

  /// Reads the directory at an offset, or the first one.
  private static func directory(_ source: MeteredSource, at place: Int?) throws(PictureHeaderError) -> Directory {
    let start = try source.bytes(at: 0, count: 8)
    let isLittleEndian = start[0] == 0x49
    guard start[0] == start[1], isLittleEndian || start[0] == 0x4D else { throw .damaged("its byte order is unknown") }
    func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
      (isLittleEndian ? bytes.littleEndian(at: offset, count: count) : bytes.bigEndian(at: offset, count: count)) ?? 0
    }
    let directory = place ?? number(start, 4, 4)
    let entryCount = number(try source.bytes(at: directory, count: 2), 0, 2)
    guard (1...entryLimit).contains(entryCount) else { throw .damaged("its first directory is empty or far too long") }
    let table = try source.bytes(at: directory + 2, count: entryCount * 12)
    var values: [Int: Int] = [:]
    try source.work.addOrThrow(entryCount)
    for entry in stride(from: 0, to: table.count, by: 12) {
      switch number(table, entry + 2, 2) {
      case 3: values[number(table, entry, 2)] = number(table, entry + 8, 2)
      case 4: values[number(table, entry, 2)] = number(table, entry + 8, 4)
      default: break
      }
    }
    let next = source.read(at: directory + 2 + table.count, count: 4)
    return Directory(place: directory, values: values, next: number(next, 0, 4))
  }
}
