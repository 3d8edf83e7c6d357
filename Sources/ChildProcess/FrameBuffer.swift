import Foundation

/// Splits a stream of bytes into frames.
struct FrameBuffer {
  private let limits: FrameLimits
  private var bytes: [UInt8] = []
  private var start = 0

  init(_ limits: FrameLimits) { self.limits = limits }

  /// Whether all bytes have been consumed.
  var isEmpty: Bool { start == bytes.count }

  /// Appends received bytes.
  mutating func append(_ more: some Collection<UInt8>) {
    if start > 0 {
      bytes = Array(bytes.dropFirst(start))
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// Returns the next complete frame; nil if more bytes are needed.
  mutating func next() throws(Implausible) -> Frame? {
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
