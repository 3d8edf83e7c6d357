import Foundation
import GRDB
import JobStore

/// Reads the rows of a database for copying into another store.
extension SQLiteJobStore {
  /// Identifies this database by its creation time in microseconds.
  public func birthMark() async throws -> String {
    let made = try await reading { database in
      try Int64.fetchOne(database, sql: "SELECT applied_at FROM schema_migrations ORDER BY number LIMIT 1")
    }
    return "sqlite-\(made ?? 0)"
  }

  /// Returns at most `limit` rows of one of `StoredRow.tables` after `last`, in the order of their key.
  public func rows(of table: String, key: String, after last: StoredRow.Value?, limit: Int) async throws -> [StoredRow]
  {
    try await reading { database in
      let condition = last == nil ? "" : " WHERE \(key) > ?"
      let arguments: StatementArguments = last.map { [$0.databaseValue, limit] } ?? [limit]
      let rows = try Row.fetchAll(
        database, sql: "SELECT * FROM \(table)\(condition) ORDER BY \(key) LIMIT ?", arguments: arguments)
      return rows.map { row in
        StoredRow(
          Dictionary(row.map { ($0.0, StoredRow.Value($0.1)) }) { first, _ in first })
      }
    }
  }

  /// Returns the highest number used in a table.
  public func lastNumber(of table: String, key: String) async throws -> Int64 {
    try await reading { try Int64.fetchOne($0, sql: "SELECT max(\(key)) FROM \(table)") ?? 0 }
  }

  /// Counts the rows of a table.
  public func rowCount(of table: String) async throws -> Int {
    try await reading { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
  }
}

extension StoredRow.Value {
  fileprivate init(_ value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(text)
    case .blob(let data): self = .bytes([UInt8](data))
    }
  }

  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .bytes(let bytes): Data(bytes).databaseValue
    }
  }
}
