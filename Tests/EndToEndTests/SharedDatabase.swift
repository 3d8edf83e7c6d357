import Foundation
import PostgresClient
import Testing

/// A database for one test, in the temporary cluster that `Tools/postgres.sh` starts for the tests.
struct SharedDatabase {
  static let cluster = ProcessInfo.processInfo.environment["SERIALSCAN_TEST_POSTGRES"]
  static let isThere = cluster != nil

  /// Its address, for `--store`.
  let address: String

  /// Creates an empty database, or a copy of one without connections. It is deleted with the cluster.
  static func make(copying template: String? = nil) throws -> SharedDatabase {
    let cluster = try #require(cluster)
    let name = "shared_" + UUID().uuidString.lowercased().replacing("-", with: "")
    let server = try PostgresConnection(to: PostgresAddress(cluster))
    try server.run("CREATE DATABASE \(name)" + (template.map { " TEMPLATE \($0)" } ?? ""))
    var address = try #require(URLComponents(string: cluster))
    address.path = "/" + name
    return SharedDatabase(address: try #require(address.string))
  }

  /// Runs `body` with a fresh database, which is dropped afterwards.
  static func with(_ body: (SharedDatabase) async throws -> Void) async throws {
    let database = try make()
    defer { try? database.drop() }
    try await body(database)
  }

  private func drop() throws {
    let name = try #require(URLComponents(string: address)).path.dropFirst()
    try PostgresConnection(to: PostgresAddress(#require(Self.cluster))).run("DROP DATABASE \(name) WITH (FORCE)")
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
