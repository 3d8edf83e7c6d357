import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Testing

/// Covers `GET /evaluate` in the foreground and background, its reports, names outside the datasets folder, all kinds of
/// labels, and `POST /params/sweep`.
@Suite struct EvaluationTests {
  /// A server whose reader returns the text that the test wrote into the file.
  static func running() async throws -> RunningAPI {
    let api = try await RunningAPI(read: { path, request in
      let text = try String(contentsOfFile: path, encoding: .utf8)
      // With another value of `closing` than the default, one more picture is read correctly.
      if text == "HARD" { return .sample(serials: request.parameters["closing"] == 13 ? ["C02G414GMD6N"] : []) }
      return .sample(serials: text.isEmpty ? [] : [text])
    })
    let folder = "\(api.dataPath)/datasets/small"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in ["a.jpg": "C02G414GMD6N", "b c.jpg": "C02XL0THJHCC", "d.jpg": "", "e.jpg": "HARD"] {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    try "SECRET".write(toFile: "\(api.dataPath)/secret.jpg", atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/link.jpg", withDestinationPath: "\(api.dataPath)/secret.jpg")
    try
      "\u{FEFF}filename,serial\r\na.jpg,C02G414GMD6N\r\n\"b c.jpg\",C02XXXXXXXXX\r\nd.jpg,FVFYJ0AAHV2D\r\ne.jpg,C02G414GMD6N\r\ngone.jpg,C02G414GMD6N\r\n../../secret.jpg,C02G414GMD6N\r\n\(api.dataPath)/secret.jpg,SECRET\r\nlink.jpg,SECRET\r\n"
      .write(toFile: "\(folder)/labels.csv", atomically: true, encoding: .utf8)
    return api
  }

  @Test func evaluatesLabelledFolder() async throws {
    let api = try await Self.running()
    let reply = try #require(await api.get("/evaluate?dir=small&preset=etched"))
    #expect(reply.status == 200, "\(reply.text)")
    let answer = try ClientModels.decode(ClientModels.Evaluation.self, reply.body)
    #expect(answer.dataset == "small" && answer.total == 8 && answer.detected == 2)
    #expect(answer.hits == 1 && answer.misreads == 1 && answer.accuracy_pct_on_detected == 50)
    #expect(answer.rows.map(\.is_hit) == [true] + [Bool](repeating: false, count: 7))
    #expect(reply.json["silent"] as? Int == 2 && reply.json["rightly_silent"] as? Int == 0)
    #expect(reply.json["unreadable"] as? Int == 4)
    let definitions = try #require(reply.json["definitions"] as? [String: String])
    let figures = reply.json.filter { $0.value is NSNumber }.map(\.key)
    #expect(Set(figures) == Set(definitions.keys), "every figure has a definition")
    for row in answer.rows[4...] {
      #expect(row.error.value != nil && row.predicted.value == nil, "\(row.filename) may not be read")
    }
    for path in [answer.csv_path, answer.summary_path] {
      #expect(path.hasPrefix("\(api.dataPath)/reports/") && FileManager.default.fileExists(atPath: path))
    }
    let url = try #require(reply.json["csv_url"] as? String)
    let fetched = try #require(await api.get(url))
    #expect(fetched.status == 200 && fetched.text.contains("b c.jpg"))
    let header = Set(fetched.text.prefix { !$0.isNewline }.split(separator: ",").map(String.init))
    let row = try #require((reply.json["rows"] as? [[String: Any]])?.first)
    #expect(header == Set(row.keys), "CSV and JSON have the same columns")
  }

  @Test func saysWhyDatasetsCannotBeListed() async throws {
    let api = try await Self.running()
    let listed = try #require(await api.get("/datasets"))
    #expect((listed.json["items"] as? [Any])?.count == 1 && listed.json["problem"] is NSNull, "\(listed.text)")
    try FileManager.default.removeItem(atPath: "\(api.dataPath)/datasets")
    let reply = try #require(await api.get("/datasets"))
    #expect(reply.status == 200 && (reply.json["items"] as? [Any])?.isEmpty == true)
    let problem = try #require(reply.json["problem"] as? String)
    #expect(problem.contains("\(api.dataPath)/datasets") && problem.contains("does not exist"), "\(problem)")
  }

  @Test func rejectsDatasetsOutsideTheFolder() async throws {
    let api = try await Self.running()
    try FileManager.default.createSymbolicLink(
      atPath: "\(api.dataPath)/datasets/link", withDestinationPath: api.dataPath)
    for name in ["..", "../photos", "/etc", "small/../..", "link", "link/photos", "", "%00"] {
      let status = try #require(await api.get("/evaluate?dir=\(name)")?.status)
      #expect([404, 422].contains(status), "\(name)")
    }
    #expect(await api.get("/evaluate?dir=nothing")?.errorCode == "DATASET_NOT_FOUND")
    #expect(await api.get("/evaluate?dir=small&preset=wood")?.errorCode == "UNKNOWN_PRESET")
    #expect(await api.get("/reports/..%2F..%2Fserialscan.sqlite")?.status == 404)
  }

  @Test func allowsTwoEvaluationsAtOnce() async throws {
    let api = try await Self.running()
    let paths = ["/evaluate?dir=small", "/evaluate?dir=small&preset=etched", "/evaluate?dir=small"]
    let replies = await withTaskGroup(of: Connection.Reply?.self) { group in
      for path in paths { group.addTask { await api.request("POST", path) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for reply in replies {
      let answer = try ClientModels.decode(ClientModels.Evaluation.self, try #require(reply).body)
      #expect(answer.total == 8 && answer.hits == 1)
    }
    #expect(Set(replies.compactMap { $0?.json["csv_path"] as? String }).count == 3, "each has its own report")
  }

  @Test(arguments: [
    ("", "BAD_LABELS", "filename"), ("filename\na.jpg\n", "BAD_LABELS", "serial"),
    ("a.jpg,C02G414GMD6N\n", "BAD_LABELS", "header"),
  ])
  func reportsUnusableLabels(labels: String, code: String, words: String) async throws {
    let api = try await Self.running()
    try labels.write(toFile: "\(api.dataPath)/datasets/small/labels.csv", atomically: true, encoding: .utf8)
    let reply = try #require(await api.get("/evaluate?dir=small"))
    #expect(reply.status == 422 && reply.errorCode == code && reply.detail?.contains(words) == true, "\(reply.text)")
  }

  static func waitForEnd(of reply: Connection.Reply?, on api: RunningAPI) async throws -> [String: Any] {
    let accepted = try #require(reply)
    #expect(accepted.status == 202, "\(accepted.text)")
    let path = try #require(accepted.json["check_status_url"] as? String)
    for _ in 0..<1000 {
      let task = try #require(await api.get(path)).json
      if ["completed", "failed"].contains(task["status"] as? String) { return task }
      try await Task.sleep(for: .milliseconds(20))
    }
    return [:]
  }

  @Test func evaluatesInTheBackgroundWithProgress() async throws {
    let api = try await Self.running()
    let task = try await Self.waitForEnd(of: await api.request("POST", "/evaluate?dir=small&async=true"), on: api)
    #expect(task["status"] as? String == "completed" && task["progress"] as? Int == 100 && task["error"] is NSNull)
    #expect((task["result"] as? [String: Any])?["total"] as? Int == 8)
    #expect(await api.get("/tasks/nothing")?.status == 404)
  }

  @Test func sweepKeepsBetterParameters() async throws {
    let api = try await Self.running()
    func sweep(_ json: String) async -> Connection.Reply? {
      await api.request("POST", "/params/sweep", headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }
    let task = try await Self.waitForEnd(of: await sweep(#"{"dir": "small", "preset": "etched"}"#), on: api)
    let result = try #require(task["result"] as? [String: Any])
    let best = try #require(result["best"] as? [String: Any])
    #expect(result["improved"] as? Bool == true && best["hits"] as? Int == 2)
    #expect((best["parameters"] as? [String: Double])?["closing"] == 13)
    #expect(await sweep(#"{"dir": "small", "preset": "wood"}"#)?.errorCode == "UNKNOWN_PRESET")
    #expect(await sweep(#"{"dir": "small", "preset": "etched", "parameters": ["x"]}"#)?.status == 422)
    #expect(await sweep(#"{"dir": "nothing", "preset": "etched"}"#)?.status == 404)
  }

  @Test func rejectsUnknownSweepParameterAndSuggestsOne() async throws {
    let api = try await Self.running()
    for (name, said) in ["closng": "Did you mean `closing`?", "zzzzzzzzzzzz": "does not have. It has closing, "] {
      let reply = await api.request(
        "POST", "/params/sweep", headers: ["Content-Type": "application/json"],
        body: Data(#"{"dir": "small", "preset": "etched", "parameters": ["closing", "\#(name)"]}"#.utf8))
      #expect(reply?.status == 422 && reply?.errorCode == "INVALID_PARAMETER")
      #expect((reply?.json["detail"] as? String)?.contains(said) == true, "\(reply?.text ?? "")")
    }
  }

  @Test func sweepFailsIfItsParameterDisappeared() async throws {
    let api = try await Self.running()
    let id = UUID().uuidString.lowercased()
    let asked = #"{"dir": "small", "preset": "etched", "parameters": ["closing", "former"], "rounds": 1}"#
    _ = try await api.store.addTask(NewTask(id: id, kind: "sweep", parameters: asked, keyID: nil), limit: .max)
    var task: [String: Any] = [:]
    for _ in 0..<1000 where task["status"] as? String != "failed" && task["status"] as? String != "completed" {
      try await Task.sleep(for: .milliseconds(20))
      task = try #require(await api.get("/tasks/\(id)")).json
    }
    #expect(task["status"] as? String == "failed" && task["result"] is NSNull)
    #expect((task["error"] as? String)?.contains("`former`") == true, "\(task)")
  }
}
