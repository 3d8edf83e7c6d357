import Foundation
import GRDB
import JobStore

extension SQLiteJobStore: KeyStore {
  /// See `KeyStore`.
  public func addKey(id: String, name: String, hash: String, scopes: [String]) async throws -> StoredKey {
    let now = clock.now().microseconds
    return try await write { database in
      do {
        try database.execute(
          sql: "INSERT INTO api_keys (id, name, hash, scopes, created_at) VALUES (?, ?, ?, ?, ?)",
          arguments: [id, name, hash, scopes.joined(separator: " "), now])
      } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
        throw KeyError.nameTaken(name)
      }
      return StoredKey(
        id: id, name: name, hash: hash, scopes: scopes, createdAt: Date(microseconds: now), useCount: 0)
    }
  }

  /// See `KeyStore`.
  public func keys(includingRevoked: Bool) async throws -> [StoredKey] {
    try await read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT * FROM api_keys WHERE revoked_at IS NULL OR ? ORDER BY created_at, id",
        arguments: [includingRevoked]
      ).map(StoredKey.init(row:))
    }
  }

  /// See `KeyStore`.
  public func revokeKey(_ nameOrID: String) async throws -> StoredKey? {
    let now = clock.now().microseconds
    return try await freeing { database in
      try Row.fetchOne(
        database,
        sql: "UPDATE api_keys SET revoked_at = ? WHERE revoked_at IS NULL AND (name = ? OR id = ?) RETURNING *",
        arguments: [now, nameOrID, nameOrID]
      ).map(StoredKey.init(row:))
    }
  }

  /// See `KeyStore`.
  public func removeAllKeys() async throws -> Int {
    try await freeing { database in
      try database.execute(sql: "DELETE FROM api_keys")
      return database.changesCount
    }
  }

  /// See `KeyStore`.
  public func countKeyUses(_ uses: [String: Int]) async throws {
    guard !uses.isEmpty else { return }
    let now = clock.now().microseconds
    try await write { database in
      let statement = try database.cachedStatement(
        sql: "UPDATE api_keys SET use_count = use_count + ?, last_used_at = ? WHERE id = ?")
      for (id, count) in uses { try statement.execute(arguments: [count, now, id]) }
    }
  }
}

extension StoredKey {
  init(row: Row) {
    let scopes: String = row["scopes"]
    let (revoked, used): (Int64?, Int64?) = (row["revoked_at"], row["last_used_at"])
    self.init(
      id: row["id"], name: row["name"], hash: row["hash"], scopes: scopes.split(separator: " ").map(String.init),
      createdAt: Date(microseconds: row["created_at"]), revokedAt: revoked.map(Date.init(microseconds:)),
      lastUsedAt: used.map(Date.init(microseconds:)), useCount: row["use_count"])
  }
}
