import Foundation
import Testing

/// Sweeps and evaluations with the real reader: a sweep changes the reading, is never worse than its start, and restarts
/// after a kill; concurrent evaluations both end; old reports are deleted.
@Suite(.serialized) struct SweepTests {
  /// A root of datasets with a labelled folder of a few generated pictures.
  static func datasets(_ names: [String]) throws -> URL {
    let root = RunningServer.freshFolder()
    let folder = root.appendingPathComponent("small")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let pictures = try LabelledPicture.all(in: LabelledPicture.generated).filter { names.contains($0.description) }
    #expect(pictures.count == names.count)
    var labels = "filename,serial\n"
    for picture in pictures {
      try FileManager.default.copyItem(at: picture.url, to: folder.appendingPathComponent(picture.description))
      labels += "\(picture.description),\(picture.serial)\n"
    }
    try labels.write(to: folder.appendingPathComponent("labels.csv"), atomically: true, encoding: .utf8)
    return root
  }

  static func sweep(_ json: String, on server: RunningServer) async throws -> String {
    let reply = try await server.request(
      "POST", "/params/sweep", headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    #expect(reply.status == 202, "\(reply.json)")
    return try #require(reply.json["check_status_url"] as? String)
  }

  /// The task at its end, and the progress seen before it.
  static func end(of path: String, on server: RunningServer) async throws -> (Reply, [Int]) {
    var seen: [Int] = []
    while true {
      let reply = try await server.get(path)
      #expect(reply.status == 200)
      seen.append(reply.json["progress"] as? Int ?? -1)
      if ["completed", "failed"].contains(reply.json["status"] as? String) { return (reply, seen) }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private static func numbers(_ trial: Any?) -> (score: Int, parameters: [String: Double]) {
    let trial = trial as? [String: Any]
    return (trial?["score"] as? Int ?? .min, trial?["parameters"] as? [String: Double] ?? [:])
  }

  @Test func sweepRecoversFromBadParameter() async throws {
    // This picture has less contrast than the bound, and no other strategy reads it: nothing is read until the sweep lowers
    // the bound.
    let root = try Self.datasets(["etched_medium_1.jpg"])
    let bad = "presets.etched.parameters.stroke_threshold=0.2"
    let server = try RunningServer(settings: ["datasets=\(root.path)", bad])
    let path = try await Self.sweep(
      #"{"dir": "small", "preset": "etched", "parameters": ["stroke_threshold"]}"#, on: server)
    let (task, progress) = try await Self.end(of: path, on: server)
    #expect(task.json["status"] as? String == "completed", "\(task.json)")
    #expect(progress == progress.sorted() && progress.contains { (1...99).contains($0) } && progress.last == 100)
    let result = try #require(task.json["result"] as? [String: Any])
    let (baseline, best) = (Self.numbers(result["baseline"]), Self.numbers(result["best"]))
    #expect(baseline.score == 0 && baseline.parameters["stroke_threshold"] == 0.2)
    let found = try #require(best.parameters["stroke_threshold"])
    #expect(best.score == 1 && found < 0.2 && result["improved"] as? Bool == true)
    #expect((result["trials"] as? [Any])?.count == 5)
    // As a setting, the value gives the same reading.
    let tuned = try RunningServer(settings: [
      "datasets=\(root.path)", "presets.etched.parameters.stroke_threshold=\(found)",
    ])
    let evaluation = try await tuned.get("/evaluate?dir=small&preset=etched")
    #expect(evaluation.json["hits"] as? Int == 1, "\(evaluation.json)")
  }

  @Test func sweepCommandPrintsFoundSettings() throws {
    let root = try Self.datasets(["etched_medium_1.jpg"])
    let (folder, json) = (root.appendingPathComponent("small").path, root.appendingPathComponent("sweep.json"))
    func sweep(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
      try RunningServer.run(["sweep", folder, "--preset", "etched"] + arguments)
    }
    let run = try sweep(
      "--parameter", "stroke_threshold", "--json", json.path, "--set",
      "presets.etched.parameters.stroke_threshold=0.2")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let advice = try #require(run.output.firstMatch(of: #/--set (presets\.etched\.parameters\.stroke_threshold=\S+)/#))
    let result = try JSONSerialization.jsonObject(with: Data(contentsOf: json)) as? [String: Any]
    #expect(result?["improved"] as? Bool == true && (result?["trials"] as? [Any])?.count == 5)
    #expect(Self.numbers(result?["baseline"]).score == 0 && Self.numbers(result?["best"]).score == 1)
    let tuned = try RunningServer.run(["evaluate", folder, "--preset", "etched", "--set", String(advice.1)])
    #expect(tuned.output.contains(#/(?m)^hits +1 /#), "\(tuned.output)")
    let unknown = try sweep("--parameter", "closng")
    #expect(unknown.status == 64 && unknown.errors.contains("closng") && unknown.errors.contains("closing"))
    #expect(try sweep("--rounds", "6").status == 64)
    for option in ["--rounds", "--jobs"] {
      let errors = try sweep(option, "-1").errors
      #expect(errors.contains("\(option) must be between 1 and"), "\(errors)")
    }
    #expect(try RunningServer.run(["sweep", folder + "/nowhere", "--preset", "etched"]).status == 1)
  }

  @Test func sweepRestartsAfterKillAndIsNeverWorse() async throws {
    let root = try Self.datasets(["etched_clean_1.jpg"])
    let first = try RunningServer(settings: ["datasets=\(root.path)"])
    let path = try await Self.sweep(
      #"{"dir": "small", "preset": "etched", "parameters": ["stroke_threshold", "closing"]}"#, on: first)
    #expect(try await CrashTests.eventually { try await first.get(path).json["progress"] as? Int ?? 0 > 0 })
    first.send(SIGKILL)
    first.process.waitUntilExit()
    // In PostgreSQL the task belongs to the killed server for half a minute, which need not pass.
    if TestStore.isShared {
      let held = "UPDATE tasks SET lease_until = store_now() WHERE lease_until > store_now() RETURNING id"
      #expect(try !TestStore.ask(first.data, held).isEmpty)
    }
    let second = try RunningServer(data: first.data, settings: ["datasets=\(root.path)"])
    let (task, _) = try await Self.end(of: path, on: second)
    #expect(task.json["status"] as? String == "completed", "\(task.json)")
    let result = try #require(task.json["result"] as? [String: Any])
    let (baseline, best) = (Self.numbers(result["baseline"]), Self.numbers(result["best"]))
    #expect(baseline.score == 1 && best.score == 1 && best.parameters == baseline.parameters)
    #expect(result["improved"] as? Bool == false)
    #expect(try await second.get(path).json["result"] is [String: Any], "the result stays")
  }

  @Test func twoConcurrentEvaluationsBothEnd() async throws {
    let root = try Self.datasets(["etched_clean_1.jpg", "screen_clean_1.jpg", "no_serial_1.jpg"])
    let server = try RunningServer(settings: ["datasets=\(root.path)"])
    async let first = server.get("/evaluate?dir=small")
    async let second = server.get("/evaluate?dir=small")
    async let background = server.request("POST", "/evaluate?dir=small&async=true", body: nil)
    let replies = try await [first, second]
    for reply in replies {
      #expect(reply.status == 200 && reply.json["hits"] as? Int == 2 && reply.json["total"] as? Int == 3)
    }
    #expect(Set(replies.compactMap { $0.json["csv_path"] as? String }).count == 2)
    let path = try #require(try await background.json["check_status_url"] as? String)
    let (task, _) = try await Self.end(of: path, on: server)
    #expect((task.json["result"] as? [String: Any])?["hits"] as? Int == 2)
  }

  @Test func removesExpiredReportsAndInterruptedExports() async throws {
    let data = RunningServer.freshFolder()
    var days = ["exports/export-left.xlsx": 0.1, "exports/export-now.xlsx": 0.001]
    // PostgreSQL keeps reports as rows; temporary files of exports are local.
    if !TestStore.isShared { days.merge(["reports/evaluation-old.csv": 91, "reports/evaluation-new.csv": 89]) { $1 } }
    let kept = days.keys.filter { $0.hasSuffix("now.xlsx") || $0.hasSuffix("new.csv") }.sorted()
    for (name, age) in days {
      let file = data.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data([1]).write(to: file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age * 86_400)], ofItemAtPath: file.path)
    }
    let server = try RunningServer(data: data)
    func left() -> [String] {
      days.keys.filter { FileManager.default.fileExists(atPath: data.appendingPathComponent($0).path) }.sorted()
    }
    #expect(try await CrashTests.eventually { left() == kept })
    #expect(server.process.isRunning)
  }
}
