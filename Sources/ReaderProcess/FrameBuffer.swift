import Foundation

/// One message between server and child: JSON, and bytes that go beside it as they are.
struct Frame: Sendable, Equatable {
  /// The message.
  var message: Data
  /// A photo, a picture; mostly none.
  var attachment: [UInt8] = []

  /// Bytes of the two lengths that go before, each four bytes long, least significant first.
  static let headerSize = 8

  /// The lengths that go before the message and its attachment.
  var header: [UInt8] {
    [message.count, attachment.count].flatMap { length in
      (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }
  }

  /// The lengths that a header holds.
  static func lengths(_ header: some Sequence<UInt8>) -> (message: Int, attachment: Int) {
    let bytes = header.prefix(headerSize).map { Int(clamping: $0) }
    let lengths = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start...].prefix(4).reversed().reduce(0) { $0 << 8 | $1 }
    }
    return (lengths.first ?? 0, lengths.dropFirst().first ?? 0)
  }
}

/// The most bytes of a frame. More are a lie, and nothing is reserved for them.
struct FrameLimits: Sendable {
  /// Bytes of a message; a reading takes some kilobytes.
  static let message = 1 << 20

  /// Bytes of an attachment.
  var attachment: Int

  /// Throws where a frame of these lengths is none.
  func check(_ lengths: (message: Int, attachment: Int)) throws(FrameTooLarge) {
    if lengths.message > Self.message { throw FrameTooLarge(length: lengths.message) }
    if lengths.attachment > attachment { throw FrameTooLarge(length: lengths.attachment) }
  }
}

/// A length that no frame has.
struct FrameTooLarge: Error {
  var length: Int
}

/// Cuts a stream of bytes into frames.
struct FrameBuffer {
  private let limits: FrameLimits
  private var bytes: [UInt8] = []
  private var start = 0

  init(_ limits: FrameLimits) { self.limits = limits }

  /// Whether nothing is left over.
  var isEmpty: Bool { start == bytes.count }

  /// Takes bytes as they come.
  mutating func append(_ more: some Collection<UInt8>) {
    if start > 0 {
      bytes = Array(bytes.dropFirst(start))
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// The next whole frame, or nil where more bytes must come first.
  mutating func next() throws(FrameTooLarge) -> Frame? {
    let rest = bytes[start...]
    guard rest.count >= Frame.headerSize else { return nil }
    let lengths = Frame.lengths(rest)
    try limits.check(lengths)
    let content = rest.dropFirst(Frame.headerSize)
    guard content.count >= lengths.message + lengths.attachment else { return nil }
    start += Frame.headerSize + lengths.message + lengths.attachment
    return Frame(
      message: Data(content.prefix(lengths.message)),
      attachment: Array(content.dropFirst(lengths.message).prefix(lengths.attachment)))
  }
}
