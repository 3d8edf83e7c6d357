import EmbeddedFiles
import Foundation
import GRDB
import JobStore

/// One schema migration: a file of `Migrations/`, embedded into the program.
package struct Migration: Sendable, Equatable {
  /// The number at the beginning of the file name.
  package var number: Int
  /// The file's name.
  package var name: String
  /// Its SQL statements.
  package var sql: String

  /// Creates a migration; nil if the name does not begin with a number.
  package init?(name: String, sql: String) {
    guard let number = Int(name.prefix(while: \.isNumber)) else { return nil }
    self.number = number
    self.name = name
    self.sql = sql
  }

  /// The embedded migrations, in order.
  package static let all: [Migration] = (0..<serialscan_embedded_migration_count()).compactMap { index in
    let file = serialscan_embedded_migration(index)
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
    return Migration(name: String(cString: file.name), sql: String(decoding: bytes, as: UTF8.self))
  }

  /// FNV-1a (64 bit) of the statements. Detects an edited file, not a forged one.
  package var checksum: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in sql.utf8 { hash = (hash ^ UInt64(clamping: byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }

  /// Folds a text for comparison, for the migration that fills older rows.
  private static let folded = DatabaseFunction("serialscan_folded", argumentCount: 1, pure: true) { values in
    values.first.flatMap { String.fromDatabaseValue($0) }.map(SerialSearch.folded) ?? ""
  }

  /// Returns the number of the newest applied migration; 0 if there is none.
  package static func newest(in database: Database) throws -> Int {
    guard try database.tableExists("schema_migrations") else { return 0 }
    return try Int.fetchOne(database, sql: "SELECT max(number) FROM schema_migrations") ?? 0
  }

  /// Throws `StoreOpenError` unless exactly `migrations` have been applied; changes nothing.
  package static func requireNewest(of migrations: [Migration] = all, in database: Database, path: String) throws {
    let (found, known) = (try newest(in: database), migrations.map(\.number).max() ?? 0)
    guard found != 0 else { throw StoreOpenError.missing(path: path) }
    guard found <= known else { throw StoreOpenError.newerDatabase(path: path, found: found, known: known) }
    guard found == known else { throw StoreOpenError.olderDatabase(path: path, found: found, known: known) }
  }

  /// Migrates a database to the newest of `migrations`.
  ///
  /// Each migration runs and is recorded in one transaction, so that an interrupted migration resumes at a restart. Two
  /// processes may do this at the same time. Throws `StoreOpenError`.
  package static func apply(_ migrations: [Migration] = all, to database: Database, path: String) throws {
    try database.inTransaction(.immediate) {
      try database.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS schema_migrations (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL)
          """)
      return .commit
    }
    database.add(function: Self.folded)
    defer { database.remove(function: Self.folded) }
    let newest = try Int.fetchOne(database, sql: "SELECT max(number) FROM schema_migrations") ?? 0
    let known = migrations.map(\.number).max() ?? 0
    guard newest <= known else { throw StoreOpenError.newerDatabase(path: path, found: newest, known: known) }
    for migration in migrations {
      try database.inTransaction(.immediate) {
        let applied = try String.fetchOne(
          database, sql: "SELECT checksum FROM schema_migrations WHERE number = ?", arguments: [migration.number])
        if let applied {
          guard applied == migration.checksum else {
            throw StoreOpenError.changedMigration(path: path, name: migration.name)
          }
          return .commit
        }
        try database.execute(sql: migration.sql)
        try database.execute(
          sql: "INSERT INTO schema_migrations VALUES (?, ?, ?, ?)",
          arguments: [migration.number, migration.name, migration.checksum, Date().microseconds])
        return .commit
      }
    }
  }
}
