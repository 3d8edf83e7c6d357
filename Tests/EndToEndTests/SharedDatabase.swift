import Foundation
import PostgresClient
import Testing

/// A database of the throw-away cluster that `Tools/postgres.sh` starts around the tests, for one test.
struct SharedDatabase {
  static let cluster = ProcessInfo.processInfo.environment["SERIALSCAN_TEST_POSTGRES"]
  static let isThere = cluster != nil

  /// Where it is, for `--store`.
  let address: String

  /// Runs `body` with a fresh database, which is dropped afterwards.
  static func with(_ body: (SharedDatabase) async throws -> Void) async throws {
    let cluster = try #require(cluster)
    let name = "shared_" + UUID().uuidString.lowercased().replacing("-", with: "")
    let server = try PostgresConnection(to: PostgresAddress(cluster))
    try server.run("CREATE DATABASE \(name)")
    var address = try #require(URLComponents(string: cluster))
    address.path = "/" + name
    do {
      try await body(SharedDatabase(address: try #require(address.string)))
    } catch {
      try? server.run("DROP DATABASE \(name) WITH (FORCE)")
      throw error
    }
    try server.run("DROP DATABASE \(name) WITH (FORCE)")
  }

  /// The number that a statement answers as `n`.
  func number(_ sql: String) throws -> Int {
    try PostgresConnection(to: PostgresAddress(address)).run(sql).first?.count("n") ?? -1
  }
}
