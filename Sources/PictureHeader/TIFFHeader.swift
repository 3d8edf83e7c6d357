/// TIFF 6.0: the first directory. EXIF is a TIFF of its own and is read by the same code.
enum TIFFHeader {
  /// A directory with more entries than this is damaged.
  private static let entryLimit = 4096

  private enum Tag {
    static let width = 256
    static let height = 257
    static let orientation = 274
  }

  static func read(_ source: MeteredSource) throws(PictureHeaderError) -> PictureHeader {
    let entries = try firstDirectory(source)
    guard let width = entries[Tag.width], let height = entries[Tag.height] else {
      throw .damaged("its first directory gives no size")
    }
    return PictureHeader(
      format: .tiff, width: width, height: height, orientation: validOrientation(entries[Tag.orientation]) ?? 1)
  }

  /// The orientation in an EXIF block, nil where it says none.
  static func orientation(_ source: MeteredSource) -> Int? {
    guard let entries = try? firstDirectory(source) else { return nil }
    return validOrientation(entries[Tag.orientation])
  }

  private static func validOrientation(_ value: Int?) -> Int? {
    value.flatMap { (1...8).contains($0) ? $0 : nil }
  }

  /// The single numbers of the first directory, by tag.
  private static func firstDirectory(_ source: MeteredSource) throws(PictureHeaderError) -> [Int: Int] {
    let start = try source.bytes(at: 0, count: 8)
    let isLittleEndian = start[0] == 0x49
    guard start[0] == start[1], isLittleEndian || start[0] == 0x4D else { throw .damaged("its byte order is unknown") }
    func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
      (isLittleEndian ? bytes.littleEndian(at: offset, count: count) : bytes.bigEndian(at: offset, count: count)) ?? 0
    }
    let directory = number(start, 4, 4)
    let entryCount = number(try source.bytes(at: directory, count: 2), 0, 2)
    guard (1...entryLimit).contains(entryCount) else { throw .damaged("its first directory is empty or far too long") }
    let table = try source.bytes(at: directory + 2, count: entryCount * 12)
    var values: [Int: Int] = [:]
    try source.work.takeOrThrow(entryCount)
    for entry in stride(from: 0, to: table.count, by: 12) {
      switch number(table, entry + 2, 2) {
      case 3: values[number(table, entry, 2)] = number(table, entry + 8, 2)
      case 4: values[number(table, entry, 2)] = number(table, entry + 8, 4)
      default: break
      }
    }
    return values
  }
}
