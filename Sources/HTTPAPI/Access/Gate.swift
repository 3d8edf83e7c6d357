import Hummingbird
import JobStore

/// Lets a request pass to an endpoint: its key, the key's scope, and how many requests came before.
struct Gate: Sendable {
  let keys: KeyRing
  let limiter: RateLimiter
  let browsers: BrowserRequests

  /// Throws 401, 403, 429 or 503 where the request may not pass; returns the id of its key, if it has one.
  func check(_ request: Request, _ context: APIContext, for endpoint: Endpoint) async throws -> String? {
    guard let scope = endpoint.scope else { return nil }
    let text = Self.bearer(request)
    let key: StoredKey?
    if let text { key = try await keys.key(text) } else { key = nil }
    try limiter.count(key.map { "key \($0.id)" } ?? "address \(context.client?.client ?? "unknown")")
    if let key {
      guard Self.permits(Set(key.scopes.compactMap(AccessKey.Scope.init)), scope) else {
        throw APIError.forbidden(scope)
      }
    } else if try await !keys.isOpen() {
      throw text == nil ? APIError.keyMissing : APIError.keyUnknown
    } else {
      // A key can be sent only by who knows it; without one, a browser may be at the service of any page.
      try browsers.check(method: request.method, authority: request.head.authority, request.headers)
    }
    return key?.id
  }

  private static func bearer(_ request: Request) -> String? {
    guard let value = request.headers[.authorization] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return value }
    return String(parts[1]).trimmed
  }

  /// A key that may scan may also read what came of it.
  private static func permits(_ scopes: Set<AccessKey.Scope>, _ needed: AccessKey.Scope) -> Bool {
    scopes.contains(needed) || scopes.contains(.admin) || (needed == .read && scopes.contains(.scan))
  }
}

extension APIError {
  static let keyMissing = APIError(
    .unauthorized, "This server needs a key. Send it as `Authorization: Bearer KEY`.")

  static let keyUnknown = APIError(
    .unauthorized, "The key is not known here, or was revoked. Ask whoever runs the server for one.")

  static func forbidden(_ scope: AccessKey.Scope) -> APIError {
    APIError(.forbidden, "The key is valid, but this needs one with the scope `\(scope.rawValue)`.")
  }
}
