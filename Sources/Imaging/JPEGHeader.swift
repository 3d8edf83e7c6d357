/// JPEG markers: the frame's size, the EXIF orientation, and whether the data ends where it should (ITU-T T.81, annex B).
enum JPEGHeader {
  static func read(_ reader: ByteReader) -> (width: Int, height: Int, orientation: Orientation)? {
    var orientation = Orientation.up
    for segment in Segments(reader: reader) {
      if segment.marker == 0xE1, reader.matches("Exif\u{0}\u{0}", at: segment.start) {
        orientation = TIFFHeader.read(reader, from: segment.start + 6)?.orientation ?? orientation
      }
      if isFrame(segment.marker) {
        guard let height = reader.integer(segment.start + 1, size: 2),
          let width = reader.integer(segment.start + 3, size: 2)
        else { return nil }
        return (width, height, orientation)
      }
    }
    return nil
  }

  /// Whether an end-of-image marker follows the first scan; false for a file that was cut off.
  static func hasEnd(_ reader: ByteReader) -> Bool {
    guard let scan = Segments(reader: reader).first(where: { $0.marker == 0xDA }) else { return false }
    var position = reader.count - 2
    while position >= scan.start {
      if reader.bytes[position] == 0xFF, reader.bytes[position + 1] == 0xD9 { return true }
      position -= 1
    }
    return false
  }

  /// SOF0...SOF15, without DHT, JPG and DAC which share the range.
  private static func isFrame(_ marker: UInt8) -> Bool {
    (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
  }

  private struct Segment {
    var marker: UInt8
    /// Offset of the first byte after the length.
    var start: Int
  }

  /// The segments up to the first scan.
  private struct Segments: Sequence, IteratorProtocol {
    let reader: ByteReader
    var offset = 2

    mutating func next() -> Segment? {
      while reader.byte(offset) == 0xFF, let marker = reader.byte(offset + 1) {
        if marker == 0xFF {  // fill byte
          offset += 1
          continue
        }
        if marker == 0x01 || (0xD0...0xD8).contains(marker) {  // no length
          offset += 2
          continue
        }
        guard marker != 0xD9, let length = reader.integer(offset + 2, size: 2), length >= 2 else { return nil }
        let segment = Segment(marker: marker, start: offset + 4)
        offset += 2 + length
        return segment
      }
      return nil
    }
  }
}
