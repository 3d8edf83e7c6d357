/// Reads PNG headers (ISO/IEC 15948): the IHDR chunk, an eXIf chunk before the pixels, and the IEND chunk.
enum PNGHeader {
  /// The maximum number of chunks.
  private static let chunkLimit = 65_536

  static func read(_ source: MeteredSource) throws(PictureHeaderError) -> PictureHeader {
    let start = try source.bytes(at: 8, count: 16)
    guard start.holds("IHDR", at: 4), let width = start.bigEndian(at: 8, count: 4),
      let height = start.bigEndian(at: 12, count: 4)
    else { throw .damaged("its first chunk is not IHDR") }
    var header = PictureHeader(format: .png, width: width, height: height)
    var offset = 8
    var sawPixels = false
    for _ in 0..<chunkLimit {
      let chunk = try source.bytes(at: offset, count: 8)
      guard let length = chunk.bigEndian(at: 0, count: 4), length <= Int32.max else {
        throw .damaged("a chunk has an impossible length")
      }
      if chunk.holds("IEND", at: 4) {
        guard sawPixels else { throw .damaged("it holds no pixels") }
        return header
      }
      if chunk.holds("IDAT", at: 4) {
        if !sawPixels, endsWithTrailer(source) { return header }
        sawPixels = true
      } else if chunk.holds("eXIf", at: 4), !sawPixels {
        let exif = MeteredSource(source.read(at: offset + 8, count: min(length, 65_536)), of: source)
        header.orientation = TIFFHeader.orientation(exif) ?? 1
      }
      offset += 12 + length
    }
    throw .damaged("it has too many chunks")
  }

  /// Whether the file ends with an IEND chunk, as nearly every PNG does. Avoids walking thousands of chunks.
  private static func endsWithTrailer(_ source: MeteredSource) -> Bool {
    source.read(at: source.size - 12, count: 8) == [0, 0, 0, 0] + Array("IEND".utf8)
  }
}
