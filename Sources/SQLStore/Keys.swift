import Foundation
import JobStore

extension SQLBackedStore {
  /// See `KeyStore`.
  public func addKey(id: String, name: String, hash: String, scopes: [String]) async throws -> StoredKey {
    let statement: SQLStatement = """
      INSERT INTO api_keys (id, name, hash, scopes, created_at)
      VALUES (\(id), \(name), \(hash), \(scopes.joined(separator: " ")), \(present))
      ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING \(sql: StoredKey.columns)
      """
    return try await repeating { connection in
      do {
        guard let row = try connection.first(statement) else { throw StoreError.noRow }
        return try StoredKey(row: row)
      } catch {
        if Self.isUniqueViolation(error) { throw KeyError.nameTaken(name) }
        throw error
      }
    }
  }

  /// See `KeyStore`.
  public func keys(includingRevoked: Bool) async throws -> [StoredKey] {
    try await reading { connection in
      try connection.rows(
        """
        SELECT \(sql: StoredKey.columns) FROM api_keys WHERE revoked_at IS NULL OR \(includingRevoked)
        ORDER BY created_at, id
        """
      ).map(StoredKey.init(row:))
    }
  }

  /// See `KeyStore`.
  public func revokeKey(_ nameOrID: String) async throws -> StoredKey? {
    let present = present
    return try await changingOnFullDisk { connection in
      // One after the other, because a name may equal another key's id.
      for isMeant in ["id = \(nameOrID)", "name = \(nameOrID)"] as [SQLStatement] {
        let row = try connection.first(
          """
          UPDATE api_keys SET revoked_at = \(present) WHERE revoked_at IS NULL AND \(isMeant)
          RETURNING \(sql: StoredKey.columns)
          """)
        if let row { return try StoredKey(row: row) }
      }
      return nil
    }
  }

  /// See `KeyStore`.
  public func removeAllKeys() async throws -> Int {
    try await changingOnFullDisk { try $0.change("DELETE FROM api_keys") }
  }

  /// See `KeyStore`.
  public func countKeyUses(_ uses: [String: KeyUses]) async throws {
    guard !uses.isEmpty else { return }
    // A fixed order, so that two servers never deadlock.
    let ordered = uses.sorted { $0.key < $1.key }
    try await changing { connection in
      for (id, used) in ordered {
        let lastUsedAt = used.lastUsedAt.microseconds
        try connection.change(
          """
          UPDATE api_keys SET use_count = use_count + \(used.count),
            last_used_at = \(Self.dialect.greatest)(coalesce(last_used_at, \(lastUsedAt)), \(lastUsedAt)) WHERE id = \(id)
          """)
      }
    }
  }
}

extension StoredKey {
  /// The columns that `init(row:)` reads.
  ///
  /// They are named because a prepared `SELECT *` breaks when a newer version adds a column.
  fileprivate static let columns = "id, name, hash, scopes, created_at, revoked_at, last_used_at, use_count"

  fileprivate init(row: any SQLRow) throws {
    self.init(
      id: try row.text("id"), name: try row.text("name"), hash: try row.text("hash"),
      scopes: try row.text("scopes").split(separator: " ").map(String.init),
      createdAt: Date(microseconds: try row.integer("created_at")),
      revokedAt: try row.optionalInteger("revoked_at").map(Date.init(microseconds:)),
      lastUsedAt: try row.optionalInteger("last_used_at").map(Date.init(microseconds:)),
      useCount: try row.count("use_count"))
  }
}

extension StoreError {
  /// The error of a statement that returned no row although it must.
  static let noRow = StoreError.unavailable("the database returned no row")
}
