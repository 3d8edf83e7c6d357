import Foundation
import PostgresClient

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
    try run("CREATE DATABASE \(name)" + (template.map { " TEMPLATE \($0)" } ?? "") + strategy.get())
    parts.path = "/" + name
    return parts.string ?? address
  }

  /// From version 15 on, the pages of a new database are by default logged too, which takes twice as long.
  private static let strategy = Result {
    let isNew = try run("SELECT 1 WHERE current_setting('server_version_num')::int >= 150000").count > 0
    return isNew ? " STRATEGY file_copy" : ""
  }

  /// Drops a database, and ends its connections.
  public static func dropDatabase(at address: String) throws {
    try run("DROP DATABASE \(name(of: address)) WITH (FORCE)")
  }

  /// The name of the database at an address.
  package static func name(of address: String) -> String {
    String(URLComponents(string: address)?.path.dropFirst() ?? "")
  }

  /// Runs a statement in the cluster's own database.
  @discardableResult
  package static func run(_ statement: String) throws -> PostgresResult {
    guard let address else { throw Missing() }
    return try PostgresConnection(to: PostgresAddress(address)).run(statement)
  }
}
