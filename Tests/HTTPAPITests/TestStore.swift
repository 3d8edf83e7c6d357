import Foundation
import JobStore
import PostgresClient
import PostgresStore
import SQLiteStore
import Testing

/// The store under the API: SQLite, or with `SERIALSCAN_TEST_STORE=postgresql` a fresh database in the cluster that
/// `Tools/postgres.sh` starts for the tests, with photos in a folder.
enum TestStore {
  private static let variables = ProcessInfo.processInfo.environment

  static func open(dataPath: String, limits: QueueLimits) throws -> any ServerStore {
    guard variables["SERIALSCAN_TEST_STORE"] == "postgresql" else {
      return try SQLiteJobStore(path: "\(dataPath)/serialscan.sqlite", options: .init(limits: limits))
    }
    let cluster = try #require(variables["SERIALSCAN_TEST_POSTGRES"])
    let name = "api_" + UUID().uuidString.lowercased().replacing("-", with: "")
    try PostgresConnection(to: PostgresAddress(cluster)).run("CREATE DATABASE \(name)")
    var address = try #require(URLComponents(string: cluster))
    address.path = "/" + name
    var options = PostgresStore.Options(limits: limits, isServer: true, connections: 4)
    (options.temporaryFolder, options.photosFolder) = (dataPath, dataPath)
    return try PostgresStore(address: try #require(address.string), options: options)
  }
}
