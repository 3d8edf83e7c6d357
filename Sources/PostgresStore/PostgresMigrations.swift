import EmbeddedFiles
import JobStore
import PostgresClient

/// Brings a database to this program's schema.
///
/// Steps are only ever added, and each leaves what the version before it reads as it was: two versions of the program
/// run side by side during an upgrade.
enum PostgresMigrations {
  struct Step {
    var number: Int
    var name: String
    var sql: String
  }

  /// An advisory lock's key, so that of many servers that start at once one migrates. A number of this program's own:
  /// the ASCII codes of "serial".
  private static let lock: Int64 = 0x7365_7269_616c

  /// The embedded files of `Migrations/postgres`, in order.
  static let all: [Step] = (0..<serialscan_embedded_postgres_migration_count()).compactMap { index in
    let file = serialscan_embedded_postgres_migration(index)
    let name = String(cString: file.name)
    guard let number = Int(name.prefix(while: \.isNumber)) else { return nil }
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.size)
    return Step(number: number, name: name, sql: String(decoding: bytes, as: UTF8.self))
  }

  /// Throws `StoreOpenError` where a database does not have every step of this program; changes nothing.
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

  /// Applies what is missing, all of it in one transaction: PostgreSQL undoes tables as it undoes rows.
  /// Throws `StoreOpenError.newerDatabase` only where a later version said that this one can't work with its tables.
  static func apply(to connection: PostgresConnection, named path: String) throws {
    try connection.transaction { connection in
      // A step may take longer than any other statement.
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
