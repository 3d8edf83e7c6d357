import Foundation

/// Cuts a stream of bytes into frames: a length of four bytes, least significant first, then as many bytes of JSON.
struct FrameBuffer {
  /// More bytes in one frame are a lie: a reading takes some kilobytes.
  static let largestFrame = 16 << 20

  /// A length that no frame has.
  struct FrameTooLarge: Error {
    var length: Int
  }

  private var bytes: [UInt8] = []
  private var start = 0

  /// Whether nothing is left over.
  var isEmpty: Bool { start == bytes.count }

  /// A value as a frame.
  static func frame(_ value: some Encodable) throws -> [UInt8] {
    let json = try JSONEncoder().encode(value)
    guard json.count <= largestFrame else { throw FrameTooLarge(length: json.count) }
    let length = UInt32(json.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + json
  }

  /// Takes bytes as they come.
  mutating func append(_ more: some Collection<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// The content of the next whole frame, or nil where more bytes must come first.
  mutating func next() throws -> Data? {
    guard bytes.count - start >= 4 else { return nil }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
    guard length <= Self.largestFrame else { throw FrameTooLarge(length: length) }
    guard bytes.count - start - 4 >= length else { return nil }
    defer { start += 4 + length }
    return Data(bytes[(start + 4)..<(start + 4 + length)])
  }
}
