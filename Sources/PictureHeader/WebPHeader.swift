/// Reads WebP headers (RFC 9649): the simple lossy, the simple lossless and the extended format.
enum WebPHeader {
  private static let chunkLimit = 4096
  /// The flag of an extended file that contains an animation instead of a picture.
  private static let animation: UInt8 = 0x02

  static func read(_ source: MeteredSource) throws(PictureHeaderError) -> PictureHeader {
    let start = try source.bytes(at: 0, count: 30)
    guard let riffSize = start.littleEndian(at: 4, count: 4) else { throw .truncated }
    guard riffSize + 8 <= source.size else { throw .truncated }
    var header = PictureHeader(format: .webp, width: 0, height: 0)
    if start.holds("VP8 ", at: 12) {
      guard Array(start[23..<26]) == [0x9D, 0x01, 0x2A] else { throw .damaged("its key frame has no start code") }
      header.width = (start.littleEndian(at: 26, count: 2) ?? 0) & 0x3FFF
      header.height = (start.littleEndian(at: 28, count: 2) ?? 0) & 0x3FFF
    } else if start.holds("VP8L", at: 12) {
      guard start[20] == 0x2F, let bits = start.littleEndian(at: 21, count: 4) else {
        throw .damaged("its lossless stream has no signature")
      }
      header.width = (bits & 0x3FFF) + 1
      header.height = (bits >> 14 & 0x3FFF) + 1
    } else if start.holds("VP8X", at: 12) {
      guard start[20] & animation == 0 else { throw .unsupported("an animated WebP") }
      header.width = (start.littleEndian(at: 24, count: 3) ?? 0) + 1
      header.height = (start.littleEndian(at: 27, count: 3) ?? 0) + 1
      header.orientation = exifOrientation(source, end: riffSize + 8) ?? 1
    } else {
      throw .damaged("its first chunk is unknown")
    }
    return header
  }

  /// Returns the offset after the content of the chunk with the picture's pixels; nil if there is none.
  static func endOfData(_ source: MeteredSource) -> Int? {
    var offset = 12
    for _ in 0..<chunkLimit where offset + 8 <= source.size {
      let chunk = source.read(at: offset, count: 8)
      guard let length = chunk.littleEndian(at: 4, count: 4) else { return nil }
      if chunk.holds("VP8 ", at: 0) || chunk.holds("VP8L", at: 0) { return min(source.size, offset + 8 + length) }
      offset += 8 + length + length % 2
    }
    return nil
  }

  private static func exifOrientation(_ source: MeteredSource, end: Int) -> Int? {
    var offset = 12
    for _ in 0..<chunkLimit where offset + 8 <= end {
      let chunk = source.read(at: offset, count: 8)
      guard let length = chunk.littleEndian(at: 4, count: 4) else { return nil }
      if chunk.holds("EXIF", at: 0) {
        var exif = source.read(at: offset + 8, count: min(length, 65_536))
        if exif.holds("Exif", at: 0), exif.count > 6 { exif = Array(exif.dropFirst(6)) }
        return TIFFHeader.orientation(MeteredSource(exif, of: source))
      }
      offset += 8 + length + length % 2
    }
    return nil
  }
}
