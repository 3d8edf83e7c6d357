import HTTPTypes
import Hummingbird

extension CommonParameters {
  /// The maximum length of an Idempotency-Key.
  private static let keyLimit = 200

  /// The header that makes a repeated request return the result of the first one.
  static let idempotencyKey = Parameter<String?>(
    "Idempotency-Key", in: .header,
    "The same key with the same request returns the same job or serial; with another photo, other options or other fields "
      + "409."
  ) { _ in
    Schema(["type": "string", "pattern": "^[!-~]+$"]).with(.length(1...keyLimit))
  } parse: { key in
    guard let key else { return nil }
    guard (1...keyLimit).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw APIError.invalidParameter(
        "Idempotency-Key", "must be 1 to \(keyLimit) printable ASCII characters without spaces")
    }
    return key
  }
}

extension APIContext {
  /// Returns the request's Idempotency-Key combined with the access key, because clients choose theirs independently;
  /// nil if there is none. Throws 422 if it is malformed.
  func idempotencyKey(of request: Request) throws -> String? {
    guard let key = try Query(request)[CommonParameters.idempotencyKey] else { return nil }
    return caller.keyID.map { "\($0) \(key)" } ?? key
  }
}
