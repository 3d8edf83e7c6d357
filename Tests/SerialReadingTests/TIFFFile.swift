import Imaging

/// TIFF files of uncompressed gray pages (TIFF 6.0).
enum TIFFFile {
  /// A file of pages.
  ///
  /// - Parameters:
  ///   - reduced: The pages marked as a reduced copy of another.
  ///   - isCircle: Whether the last page links to the first as the next.
  static func bytes(_ pages: [GrayPicture], reduced: Set<Int> = [], isCircle: Bool = false) -> [UInt8] {
    var file: [UInt8] = Array("II*\0".utf8) + little(8, 4)
    for (index, page) in pages.enumerated() {
      let entries: [(tag: Int, value: Int)] = [
        (254, reduced.contains(index) ? 1 : 0), (256, page.width), (257, page.height), (258, 8), (259, 1), (262, 1),
        (273, file.count + 2 + 10 * 12 + 4), (277, 1), (278, page.height), (279, page.pixels.count),
      ]
      file += little(entries.count, 2)
      for entry in entries { file += little(entry.tag, 2) + little(4, 2) + little(1, 4) + little(entry.value, 4) }
      let isLast = index == pages.count - 1
      file += little(isLast ? (isCircle ? 8 : 0) : file.count + 4 + page.pixels.count, 4) + page.pixels
    }
    return file
  }

  private static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
