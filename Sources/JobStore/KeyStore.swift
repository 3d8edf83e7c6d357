import Foundation

/// An API key as stored, without its secret.
public struct StoredKey: Sendable, Equatable, Identifiable {
  /// The public part of the key, by which it is looked up.
  public var id: String
  /// The name; two valid keys never share one.
  public var name: String
  /// Hash of the secret part.
  public var hash: String
  /// Its permissions.
  public var scopes: [String]
  /// When it was created.
  public var createdAt: Date
  /// When it was revoked; nil while it is valid.
  public var revokedAt: Date?
  /// When it was last used.
  public var lastUsedAt: Date?
  /// How often it was used.
  public var useCount: Int

  /// Creates a stored key.
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

/// Errors of a key store.
public enum KeyError: Error, Equatable, Sendable {
  /// A valid key with that name exists.
  case nameTaken(String)
}

/// Stores the API's keys.
public protocol KeyStore: Sendable {
  /// Stores a new key. Throws `KeyError.nameTaken`.
  func addKey(id: String, name: String, hash: String, scopes: [String]) async throws -> StoredKey

  /// Lists the keys, oldest first; includes revoked ones only if requested.
  func keys(includingRevoked: Bool) async throws -> [StoredKey]

  /// Revokes the valid key with this name or id; returns nil if there is none.
  func revokeKey(_ nameOrID: String) async throws -> StoredKey?

  /// Deletes all keys, including revoked ones, so that the store is as if it never had any. Returns how many were
  /// deleted.
  func removeAllKeys() async throws -> Int

  /// Adds use counts by key id.
  func countKeyUses(_ uses: [String: Int]) async throws
}
