/// The check that every text from a client passes before a store sees it.
enum ClientText {
  /// Bytes of a character on average: no letter has more, and what is drawn as one character may have thousands.
  private static let bytesOfCharacter = 4

  /// Throws 422 for a text of more than `limit` characters, or of four bytes for each of them, and for one with a NUL
  /// character, which PostgreSQL does not store.
  static func check(_ text: String?, named name: String, limit: Int) throws(APIError) {
    guard let text else { return }
    guard !text.utf8.contains(0) else { throw .invalidParameter(name, "must not contain a NUL character") }
    guard text.utf8.count <= limit * bytesOfCharacter, text.count <= limit else {
      throw .invalidParameter(name, "is longer than \(limit) characters")
    }
  }

  /// The beginning of a text that is within the same bounds.
  static func shortened(_ text: String, limit: Int) -> String {
    var (shown, bytes) = ("", 0)
    for character in text.prefix(limit) {
      bytes += character.utf8.count
      guard bytes <= limit * bytesOfCharacter else { break }
      shown.append(character)
    }
    return shown
  }
}
