import Foundation
import TestCluster
import Testing

/// Evaluations and sweeps of machines that share a PostgreSQL: servers leave them to workers, and no machine takes one
/// without its labelled folder.
@Suite(.serialized, .enabled(if: TestCluster.isThere, "no SERIALSCAN_TEST_POSTGRES"))
struct SharedEvaluationTests {
  private static let pictures = ["etched_clean_1.jpg", "screen_clean_1.jpg", "no_serial_1.jpg"]

  /// A root of datasets, optionally with the labelled folder `small`.
  private static func root(withFolder: Bool) throws -> String {
    try withFolder ? SweepTests.datasets(pictures).path : RunningServer.freshFolder().path
  }

  private static func accepted(_ reply: Reply) throws -> String {
    #expect(reply.status == 202, "\(reply.json)")
    return try #require(reply.json["check_status_url"] as? String)
  }

  /// The process that claimed the only task.
  private static func worker(in database: SharedDatabase) throws -> String {
    try CrashTests.output(
      of: SharedDatabase.program("psql"), ["-XAtq", database.address, "-c", "SELECT worker FROM tasks"])
  }

  @Test func serverWithoutWorkersLeavesTaskToWorker() async throws {
    try await SharedDatabase.with { database in
      // The server doesn't have the folder.
      let server = try RunningServer(
        store: database.address, settings: ["workers=0", "datasets=\(Self.root(withFolder: false))"])
      #expect(try await server.get("/evaluate?dir=small").json["error_code"] as? String == "DATASET_NOT_FOUND")
      #expect(try await server.request("POST", "/evaluate?dir=..&async=true", body: nil).status == 422)
      let without = try RunningWorker(
        store: database.address, settings: ["workers=1", "datasets=\(Self.root(withFolder: false))"])
      let path = try Self.accepted(try await server.request("POST", "/evaluate?dir=small&async=true", body: nil))
      // Several polls of the two that lack it.
      try await Task.sleep(for: .seconds(4))
      #expect(try await server.get(path).json["status"] as? String == "queued")
      let with = try RunningWorker(
        store: database.address, settings: ["workers=1", "datasets=\(Self.root(withFolder: true))"])
      let (task, _) = try await SweepTests.end(of: path, on: server)
      #expect(task.json["status"] as? String == "completed", "\(task.json) \(with.logText)")
      let result = try #require(task.json["result"] as? [String: Any])
      #expect(result["total"] as? Int == 3 && result["hits"] as? Int == 2, "\(result)")
      #expect(try Self.worker(in: database).contains("/\(with.processID)/"))
      // The server returns the report although it read no picture.
      let report = try await server.get(try #require(result["csv_url"] as? String))
      #expect(report.status == 200 && String(decoding: report.body, as: UTF8.self).contains("etched_clean_1.jpg"))
      #expect(without.stop() == 0 && with.stop() == 0 && server.stop() == 0)
    }
  }

  @Test func serverWithoutWorkersRunsTaskWhenNoWorkerCan() async throws {
    try await SharedDatabase.with { database in
      let server = try RunningServer(
        store: database.address, settings: ["workers=0", "datasets=\(Self.root(withFolder: true))"])
      let worker = try RunningWorker(
        store: database.address, settings: ["workers=1", "datasets=\(Self.root(withFolder: false))"])
      let (task, _) = try await SweepTests.end(
        of: try Self.accepted(try await server.request("POST", "/evaluate?dir=small&async=true", body: nil)), on: server
      )
      #expect(task.json["status"] as? String == "completed", "\(task.json)")
      #expect(try Self.worker(in: database).contains("/\(server.process.processIdentifier)/"))
      worker.stop()
    }
  }

  /// If a machine stops during a task, another restarts it immediately.
  @Test func stoppedSweepMovesToAnotherMachine() async throws {
    try await SharedDatabase.with { database in
      let datasets = "datasets=\(try Self.root(withFolder: true))"
      let server = try RunningServer(store: database.address, settings: ["workers=0", datasets])
      let first = try RunningWorker(
        store: database.address, settings: ["workers=1", datasets, "server.stop_timeout=1"])
      let path = try await SweepTests.sweep(
        #"{"dir": "small", "preset": "etched", "parameters": ["closing"]}"#, on: server)
      #expect(try await CrashTests.eventually { try await server.get(path).json["progress"] as? Int ?? 0 > 0 })
      #expect(first.stop() == 0)
      let second = try RunningWorker(store: database.address, settings: ["workers=1", datasets])
      let (task, _) = try await SweepTests.end(of: path, on: server)
      #expect(task.json["status"] as? String == "completed", "\(task.json) \(second.logText)")
      #expect(try Self.worker(in: database).contains("/\(second.processID)/"))
      #expect(try database.number("SELECT attempts AS n FROM tasks") == 1)
      second.stop()
    }
  }
}
