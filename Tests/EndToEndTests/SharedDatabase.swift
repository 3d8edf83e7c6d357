import Foundation
import PostgresClient
import TestCluster

/// A database for one test, in the temporary cluster that `Tools/postgres.sh` starts for the tests.
struct SharedDatabase {
  /// Its address, for `--store`.
  let address: String

  /// Creates an empty database, or a copy of one without connections. It is deleted with the cluster.
  static func make(copying template: String? = nil) throws -> SharedDatabase {
    SharedDatabase(address: try TestCluster.makeDatabase(copying: template))
  }

  /// Runs `body` with a fresh database, which is dropped afterwards.
  static func with(_ body: (SharedDatabase) async throws -> Void) async throws {
    let database = try make()
    defer { try? TestCluster.dropDatabase(at: database.address) }
    try await body(database)
  }

  /// The number that a statement returns as `n`.
  func number(_ sql: String) throws -> Int {
    try PostgresConnection(to: PostgresAddress(address)).run(sql).first?.count("n") ?? -1
  }

  /// Runs one of PostgreSQL's programs.
  static func program(_ name: String) -> String {
    (ProcessInfo.processInfo.environment["SERIALSCAN_TEST_POSTGRES_PROGRAMS"] ?? "/usr/bin") + "/" + name
  }
}
