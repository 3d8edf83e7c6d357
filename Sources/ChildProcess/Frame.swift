import Foundation

/// A message between parent and child: JSON with an attachment of raw bytes.
struct Frame: Sendable, Equatable {
  /// The message as JSON.
  var message: Data
  /// A photo or an image; usually empty.
  var attachment: [UInt8] = []

  /// Bytes of the header: two lengths of four bytes each, least significant byte first.
  static let headerSize = 8

  /// The header: the lengths of the message and its attachment.
  var header: [UInt8] {
    [message.count, attachment.count].flatMap { length in
      (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
    }
  }

  /// Header, message and attachment, in pieces.
  var pieces: [ArraySlice<UInt8>] { [(header + message)[...], attachment[...]] }

  /// Decodes the lengths in a header.
  static func lengths(_ header: some Sequence<UInt8>) -> (message: Int, attachment: Int) {
    var bytes = header.makeIterator()
    func length() -> Int { (0..<4).reduce(0) { $0 | Int(clamping: bytes.next() ?? 0) << (8 * $1) } }
    let message = length()
    return (message, length())
  }
}

/// Limits on the size of a child's messages. Larger ones are implausible, and no memory is allocated for them.
struct FrameLimits: Sendable {
  /// Maximum bytes of a message; an answer takes some kilobytes.
  static let message = 1 << 20
  /// Maximum bytes of all messages for one question.
  static let talk = 2 * message

  /// Maximum bytes of an attachment.
  var attachment: Int

  /// Throws if the lengths exceed the limits.
  func check(_ lengths: (message: Int, attachment: Int)) throws(Implausible) {
    for (length, limit) in [(lengths.message, Self.message), (lengths.attachment, attachment)] where length > limit {
      throw Implausible("It sent a frame of \(length) bytes.")
    }
  }
}
