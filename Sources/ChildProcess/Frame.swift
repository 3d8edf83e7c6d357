import Foundation

/// One message between parent and child: JSON, and bytes that go beside it as they are.
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

  /// Header, message and attachment, in pieces.
  var pieces: [ArraySlice<UInt8>] { [(header + message)[...], attachment[...]] }

  /// The lengths that a header holds.
  static func lengths(_ header: some Sequence<UInt8>) -> (message: Int, attachment: Int) {
    var bytes = header.makeIterator()
    func length() -> Int { (0..<4).reduce(0) { $0 | Int(clamping: bytes.next() ?? 0) << (8 * $1) } }
    let message = length()
    return (message, length())
  }
}

/// How much a child may say. More is a lie, and nothing is reserved for it.
struct FrameLimits: Sendable {
  /// Bytes of one message; an answer takes some kilobytes.
  static let message = 1 << 20
  /// Bytes of all messages together that may come to one question.
  static let talk = 2 * message

  /// Bytes of one attachment.
  var attachment: Int

  /// Throws where a frame of these lengths is none.
  func check(_ lengths: (message: Int, attachment: Int)) throws(Implausible) {
    for (length, limit) in [(lengths.message, Self.message), (lengths.attachment, attachment)] where length > limit {
      throw Implausible("It sent a frame of \(length) bytes.")
    }
  }
}
