/// The first directory of a TIFF file or of an EXIF block, which has the same form (TIFF 6.0, section 2).
struct TIFFHeader {
  var width: Int?
  var height: Int?
  var orientation = Orientation.up

  /// Size and orientation, where both sides are known.
  var size: (width: Int, height: Int, orientation: Orientation)? {
    guard let width, let height else { return nil }
    return (width, height, orientation)
  }

  /// Reads the directory of the block that begins at `start`; nil where it is none.
  static func read(_ reader: ByteReader, from start: Int) -> TIFFHeader? {
    let bigEndian: Bool
    if reader.matches("MM\u{0}*", at: start) {
      bigEndian = true
    } else if reader.matches("II*\u{0}", at: start) {
      bigEndian = false
    } else {
      return nil
    }
    guard let directory = reader.integer(start + 4, size: 4, bigEndian: bigEndian),
      let count = reader.integer(start + directory, size: 2, bigEndian: bigEndian)
    else { return nil }
    var header = TIFFHeader()
    for index in 0..<count {
      let entry = start + directory + 2 + index * 12
      guard let tag = reader.integer(entry, size: 2, bigEndian: bigEndian),
        let type = reader.integer(entry + 2, size: 2, bigEndian: bigEndian)
      else { break }
      // Type 3 is a 16-bit, type 4 a 32-bit integer, left-justified in the value field.
      guard let value = reader.integer(entry + 8, size: type == 3 ? 2 : 4, bigEndian: bigEndian) else { break }
      switch tag {
      case 0x0100: header.width = value
      case 0x0101: header.height = value
      case 0x0112: header.orientation = Orientation(rawValue: value) ?? .up
      default: break
      }
    }
    return header
  }
}
