import Foundation
import PostgresClient
import PostgresStore

/// The temporary cluster that `Tools/postgres.sh` starts for the tests.
public enum TestCluster {
  /// The address of the database that is created with it.
  public static let address = ProcessInfo.processInfo.environment["SERIALSCAN_TEST_POSTGRES"]
  /// Whether the tests run with one.
  public static let isThere = address != nil

  struct Missing: Error {}

  /// Creates a database, empty or a copy of one without connections, and returns its address.
  public static func makeDatabase(copying template: String? = nil) throws -> String {
    guard let address, var parts = URLComponents(string: address) else { throw Missing() }
    let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
    try run("CREATE DATABASE \(name)" + (template.map { " TEMPLATE \($0)" } ?? ""))
    parts.path = "/" + name
    return parts.string ?? address
  }

  /// Creates a database with the newest schema, and returns its address. Copying it takes a fraction of the time that
  /// the migrations take.
  public static func makeMigratedDatabase() async throws -> String {
    try makeDatabase(copying: name(of: await migrated.value))
  }

  /// Drops a database, and ends its connections.
  public static func dropDatabase(at address: String) throws {
    try run("DROP DATABASE \(name(of: address)) WITH (FORCE)")
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

  private static func name(of address: String) -> String {
    String(URLComponents(string: address)?.path.dropFirst() ?? "")
  }

  private static func run(_ statement: String) throws {
    guard let address else { throw Missing() }
    try PostgresConnection(to: PostgresAddress(address)).run(statement)
  }
}
