import Foundation
import JobStore
import PostgresClient

extension PostgresStore: KeyStore {
  /// See `KeyStore`.
  public func addKey(id: String, name: String, hash: String, scopes: [String]) async throws -> StoredKey {
    try await repeatable { connection in
      do {
        let row = try connection.run(
          """
          INSERT INTO api_keys (id, name, hash, scopes, created_at) VALUES ($1, $2, $3, $4, store_now())
          ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING \(StoredKey.columns)
          """, [.text(id), .text(name), .text(hash), .text(scopes.joined(separator: " "))]
        ).first
        guard let row else { throw StoreError.unavailable("the database returned no row") }
        return try StoredKey(row: row)
      } catch PostgresError.refused(let refusal) where refusal.isUniqueViolation {
        throw KeyError.nameTaken(name)
      }
    }
  }

  /// See `KeyStore`.
  public func keys(includingRevoked: Bool) async throws -> [StoredKey] {
    try await repeatable { connection in
      try connection.run(
        "SELECT \(StoredKey.columns) FROM api_keys WHERE revoked_at IS NULL OR $1 ORDER BY created_at, id",
        [.boolean(includingRevoked)]
      ).rows.map(StoredKey.init(row:))
    }
  }

  /// See `KeyStore`.
  public func revokeKey(_ nameOrID: String) async throws -> StoredKey? {
    try await write { connection in
      try connection.run(
        """
        UPDATE api_keys SET revoked_at = store_now() WHERE revoked_at IS NULL AND (name = $1 OR id = $1)
        RETURNING \(StoredKey.columns)
        """, [.text(nameOrID)]
      ).first.map(StoredKey.init(row:))
    }
  }

  /// See `KeyStore`.
  public func removeAllKeys() async throws -> Int {
    try await write { connection in try connection.run("DELETE FROM api_keys RETURNING id").rows.count }
  }

  /// See `KeyStore`.
  public func countKeyUses(_ uses: [String: Int]) async throws {
    guard !uses.isEmpty else { return }
    // In one order everywhere, so that two servers never wait for each other.
    let ordered = uses.sorted { $0.key < $1.key }
    try await write { connection in
      for (id, count) in ordered {
        try connection.run(
          "UPDATE api_keys SET use_count = use_count + $2, last_used_at = store_now() WHERE id = $1",
          [.text(id), .init(count)])
      }
    }
  }
}

extension StoredKey {
  /// The columns that `init(row:)` reads, by name: a statement that takes all breaks on each connection that has it
  /// prepared when a newer version adds one.
  static let columns = "id, name, hash, scopes, created_at, revoked_at, last_used_at, use_count"

  init(row: PostgresRow) throws {
    self.init(
      id: try row.text("id"), name: try row.text("name"), hash: try row.text("hash"),
      scopes: try row.text("scopes").split(separator: " ").map(String.init),
      createdAt: Date(microseconds: try row.integer("created_at")),
      revokedAt: try row.optionalInteger("revoked_at").map(Date.init(microseconds:)),
      lastUsedAt: try row.optionalInteger("last_used_at").map(Date.init(microseconds:)),
      useCount: try row.count("use_count"))
  }
}
