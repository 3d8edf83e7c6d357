/// HEIF boxes: the largest picture that the file's properties announce (ISO/IEC 23008-12, `ispe`).
///
/// Tiles and thumbnails have boxes of their own, so the largest is the whole picture.
enum HEICHeader {
  static func hasStillBrand(_ reader: ByteReader) -> Bool {
    guard let length = reader.integer(0, size: 4) else { return false }
    let brands: [StaticString] = ["heic", "heix", "heim", "heis", "mif1", "msf1", "hevc"]
    var offset = 8
    while offset + 4 <= min(length, reader.count) {
      if brands.contains(where: { reader.matches($0, at: offset) }) { return true }
      offset += offset == 8 ? 8 : 4  // the minor version stands between the major and the compatible brands
    }
    return false
  }

  static func read(_ reader: ByteReader) -> (width: Int, height: Int, orientation: Orientation)? {
    guard let meta = child("meta", in: 0..<reader.count, reader),
      let properties = child("iprp", in: meta.dropFirst(4), reader),
      let container = child("ipco", in: properties, reader)
    else { return nil }
    var best: (width: Int, height: Int, orientation: Orientation)?
    forEachBox(in: container, reader) { offset, content in
      guard reader.matches("ispe", at: offset + 4), let width = reader.integer(content.lowerBound + 4, size: 4),
        let height = reader.integer(content.lowerBound + 8, size: 4)
      else { return }
      if let found = best, found.width * found.height >= width * height { return }
      best = (width, height, .up)
    }
    return best
  }

  private static func child(_ type: StaticString, in range: Range<Int>, _ reader: ByteReader) -> Range<Int>? {
    var found: Range<Int>?
    forEachBox(in: range, reader) { offset, content in
      if found == nil, reader.matches(type, at: offset + 4) { found = content }
    }
    return found
  }

  /// Calls `body` with each box's offset and the range of its content.
  private static func forEachBox(in range: Range<Int>, _ reader: ByteReader, _ body: (Int, Range<Int>) -> Void) {
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound, let length = reader.integer(offset, size: 4) {
      // 0: up to the end; 1: a 64-bit length, only used for pixel data, which comes last or is of no interest here.
      let end = length == 0 ? range.upperBound : min(range.upperBound, offset + length)
      guard end >= offset + 8 else { return }
      body(offset, offset + 8..<end)
      offset = end
    }
  }
}
