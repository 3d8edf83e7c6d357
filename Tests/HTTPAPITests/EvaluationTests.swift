import Foundation
import HTTPAPI
import ReaderProtocol
import Testing

/// Covers `GET /evaluate` at once and in the background, its reports, names that lead out of the datasets folder, labels
/// of every kind, and `POST /params/sweep`.
@Suite struct EvaluationTests {
  /// Reads from a picture whatever text the test wrote into it.
  static func running() async throws -> RunningAPI {
    let api = try await RunningAPI(read: { request in
      let text = try String(contentsOfFile: request.photoPath, encoding: .utf8)
      // With another closing than the default, one more picture is read rightly.
      if text == "HARD" { return .sample(serials: request.parameters["closing"] == 13 ? ["C02G414GMD6N"] : []) }
      return .sample(serials: text.isEmpty ? [] : [text])
    })
    let folder = "\(api.dataPath)/datasets/small"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in ["a.jpg": "C02G414GMD6N", "b c.jpg": "C02XL0THJHCC", "d.jpg": "", "e.jpg": "HARD"] {
      try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    }
    try "secret".write(toFile: "\(api.dataPath)/secret.jpg", atomically: true, encoding: .utf8)
    try
      "\u{FEFF}filename,serial\r\na.jpg,C02G414GMD6N\r\n\"b c.jpg\",C02XXXXXXXXX\r\nd.jpg,FVFYJ0AAHV2D\r\ne.jpg,C02G414GMD6N\r\ngone.jpg,C02G414GMD6N\r\n../../secret.jpg,C02G414GMD6N\r\n"
      .write(toFile: "\(folder)/labels.csv", atomically: true, encoding: .utf8)
    return api
  }

  @Test func judgesALabelledFolder() async throws {
    let api = try await Self.running()
    let reply = try #require(await api.get("/evaluate?dir=small&preset=etched"))
    #expect(reply.status == 200, "\(reply.text)")
    let answer = reply.json
    #expect(answer["dataset"] as? String == "small" && answer["total"] as? Int == 6 && answer["detected"] as? Int == 2)
    #expect(answer["hits"] as? Int == 1 && answer["misreads"] as? Int == 1)
    #expect(answer["accuracy_pct_on_detected"] as? Double == 50)
    for name in [
      "detection_rate_pct", "accuracy_pct_overall", "strict_validation_passes", "high_confidence_count",
      "high_confidence_hits", "high_confidence_accuracy_pct",
    ] { #expect(answer[name] is NSNumber, "\(name)") }
    let rows = try #require(answer["rows"] as? [[String: Any]])
    #expect(rows.count == 6 && rows[0]["is_hit"] as? Bool == true && rows[4]["error"] is String)
    #expect(rows[5]["error"] is String && rows[5]["predicted"] is NSNull, "a label may not lead out of the folder")
    let csv = try #require(answer["csv_path"] as? String)
    #expect(FileManager.default.fileExists(atPath: csv))
    let summary = try #require(answer["summary_path"] as? String)
    #expect(FileManager.default.fileExists(atPath: summary))
    let url = try #require(answer["csv_url"] as? String)
    let fetched = try #require(await api.get(url))
    #expect(fetched.status == 200 && fetched.text.contains("b c.jpg"))
  }

  @Test func namesThatLeadOutAreRefused() async throws {
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
    let task = try await Self.waitForEnd(of: await api.get("/evaluate?dir=small&async=true"), on: api)
    #expect(task["status"] as? String == "completed" && task["progress"] as? Int == 100 && task["error"] is NSNull)
    #expect((task["result"] as? [String: Any])?["total"] as? Int == 6)
    #expect(await api.get("/tasks/nothing")?.status == 404)
  }

  @Test func aSweepKeepsWhatReadsMore() async throws {
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
}
