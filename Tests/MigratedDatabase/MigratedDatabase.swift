import Foundation
import PostgresStore
import TestCluster

extension TestCluster {
  /// Creates a database with the newest schema, and returns its address. Copying it takes a fraction of the time that
  /// the migrations take.
  public static func makeMigratedDatabase() async throws -> String {
    try makeDatabase(copying: name(of: await migrated.value))
  }

  private static let migrated = Task {
    let address = try makeDatabase()
    let folder = NSTemporaryDirectory() + "migrated-" + UUID().uuidString
    var options = PostgresStore.Options(isServer: true, connections: 1)
    options.temporaryFolder = folder
    try await PostgresStore(address: address, options: options).close()
    try FileManager.default.removeItem(atPath: folder)
    // Whatever still ends a connection of the store's.
    try run("ALTER DATABASE \(name(of: address)) ALLOW_CONNECTIONS false")
    try run("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '\(name(of: address))'")
    return address
  }
}
