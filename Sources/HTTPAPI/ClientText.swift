import Foundation

/// Operations on client-sent text by code points or bytes: a `Character` may be a megabyte of combining accents, and
/// finding its end takes as long.
extension StringProtocol {
  /// Whether the text has more than `limit` code points, which JSON Schema counts as characters.
  func isLonger(than limit: Int) -> Bool {
    utf8.count > limit && unicodeScalars.prefix(limit + 1).count > limit
  }

  /// The beginning of the text, for messages.
  var shown: String { shown(most: 40) }

  /// Returns at most `most` code points from the beginning.
  func shown(most: Int) -> String { String(String.UnicodeScalarView(unicodeScalars.prefix(most))) }

  /// Splits the text at an ASCII character.
  func pieces(between separator: Unicode.Scalar, omittingEmpty: Bool = true) -> [Substring] {
    String(self).utf8.split(
      separator: UInt8(truncatingIfNeeded: separator.value), omittingEmptySubsequences: omittingEmpty
    )
    .map { Substring($0) }
  }
}

/// Checks every client-sent text before it reaches the store.
enum ClientText {
  /// Throws 422 for a text of more than `limit` code points, and for one with a NUL character, which PostgreSQL can't
  /// store.
  static func check(_ text: String?, named name: String, limit: Int) throws(APIError) {
    guard let text else { return }
    guard !text.utf8.contains(0) else { throw .invalidParameter(name, "must not contain a NUL character") }
    guard !text.isLonger(than: limit) else { throw .invalidParameter(name, "is longer than \(limit) characters") }
  }
}
