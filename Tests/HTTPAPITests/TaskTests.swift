import Evaluations
import Foundation
import HTTPAPI
import JobStore
import NIOConcurrencyHelpers
import ScanModel
import Testing

/// Covers `GET /tasks`, `GET /tasks/{task_id}` and `DELETE /tasks/{task_id}`: listing, owners, cancelling, and the limit
/// of pending tasks.
@Suite struct TaskTests {
  /// A server whose evaluations end only when cancelled; `cancelled` counts the cancelled readings.
  private static func running(maxTasks: Int, cancelled: NIOLockedValueBox<Int> = .init(0)) async throws -> RunningAPI {
    let api = try await RunningAPI(configure: { $0.settings.queue.maxTasks = maxTasks }) { _, _ in
      do {
        try await Task.sleep(for: .seconds(3600))
        return .sample(serials: [])
      } catch {
        cancelled.withLockedValue { $0 += 1 }
        throw error
      }
    }
    let folder = "\(api.dataPath)/datasets/small"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "photo".write(toFile: "\(folder)/a.jpg", atomically: true, encoding: .utf8)
    try "filename,serial\na.jpg,C02G414GMD6N\n".write(toFile: "\(folder)/labels.csv", atomically: true, encoding: .utf8)
    return api
  }

  private static func ids(_ reply: Connection.Reply?) -> [String] {
    (reply?.json["items"] as? [[String: Any]] ?? []).compactMap { $0["job_id"] as? String }
  }

  @Test func rejectsTooManyPendingEvaluations() async throws {
    let api = try await Self.running(maxTasks: 2)
    let path = "/evaluate?dir=small&async=true"
    let accepted = [await api.request("POST", path), await api.request("POST", path)]
    #expect(accepted.map { $0?.status } == [202, 202])
    let refused = try #require(await api.request("POST", path))
    #expect(refused.status == 503 && refused.errorCode == "QUEUE_FULL" && refused.headers["retry-after"] != nil)
    let sweep = await api.request(
      "POST", "/params/sweep", headers: ["Content-Type": "application/json"],
      body: Data(#"{"dir": "small", "preset": "etched"}"#.utf8))
    #expect(sweep?.errorCode == "QUEUE_FULL")
    let ids = accepted.compactMap { $0?.json["job_id"] as? String }
    #expect(Self.ids(await api.get("/tasks")) == ids.reversed())
    #expect(await api.request("DELETE", "/tasks/\(ids[0])")?.status == 200)
    #expect(await api.request("POST", path)?.status == 202)
  }

  @Test func cancellingTaskStopsItsWork() async throws {
    let cancelled = NIOLockedValueBox(0)
    let api = try await Self.running(maxTasks: 9, cancelled: cancelled)
    let id = try #require(await api.request("POST", "/evaluate?dir=small&async=true")?.json["job_id"] as? String)
    for _ in 0..<500 where await api.get("/tasks/\(id)")?.json["status"] as? String != "processing" {
      try await Task.sleep(for: .milliseconds(20))
    }
    let answer = try #require(await api.request("DELETE", "/tasks/\(id)"))
    #expect(answer.json["status"] as? String == "failed" && answer.json["progress"] as? Int == 100)
    #expect((answer.json["error"] as? String)?.contains("cancelled") == true)
    for _ in 0..<1000 where cancelled.withLockedValue({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(20)) }
    #expect(cancelled.withLockedValue { $0 } == 1)
    // It does not change, and is listed among the failed ones.
    #expect(await api.request("DELETE", "/tasks/\(id)")?.json["error"] as? String == answer.json["error"] as? String)
    #expect(await api.get("/tasks/\(id)")?.json["status"] as? String == "failed")
    #expect(Self.ids(await api.get("/tasks?status=failed")) == [id])
    #expect(Self.ids(await api.get("/tasks?status=queued")) == [])
    let unknown = try #require(await api.request("DELETE", "/tasks/nothing"))
    #expect(unknown.errorCode == "JOB_NOT_FOUND" && unknown.detail?.contains("no task") == true)
  }

  /// Another machine of a shared store may have the missing folder, so the task waits for a limited time.
  @Test func taskWithoutFolderWaitsThenFails() async throws {
    let api = try await RunningAPI(configure: { $0.taskPatience = .init(forReaders: .zero, forFolder: .seconds(3)) })
    #expect(await api.get("/evaluate?dir=elsewhere")?.errorCode == "DATASET_NOT_FOUND")
    #expect(await api.request("POST", "/evaluate?dir=..%2Felsewhere&async=true")?.status == 422)
    #expect(await api.request("HEAD", "/evaluate?dir=elsewhere&async=true")?.status == 422)
    let accepted = await api.request("POST", "/evaluate?dir=elsewhere&async=true")
    let sweep = await api.request(
      "POST", "/params/sweep", headers: ["Content-Type": "application/json"],
      body: Data(#"{"dir": "elsewhere", "preset": "etched"}"#.utf8))
    let ids = [accepted, sweep].compactMap { $0?.json["job_id"] as? String }
    #expect(Self.ids(await api.get("/tasks?status=queued")) == ids.reversed())
    #expect(Self.ids(await api.get("/tasks?status=processing")) == [])
    for reply in [accepted, sweep] {
      let task = try await EvaluationTests.waitForEnd(of: reply, on: api)
      #expect(task["status"] as? String == "failed")
      #expect((task["error"] as? String)?.hasPrefix("No machine of this store has that labelled folder") == true)
    }
    #expect(Self.ids(await api.get("/tasks?status=queued")) == [])
  }

  @Test func taskIsVisibleToItsKeyAndToReadKeys() async throws {
    let api = try await Self.running(maxTasks: 9)
    let (mine, other) = try await (api.addKey([.scan]), api.addKey([.scan]))
    let (reader, admin) = try await (api.addKey([.read]), api.addKey([.admin]))
    func header(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }
    let asked = try #require(await api.request("POST", "/evaluate?dir=small&async=true", headers: header(admin)))
    let theirs = try #require(asked.json["job_id"] as? String)
    // No endpoint accepts tasks from a scan key, but their owner would see them.
    let owner = mine.split(separator: "_").dropFirst().first.map(String.init)
    let own = UUID().uuidString.lowercased()
    _ = try await api.store.addTask(NewTask(id: own, kind: "other", parameters: "{}", keyID: owner), limit: .max)
    for (key, seen) in [(mine, [own]), (other, []), (reader, [own, theirs]), (admin, [own, theirs])] {
      #expect(Self.ids(await api.get("/tasks", headers: header(key))) == seen)
      for id in [own, theirs] {
        #expect(await api.get("/tasks/\(id)", headers: header(key))?.status == (seen.contains(id) ? 200 : 404))
      }
    }
    #expect(await api.get("/tasks/\(own)", headers: header(mine))?.json["key_id"] as? String == owner)
    #expect(await api.request("DELETE", "/tasks/\(theirs)", headers: header(reader))?.status == 403)
    #expect(await api.request("DELETE", "/tasks/\(theirs)", headers: header(admin))?.status == 200)
  }
}
