import Foundation
import TestCluster
import Testing

/// A database removed, replaced or damaged under a running server: no photo is accepted that would be lost.
@Suite(.serialized) struct DatabaseLossTests {
  /// An event that affects a running server's files.
  enum Loss: String, CaseIterable, Sendable {
    case removed, movedAway, replaced, truncated, logRemoved, overwritten

    /// - Parameter other: Another copy of the database.
    func happen(to data: URL, other: URL) throws {
      let files = FileManager.default
      let database = data.appendingPathComponent("serialscan.sqlite")
      let log = data.appendingPathComponent("serialscan.sqlite-wal")
      switch self {
      case .removed:
        for ending in ["", "-wal", "-shm"] { try? files.removeItem(atPath: database.path + ending) }
      case .movedAway: try files.moveItem(at: data, to: data.appendingPathExtension("away"))
      case .replaced:
        try files.removeItem(at: database)
        try files.copyItem(at: other, to: database)
      case .truncated: try #require(truncate(database.path, 4096) == 0)
      case .logRemoved: try files.removeItem(at: log)
      case .overwritten:
        // In place, as `cp` does, after a checkpoint of the log.
        _ = try CrashTests.sqlite(data, "PRAGMA wal_checkpoint(TRUNCATE)")
        let handle = try FileHandle(forWritingTo: database)
        try handle.write(contentsOf: try Data(contentsOf: other))
        try handle.close()
      }
    }
  }

  @Test(.enabled(if: !TestStore.isShared), arguments: Loss.allCases)
  func rejectsPhotosAfterDatabaseIsReplaced(loss: Loss) async throws {
    let first = try RunningServer(settings: ["workers=1"])
    _ = try await first.scan(BadInputTests.picture())
    first.stop()
    let other = RunningServer.freshFolder().appendingPathComponent("other.sqlite")
    try FileManager.default.copyItem(at: first.data.appendingPathComponent("serialscan.sqlite"), to: other)

    let server = try RunningServer(data: first.data, settings: ["workers=0"])
    #expect(try await server.upload(BadInputTests.picture()).status == 200)
    try loss.happen(to: server.data, other: other)
    try await Task.sleep(for: .milliseconds(1100))
    for _ in 0..<3 {
      let reply = try await server.upload(BadInputTests.picture())
      #expect(reply.status == 503 && reply.errorCode == "STORAGE_UNAVAILABLE", "\(loss): \(reply.status) \(reply.json)")
    }
    let health = try await server.get("/health")
    #expect(health.status == 503 && health.json["status"] as? String == "unhealthy", "\(loss)")
    #expect((health.json["database"] as? String)?.contains("while the server ran") == true, "\(loss): \(health.json)")
    #expect(server.process.isRunning)
    #expect(server.stop() == 0)
  }

  @Test(.enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES"))
  func rejectsPhotosWhileTableIsMissing() async throws {
    try await SharedDatabase.with { database in
      let server = try RunningServer(store: database.address, settings: ["workers=0"])
      #expect(try await server.upload(BadInputTests.picture()).status == 200)
      _ = try database.number("ALTER TABLE serials RENAME TO away")
      try await Task.sleep(for: .milliseconds(1100))
      let reply = try await server.upload(BadInputTests.picture())
      #expect(reply.status == 503 && reply.errorCode == "STORAGE_UNAVAILABLE", "\(reply.json)")
      #expect(try await server.get("/health").status == 503)
      _ = try database.number("ALTER TABLE away RENAME TO serials")
      #expect(try await CrashTests.eventually { try await server.upload(BadInputTests.picture()).status == 200 })
      #expect(try await CrashTests.eventually { try await server.get("/health").status == 200 })
    }
  }
}
