import Hummingbird
import JobStore

/// Lets a request pass to an endpoint: its key, the key's scope, and how many requests came before.
struct Gate: Sendable {
  let keys: KeyRing
  let limiter: RateLimiter
  let browsers: BrowserRequests

  /// Throws 401, 403, 429 or 503 where the request may not pass; returns who sent it.
  func check(_ request: Request, _ context: APIContext, for endpoint: Endpoint) async throws -> Caller {
    guard endpoint.access != .open else { return Caller() }
    let text = Self.bearer(request)
    let key: StoredKey?
    if let text { key = try await keys.key(text) } else { key = nil }
    if let count = limiter.count(key.map { "key \($0.id)" } ?? "address \(context.client?.client ?? "unknown")") {
      context.note.allowance = count.allowance
      if let error = count.error { throw error }
    }
    if let key {
      let caller = Caller(keyID: key.id, scopes: Set(key.scopes.compactMap(AccessKey.Scope.init)))
      guard caller.may(endpoint.access) else { throw APIError.forbidden(endpoint.access) }
      return caller
    } else if try await !keys.isOpen() {
      throw text == nil ? APIError.keyMissing : APIError.keyUnknown
    } else {
      // A key can be sent only by who knows it; without one, a browser may be at the service of any page.
      try browsers.check(
        method: request.method, authority: request.head.authority, request.headers, isCostly: endpoint.isCostly)
    }
    return Caller(isEverybody: true)
  }

  private static func bearer(_ request: Request) -> String? {
    guard let value = request.headers[.authorization] else { return nil }
    let scheme = value.utf8.prefix { $0 != UInt8(ascii: " ") }
    guard Substring(scheme).lowercased() == "bearer" else { return value }
    return Substring(value.utf8.dropFirst(scheme.count)).trimmed
  }

}

/// Who sent a request.
struct Caller: Sendable {
  /// The id of the key; nil where the server is open, or needs none here.
  var keyID: String?
  /// What the key is for.
  var scopes: Set<AccessKey.Scope> = []
  /// Whether the server is open, so that everybody may do everything.
  var isEverybody = false

  /// Whether everything may be changed.
  var isAdmin: Bool { isEverybody || scopes.contains(.admin) }

  /// Whether what other keys have brought may be read too.
  var readsAll: Bool { isEverybody || !scopes.isDisjoint(with: [.read, .admin]) }

  /// The key whose jobs and serials alone may be seen; nil where all may.
  var limitedTo: String? { readsAll ? nil : keyID ?? "" }

  /// Whether something that came with this key may be seen.
  func canAccess(keyID key: String?) -> Bool { readsAll || (key != nil && key == keyID) }

  /// Whether something that came with this key may be changed.
  func canChange(keyID key: String?) -> Bool {
    isAdmin || (key != nil && key == keyID)
  }

  /// Whether an endpoint may be called.
  func may(_ access: Access) -> Bool {
    switch access {
    case .open: true
    case .any: isEverybody || !scopes.isEmpty
    case .scan: isEverybody || !scopes.isDisjoint(with: [.scan, .admin])
    case .own: isEverybody || !scopes.isEmpty
    case .change: isEverybody || !scopes.isDisjoint(with: [.scan, .admin])
    case .read: readsAll
    case .admin: isAdmin
    }
  }
}

extension APIError {
  static let keyMissing = APIError(
    .unauthorized, "This server requires an API key. Send it as `Authorization: Bearer KEY`.")

  static let keyUnknown = APIError(
    .unauthorized, "The key is unknown or was revoked. Ask the operator for one.")

  static func forbidden(_ access: Access) -> APIError {
    APIError(
      .forbidden,
      "The key is valid, but this needs one with the scope `\(access == .change ? "scan" : access.rawValue)`.")
  }

  static let changeForbidden = APIError(
    .forbidden, "Another key sent this photo. Changing its result needs a key with the scope `admin`.")
}
