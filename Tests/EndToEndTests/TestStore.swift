import Foundation
import PostgresClient
import Support
import Testing

/// What keeps the jobs of the servers under test: SQLite in their data folder, or, where `SERIALSCAN_TEST_STORE` is
/// `postgresql`, a database for each data folder, in the cluster that `Tools/postgres.sh` starts around the tests.
enum TestStore {
  static let isShared = ProcessInfo.processInfo.environment["SERIALSCAN_TEST_STORE"] == "postgresql"

  private static let addresses = Locked<[String: String]>([:])

  /// The database that belongs to a data folder, made when it is first asked for; nil with SQLite.
  ///
  /// - Parameter template: The data folder whose database is copied.
  @discardableResult
  static func address(for data: URL, copying template: URL? = nil) throws -> String? {
    guard isShared else { return nil }
    return try addresses.withLock { addresses in
      if let known = addresses[data.path] { return known }
      let origin = template.flatMap { addresses[$0.path] }.flatMap(URLComponents.init(string:))?.path.dropFirst()
      let address = try SharedDatabase.make(copying: origin.map(String.init)).address
      addresses[data.path] = address
      return address
    }
  }

  /// What a statement answers, asked by another program: a line for each row, `|` between its values.
  static func ask(_ data: URL, _ statement: String) throws -> String {
    guard let address = try address(for: data) else { return try CrashTests.sqlite(data, statement) }
    return try CrashTests.output(of: SharedDatabase.program("psql"), ["-XAtq", address, "-c", statement])
  }

  /// Whether the file under SQLite is whole; PostgreSQL looks after its own.
  static func isSound(_ data: URL) throws -> Bool {
    try isShared || CrashTests.sqlite(data, "PRAGMA integrity_check") == "ok"
  }
}
