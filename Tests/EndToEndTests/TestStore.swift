import Foundation
import PostgresClient
import Support
import TestCluster
import Testing

/// The store of the servers under test: SQLite in their data folder, or with `SERIALSCAN_TEST_STORE=postgresql` a database
/// for each data folder, in the cluster that `Tools/postgres.sh` starts for the tests.
enum TestStore {
  static let isShared = ProcessInfo.processInfo.environment["SERIALSCAN_TEST_STORE"] == "postgresql"

  private static let addresses = Locked<[String: String]>([:])

  /// A database with the tables that a server creates at its first start, which takes longer than to copy them.
  private static let migrated = Result {
    let database = try SharedDatabase.make()
    try RunningServer(store: database.address, settings: ["workers=0"]).stop()
    return database.address
  }

  /// The database of a data folder, created on first use; nil with SQLite.
  ///
  /// - Parameter template: The data folder whose database is copied, or nil for one with empty tables.
  @discardableResult
  static func address(for data: URL, copying template: URL? = nil) throws -> String? {
    guard isShared else { return nil }
    return try addresses.withLock { addresses in
      if let known = addresses[data.path] { return known }
      let origin = try template.flatMap { addresses[$0.path] } ?? migrated.get()
      let address = try SharedDatabase.make(copying: TestCluster.name(of: origin)).address
      addresses[data.path] = address
      return address
    }
  }

  /// The result of a statement, run by another program: a line for each row, values separated by `|`.
  static func ask(_ data: URL, _ statement: String) throws -> String {
    guard let address = try address(for: data) else { return try CrashTests.sqlite(data, statement) }
    return try CrashTests.output(of: SharedDatabase.program("psql"), ["-XAtq", address, "-c", statement])
  }

  /// Whether the SQLite file is intact; true with PostgreSQL.
  static func isSound(_ data: URL) throws -> Bool {
    try isShared || CrashTests.sqlite(data, "PRAGMA integrity_check") == "ok"
  }
}
