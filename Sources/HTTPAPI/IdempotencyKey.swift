import HTTPTypes
import Hummingbird

extension APIContext {
  /// The longest Idempotency-Key.
  private static let keyLimit = 200

  /// The Idempotency-Key of a request together with the access key, since clients choose theirs without knowing of each
  /// other; nil if there is none. Throws 422 if it is malformed.
  func idempotencyKey(of request: Request) throws -> String? {
    guard let name = HTTPField.Name("Idempotency-Key"), let key = request.headers[name] else { return nil }
    guard (1...Self.keyLimit).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw APIError.invalidParameter(
        "Idempotency-Key", "must be 1 to \(Self.keyLimit) letters, digits and signs of ASCII without blanks")
    }
    return caller.keyID.map { "\($0) \(key)" } ?? key
  }
}
