import EmbeddedFiles
import JobStore
import PostgresClient

/// Migrates a database to this program's schema.
///
/// Migrations are only added, and each keeps what the previous version reads, because two versions of the program run
/// side by side during an upgrade.
enum PostgresMigrations {
  struct Step {
    var number: Int
    var name: String
    var sql: String
  }

  /// Key of the advisory lock that lets only one of several starting servers migrate. Specific to this program: the
  /// ASCII codes of "serial".
  private static let lock: Int64 = 0x7365_7269_616c

  /// The embedded migrations of `Migrations/postgres`, in order.
  static let all: [Step] = (0..<serialscan_embedded_postgres_migration_count()).compactMap { index in
    let file = serialscan_embedded_postgres_migration(index)
    let name = String(cString: file.name)
    guard let number = Int(name.prefix(while: \.isNumber)) else { return nil }
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
    return Step(number: number, name: name, sql: String(decoding: bytes, as: UTF8.self))
  }

  /// Throws `StoreOpenError` unless the database has every migration of this program; changes nothing.
  static func requireNewest(in connection: PostgresConnection, named path: String) throws {
    let known = all.map(\.number).max() ?? 0
    let isThere = try connection.run("SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL").count > 0
    guard isThere else { throw StoreOpenError.missing(path: path) }
    let row = try connection.run("SELECT max(number) AS newest, max(needs) AS needed FROM schema_migrations").first
    let newest = Int(clamping: try row?.optionalInteger("newest") ?? 0)
    let needed = Int(clamping: try row?.optionalInteger("needed") ?? 0)
    guard needed <= known else { throw StoreOpenError.newerDatabase(path: path, found: newest, known: known) }
    guard newest >= known else { throw StoreOpenError.olderDatabase(path: path, found: newest, known: known) }
  }

  /// Applies missing migrations in one transaction, since PostgreSQL can roll back schema changes.
  ///
  /// Throws `StoreOpenError.newerDatabase` only if a later version declared its tables incompatible with this one.
  static func apply(to connection: PostgresConnection, named path: String) throws {
    try connection.transaction { connection in
      // A migration may take longer than other statements.
      try connection.run("SET LOCAL statement_timeout = 0")
      try connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(lock)])
      try connection.run(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
          number int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
          -- The oldest step that a program must know to work with this one.
          needs int NOT NULL DEFAULT 0)
        """)
      let row = try connection.run("SELECT max(number) AS newest, max(needs) AS needed FROM schema_migrations").first
      let newest = Int(clamping: try row?.optionalInteger("newest") ?? 0)
      let needed = Int(clamping: try row?.optionalInteger("needed") ?? 0)
      let known = all.map(\.number).max() ?? 0
      guard needed <= known else { throw StoreOpenError.newerDatabase(path: path, found: newest, known: known) }
      for step in all where step.number > newest {
        try connection.runScript(step.sql)
        try connection.run(
          "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)", [.init(step.number), .text(step.name)])
      }
    }
  }
}
