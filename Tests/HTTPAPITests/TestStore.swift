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

  static func open(dataPath: String, limits: QueueLimits) async throws -> any ServerStore {
    guard !isSQLite else {
      return try SQLiteJobStore(path: "\(dataPath)/serialscan.sqlite", options: .init(limits: limits))
    }
    var options = PostgresStore.Options(limits: limits, isServer: true, connections: 4)
    (options.temporaryFolder, options.photosFolder) = (dataPath, dataPath)
    return try PostgresStore(address: await TestCluster.makeMigratedDatabase(), options: options)
  }
}
