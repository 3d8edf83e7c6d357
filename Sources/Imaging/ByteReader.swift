/// Reads integers from untrusted bytes; every read beyond the end answers nil.
struct ByteReader {
  let bytes: UnsafeRawBufferPointer

  var count: Int { bytes.count }

  func byte(_ offset: Int) -> UInt8? {
    offset >= 0 && offset < bytes.count ? bytes[offset] : nil
  }

  /// An unsigned integer of `size` bytes (at most 4).
  func integer(_ offset: Int, size: Int, bigEndian: Bool = true) -> Int? {
    guard offset >= 0, size <= 4, offset <= bytes.count - size else { return nil }
    var value = 0
    for index in 0..<size {
      let position = bigEndian ? offset + index : offset + size - 1 - index
      value = value << 8 | Int(bytes[position])
    }
    return value
  }

  func matches(_ text: StaticString, at offset: Int) -> Bool {
    let size = text.utf8CodeUnitCount
    guard offset >= 0, offset <= bytes.count - size else { return false }
    for index in 0..<size where bytes[offset + index] != text.utf8Start[index] { return false }
    return true
  }
}
