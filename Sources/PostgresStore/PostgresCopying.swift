import BlobFiles
import Foundation
import JobStore
import PostgresClient

/// Why another store's rows can't be copied into this one.
public enum CopyRefusal: Error, Equatable, Sendable {
  /// The database contains rows that did not come from that store.
  case notEmpty
}

// Copies another store's contents. Every step can be repeated: existing rows stay unchanged.

extension PostgresStore {
  /// Starts copying a store, or resumes it. Throws `CopyRefusal.notEmpty` if the database has rows and no copy from
  /// that store was started.
  ///
  /// - Parameters:
  ///   - source: Identifies the source store.
  ///   - last: The highest number of each of its tables. New rows get higher numbers from now on.
  public func beginCopy(from source: String, last: [String: Int64]) async throws {
    try await changing { connection in
      let isKnown = try connection.run("SELECT 1 FROM copies WHERE source = $1", [.text(source)]).count > 0
      if !isKnown {
        for table in StoredRow.tables {
          guard try connection.run("SELECT 1 FROM \(table.name) LIMIT 1").count == 0 else { throw CopyRefusal.notEmpty }
        }
      }
      try connection.run(
        "INSERT INTO copies (source, begun_at) VALUES ($1, store_now()) ON CONFLICT DO NOTHING", [.text(source)])
      for table in StoredRow.tables {
        guard let last = last[table.name], last > 0 else { continue }
        try connection.run(
          """
          SELECT setval(sequence::regclass, greatest($1, (SELECT last_value FROM pg_sequences
            WHERE format('%I.%I', schemaname, sequencename)::regclass = sequence::regclass)))
          FROM pg_get_serial_sequence('\(table.name)', '\(table.key)') AS sequence
          """, [.integer(last)])
      }
    }
  }

  /// Records that everything has been copied.
  public func endCopy(from source: String) async throws {
    try await changing { connection in
      _ = try connection.run("UPDATE copies SET ended_at = store_now() WHERE source = $1", [.text(source)])
    }
  }

  /// Returns the rows that do not exist yet.
  public func missing(_ rows: [StoredRow], in table: String, key: String) async throws -> [StoredRow] {
    try await reading { connection in
      try rows.filter { row in
        let value = row.values[key].flatMap(PostgresValue.init) ?? .null
        return try connection.run("SELECT 1 FROM \(table) WHERE \(key) = $1", [value]).count == 0
      }
    }
  }

  /// Inserts rows together with blobs, atomically.
  public func add(
    _ rows: [StoredRow], into table: String, with blobs: [(name: BlobName, staged: any StagedBlob)] = []
  ) async throws {
    var files: [(name: BlobName, path: String)] = []
    for blob in blobs {
      if let folder {
        try await folder.commit(blob.staged, as: blob.name)
      } else {
        files.append((blob.name, try await blob.staged.inspect { $0 }))
      }
    }
    let stored = files
    try await changing { connection in
      let columns = try Self.columns(of: table, in: connection)
      for row in rows {
        let isNew = try Self.add(row, into: table, columns, in: connection)
        guard isNew else { continue }
        for file in stored { try PostgresBlobs.insert(fileAt: file.path, as: file.name, in: connection) }
      }
    }
    for blob in blobs { await blob.staged.discard() }
  }

  /// Returns the types of a table's columns by name.
  private static func columns(of table: String, in connection: PostgresConnection) throws -> [String: String] {
    let rows = try connection.run(
      """
      SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
      WHERE table_schema = current_schema() AND table_name = $1
      """, [.text(table)]
    ).rows
    return Dictionary(try rows.map { (try $0.text("name"), try $0.text("type")) }) { first, _ in first }
  }

  private static func add(
    _ row: StoredRow, into table: String, _ columns: [String: String], in connection: PostgresConnection
  ) throws -> Bool {
    let values = row.values.compactMap { name, value -> (String, PostgresValue)? in
      columns[name].map { (name, PostgresValue(value, as: $0)) }
    }.sorted { $0.0 < $1.0 }
    let places = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    return try connection.run(
      """
      INSERT INTO \(table) (\(values.map(\.0).joined(separator: ", "))) OVERRIDING SYSTEM VALUE
      VALUES (\(places)) ON CONFLICT DO NOTHING
      """, values.map(\.1)
    ).changed > 0
  }
}

extension PostgresValue {
  fileprivate init?(_ value: StoredRow.Value) {
    switch value {
    case .null: return nil
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }

  /// Converts a value to a column's PostgreSQL type, using the nearest value if it has another form.
  fileprivate init(_ value: StoredRow.Value, as type: String) {
    switch (value, type) {
    case (.null, _): self = .null
    case (.bytes(let bytes), "bytea"): self = .bytes(bytes)
    // Only in a damaged database.
    case (.bytes(let bytes), _): self.init(.text(String(decoding: bytes, as: UTF8.self)), as: type)
    case (.integer(let number), "boolean"): self = .boolean(number != 0)
    case (_, "boolean"): self = .boolean(false)
    case (.integer(let number), "double precision"): self = .real(Double(number))
    case (.real(let number), "bigint"), (.real(let number), "integer"):
      self = .integer(Int64(exactly: number.rounded()) ?? 0)
    case (.text(let text), "bigint"), (.text(let text), "integer"):
      self = .integer(Optional(text).flatMap(Int64.init) ?? 0)
    case (.text(let text), "double precision"): self = .real(Double(text) ?? 0)
    case (.integer(let number), "text"): self = .text(String(number))
    case (.real(let number), "text"): self = .text("\(number)")
    // PostgreSQL can't store a NUL in a text.
    case (.text(let text), _): self = .text(text.replacing("\0", with: ""))
    case (.integer(let number), _): self = .integer(number)
    case (.real(let number), _): self = .real(number)
    }
  }
}
