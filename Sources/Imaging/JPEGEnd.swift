/// Checks whether a JPEG file is complete. libjpeg fills what is missing with gray and merely warns.
enum JPEGEnd {
  /// Whether an end-of-image marker follows the first scan (ITU-T T.81, annex B).
  static func isPresent(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let scan = firstScan(in: bytes) else { return false }
    var position = bytes.count - 2
    while position >= scan {
      if bytes[position] == 0xFF, bytes[position + 1] == 0xD9 { return true }
      position -= 1
    }
    return false
  }

  /// Offset of the start-of-scan marker.
  private static func firstScan(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      switch bytes[offset + 1] {
      case 0xDA: return offset
      case 0xFF: offset += 1  // a fill byte
      case 0x01, 0xD0...0xD8: offset += 2  // markers without a length
      default: offset += 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
      }
    }
    return nil
  }
}
