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

/// Uses of a key that are not stored yet.
public struct KeyUses: Sendable, Equatable {
  /// How often it was used.
  public var count: Int
  /// When it was last used.
  public var lastUsedAt: Date

  /// Creates a count.
  public init(count: Int, lastUsedAt: Date) { (self.count, self.lastUsedAt) = (count, lastUsedAt) }

  /// Adds uses of the same key.
  public static func + (one: KeyUses, other: KeyUses) -> KeyUses {
    KeyUses(count: one.count + other.count, lastUsedAt: max(one.lastUsedAt, other.lastUsedAt))
  }
}

/// Stores the API's keys.
public protocol KeyStore: Sendable {
  /// Stores a new key. Throws `KeyError.nameTaken`.
  func addKey(id: String, name: String, hash: String, scopes: [String]) async throws -> StoredKey

  /// Lists the keys, oldest first; includes revoked ones only if requested.
  func keys(includingRevoked: Bool) async throws -> [StoredKey]

  /// Revokes the valid key with this id or, if there is none, with this name; returns nil if there is neither.
  func revokeKey(_ nameOrID: String) async throws -> StoredKey?

  /// Deletes all keys, including revoked ones, so that the store is as if it never had any. Returns how many were
  /// deleted.
  func removeAllKeys() async throws -> Int

  /// Adds uses by key id. An earlier last use never replaces a later one.
  func countKeyUses(_ uses: [String: KeyUses]) async throws
}
