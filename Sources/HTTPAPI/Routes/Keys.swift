import Foundation
import Hummingbird
import JobStore
import Support

/// `GET` and `POST /keys`, `DELETE /keys/{key_id}`: manages the keys of this server. Requires the scope admin.
struct Keys: Sendable {
  struct Body: Decodable {
    var name: String
    var scopes: [String]
  }

  struct Item: Codable {
    var id: String
    var name: String
    var scopes: [String]
    var createdAt: Date
    @ExplicitNull var revokedAt: Date?
    @ExplicitNull var lastUsedAt: Date?
    var useCount: Int

    private enum CodingKeys: String, CodingKey {
      case id
      case name
      case scopes
      case createdAt = "created_at"
      case revokedAt = "revoked_at"
      case lastUsedAt = "last_used_at"
      case useCount = "use_count"
    }

    init(_ key: StoredKey) {
      id = key.id
      name = key.name
      scopes = key.scopes
      createdAt = key.createdAt
      revokedAt = key.revokedAt
      lastUsedAt = key.lastUsedAt
      useCount = key.useCount
    }
  }

  struct List: Codable {
    var items: [Item]
    /// Whether no key was ever created, so that everyone may do everything.
    var isOpen: Bool

    private enum CodingKeys: String, CodingKey {
      case items
      case isOpen = "is_open"
    }
  }

  struct Made: Codable {
    var id: String
    var name: String
    var scopes: [String]
    /// The whole key. No other response contains it.
    var key: String
  }

  struct Revocation: Codable {
    var success = true
  }

  let store: any ServerStore
  let ring: KeyRing

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/keys", "ListKeys", "List the keys", "Without their secrets; includes revoked ones.", topic: .operation,
        access: .admin, answers: [.json(List.self)], handler: list),
      Endpoint(
        .post, "/keys", "MakeAKey", "Create a key",
        "The answer shows the whole key, which is not shown again. The first key closes the server, and needs the scope `admin`.",
        topic: .operation, access: .admin, bodies: [.json(Body.self)], answers: [.json(Made.self)],
        errors: [.nameTaken, .storageFull], handler: make),
      Endpoint(
        .delete, "/keys/{key_id}", "RevokeAKey", "Revoke a key",
        "Its users lose access immediately. The last key with the scope `admin` is kept.",
        topic: .operation, access: .admin, parameters: [Parameter<String>.path("key_id", "The key's id.")],
        answers: [.json(Revocation.self)], errors: [.keyNotFound, .lastAdminKey], handler: revoke),
    ]
  }

  private func list(_ request: Request, _ context: APIContext) async throws -> Response {
    let keys = try await store.keys(includingRevoked: true)
    return .json(List(items: keys.map(Item.init), isOpen: keys.isEmpty))
  }

  private func make(_ request: Request, _ context: APIContext) async throws -> Response {
    let body = try await context.json(Body.self, from: request)
    guard let name = AccessKey.name(body.name) else {
      throw APIError.invalidParameter("name", "must be 1 to 100 characters")
    }
    let scopes = try body.scopes.map { word in
      guard let scope = AccessKey.Scope(rawValue: word) else {
        throw APIError.invalidParameter(
          "scopes", "must be some of \(AccessKey.Scope.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return scope
    }
    guard !scopes.isEmpty else { throw APIError.invalidParameter("scopes", "must name at least one") }
    // If the first key were not an admin key, nobody could manage the keys over HTTP.
    guard try await !store.keys(includingRevoked: true).isEmpty || scopes.contains(.admin) else {
      throw APIError.invalidParameter(
        "scopes", "must include `admin` for the first key: from then on the server requires a key")
    }
    let key = AccessKey()
    let words = AccessKey.Scope.allCases.filter(scopes.contains).map(\.rawValue)
    do {
      let stored = try await store.addKey(
        id: key.id, name: name, hash: AccessKey.hash(ofSecret: key.secret), scopes: words)
      await ring.forgetWhatIsKnown()
      return .json(Made(id: stored.id, name: stored.name, scopes: stored.scopes, key: key.text))
    } catch KeyError.nameTaken {
      throw APIError(.nameTaken, "A key with this name exists. Choose another name, or revoke that key first.")
    }
  }

  private func revoke(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.parameters.require("key_id")
    let valid = try await store.keys(includingRevoked: false)
    guard let known = valid.first(where: { $0.id == id }) else {
      throw APIError(.keyNotFound, "There is no valid key with this id: the id is mistyped, or the key was revoked.")
    }
    let others = valid.filter { $0.id != id }
    guard
      !known.scopes.contains(AccessKey.Scope.admin.rawValue)
        || others.contains(where: { $0.scopes.contains(AccessKey.Scope.admin.rawValue) })
    else {
      throw APIError(
        .lastAdminKey,
        "This is the last valid key with the scope `admin`: without it, nobody can manage keys over HTTP. Create another admin "
          + "key first, or run `serialscan keys revoke` on the server.")
    }
    _ = try await store.revokeKey(known.id)
    await ring.forgetWhatIsKnown()
    return .json(Revocation())
  }
}

extension Keys.Body: WireObject {
  static let wireName = "NewKey"
  static let wireNotes: [String: Schema] = ["name": .length(1...100), "scopes": scopes]

  fileprivate static let scopes = Schema([
    "minItems": 1, "items": ["enum": .array(AccessKey.Scope.allCases.map { .text($0.rawValue) })],
  ])
}

extension Keys.Item: WireObject {
  static let wireName = "Key"
  static let wireNotes: [String: Schema] = [
    "revoked_at": .about("When it was revoked; null as long as it is valid.")
  ]
}

extension Keys.List: WireObject {
  static let wireName = "Keys"
  static let wireNotes: [String: Schema] = [
    "is_open": .about("Whether no key was ever created, so that anyone may do everything.")
  ]
}

extension Keys.Made: WireObject {
  static let wireName = "CreatedKey"
  static let wireNotes: [String: Schema] = ["key": .about("The whole key. It is shown only here.")]
}

extension Keys.Revocation: WireObject {
  static let wireName = "Revocation"
}
