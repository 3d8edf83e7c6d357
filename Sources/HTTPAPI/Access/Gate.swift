import Hummingbird
import JobStore
import Support

/// Authorizes requests to an endpoint: checks the key, its scope and the rate limit.
struct Gate: Sendable {
  let keys: KeyRing
  let limiter: RateLimiter
  let browsers: BrowserRequests

  /// Checks a request and returns its sender. Throws 401, 403, 429 or 503 if it is rejected.
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
      // A page can't send a key that it does not know. Without a key, the browser may act for any page.
      try browsers.check(
        method: request.method, authority: request.head.authority, request.headers, isCostly: endpoint.isCostly)
    }
    return Caller(isEverybody: true)
  }

  /// Returns the key that was sent, also without a scheme; nil if there is none, or another scheme such as Basic.
  private static func bearer(_ request: Request) -> String? {
    guard let value = request.headers[.authorization] else { return nil }
    let scheme = value.utf8.prefix { $0 != UInt8(ascii: " ") }
    guard Substring(scheme).lowercased() == "bearer" else { return scheme.count < value.utf8.count ? nil : value }
    return Substring(value.utf8.dropFirst(scheme.count)).trimmed
  }
}

/// The sender of a request.
struct Caller: Sendable {
  /// The id of the key; nil if no keys exist or the endpoint needs none.
  var keyID: String?
  /// The scopes of the key.
  var scopes: Set<AccessKey.Scope> = []
  /// Whether no keys exist, so that everyone may do everything.
  var isEverybody = false

  /// Whether everything may be changed.
  var isAdmin: Bool { isEverybody || scopes.contains(.admin) }

  /// Whether jobs and serials of other keys may be read.
  var readsAll: Bool { isEverybody || !scopes.isDisjoint(with: [.read, .admin]) }

  /// The key to which reading jobs and serials is limited; nil for no limit.
  var limitedTo: String? { readsAll ? nil : keyID ?? "" }

  /// Whether something that was sent with this key may be read.
  func canAccess(keyID key: String?) -> Bool { readsAll || (key != nil && key == keyID) }

  /// The key to which a list is limited. A batch's lists are not limited: everyone who scans into it shares them.
  func limitedTo(inBatch batch: String?) -> String? { batch == nil ? limitedTo : nil }

  /// Whether something that was sent with this key, perhaps into a batch, may be read.
  func canAccess(keyID key: String?, batchID: String?) -> Bool { batchID != nil || canAccess(keyID: key) }

  /// Whether a job may be read.
  func canAccess(_ job: Job) -> Bool { canAccess(keyID: job.request.origin.keyID, batchID: job.request.batchID) }

  /// Whether something that was sent with this key may be changed.
  func canChange(keyID key: String?) -> Bool {
    isAdmin || (key != nil && key == keyID)
  }

  /// Whether the result of a job may be confirmed, corrected, reviewed and deleted.
  func canChange(_ job: Job) -> Bool { may(.change) && canChange(keyID: job.request.origin.keyID) }

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
