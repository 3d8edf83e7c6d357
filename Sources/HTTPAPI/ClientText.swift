import Foundation

/// Text that a client sent, looked at by its bytes: a character may be a megabyte of combining accents, and to find its end
/// takes as long.
extension StringProtocol {
  /// Without ASCII blanks and line ends at both ends.
  var trimmed: String {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = utf8.drop(while: isBlank)
    return String(decoding: start.reversed().drop(while: isBlank).reversed(), as: UTF8.self)
  }

  /// Whether there are more Unicode code points, which JSON Schema counts as characters.
  func isLonger(than limit: Int) -> Bool {
    utf8.count > limit && unicodeScalars.prefix(limit + 1).count > limit
  }

  /// The beginning, for a message.
  var shown: String { shown(most: 40) }

  /// At most so many code points of the beginning.
  func shown(most: Int) -> String { String(String.UnicodeScalarView(unicodeScalars.prefix(most))) }

  /// The pieces between an ASCII character.
  func pieces(between separator: Unicode.Scalar, omittingEmpty: Bool = true) -> [Substring] {
    String(self).utf8.split(
      separator: UInt8(truncatingIfNeeded: separator.value), omittingEmptySubsequences: omittingEmpty
    )
    .map { Substring($0) }
  }
}

/// The check that every text from a client passes before a store sees it.
enum ClientText {
  /// Throws 422 for a text of more than `limit` code points, and for one with a NUL character, which PostgreSQL does not
  /// store.
  static func check(_ text: String?, named name: String, limit: Int) throws(APIError) {
    guard let text else { return }
    guard !text.utf8.contains(0) else { throw .invalidParameter(name, "must not contain a NUL character") }
    guard !text.isLonger(than: limit) else { throw .invalidParameter(name, "is longer than \(limit) characters") }
  }
}
