import Foundation

/// A key of the API as it is stored: without its secret.
public struct StoredKey: Sendable, Equatable, Identifiable {
  /// The part of the key by which it is found; no secret.
  public var id: String
  /// Whose it is; two valid keys never share a name.
  public var name: String
  /// Hash of the secret part.
  public var hash: String
  /// What it may be used for.
  public var scopes: [String]
  /// When it was made.
  public var createdAt: Date
  /// When it was revoked; nil while it is valid.
  public var revokedAt: Date?
  /// When it was last used.
  public var lastUsedAt: Date?
  /// How often it was used.
  public var useCount: Int

  /// Creates a key as it is stored.
  public init(
    id: String, name: String, hash: String, scopes: [String], createdAt: Date, revokedAt: Date? = nil,
    lastUsedAt: Date? = nil, useCount: Int
  ) {
    self.id = id
    self.name = name
    self.hash = hash
    self.scopes = scopes
    self.createdAt = createdAt
    self.revokedAt = revokedAt
    self.lastUsedAt = lastUsedAt
    self.useCount = useCount
  }
}

/// What a store of keys refuses.
public enum KeyError: Error, Equatable, Sendable {
  /// A valid key of that name exists.
  case nameTaken(String)
}

/// The keys of the API.
public protocol KeyStore: Sendable {
  /// Stores a new key. Throws `KeyError.nameTaken`.
  func addKey(id: String, name: String, hash: String, scopes: [String]) async throws -> StoredKey

  /// The keys, oldest first; the revoked ones only where asked for.
  func keys(includingRevoked: Bool) async throws -> [StoredKey]

  /// Revokes the valid key with this name or id; nil where there is none.
  func revokeKey(_ nameOrID: String) async throws -> StoredKey?

  /// Takes every key away, the revoked ones too, so that the store is as one that never had any. Returns how many there
  /// were.
  func removeAllKeys() async throws -> Int

  /// Adds up how often keys were used, by their id.
  func countKeyUses(_ uses: [String: Int]) async throws
}
