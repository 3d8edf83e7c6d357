import Foundation
import JobStore
import MigratedDatabase
import PostgresStore
import SQLiteStore
import TestCluster

/// The store under the API: SQLite, or with `SERIALSCAN_TEST_STORE=postgresql` a fresh database in the cluster that
/// `Tools/postgres.sh` starts for the tests, with photos in a folder.
enum TestStore {
  private static let variables = ProcessInfo.processInfo.environment

  /// Whether the tests use SQLite.
  static var isSQLite: Bool { variables["SERIALSCAN_TEST_STORE"] != "postgresql" }

  /// Opens a fresh store; also returns the address of its database if that is PostgreSQL's.
  static func open(dataPath: String, limits: QueueLimits) async throws -> (any ServerStore, database: String?) {
    guard !isSQLite else {
      return (try SQLiteJobStore(path: "\(dataPath)/serialscan.sqlite", options: .init(limits: limits)), nil)
    }
    var options = PostgresStore.Options(limits: limits, isServer: true, connections: 4)
    (options.temporaryFolder, options.photosFolder) = (dataPath, dataPath)
    let database = try await TestCluster.makeMigratedDatabase()
    return (try PostgresStore(address: database, options: options), database)
  }
}
