import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Testing

/// Covers stored records: `POST /serials`, `/history`, `/stats`, `/jobs`, `/queue/status`, `DELETE /jobs/{id}`, `/export`,
/// `/params`, `/config`.
@Suite struct RecordsTests {
  static func save(_ json: String, on api: RunningAPI) async throws -> Connection.Reply {
    try #require(
      await api.request("POST", "/serials", headers: ["Content-Type": "application/json"], body: Data(json.utf8)))
  }

  @Test(arguments: [
    ("S c02xl0thjhcc", "C02XL0THJHCC", true, "accepted"), ("C02XLOTHJHCC", "C02XLOTHJHCC", false, "uncertain"),
  ])
  func checksScannedSerialsLikeTypedOnes(
    typed: String, saved: String, isValid: Bool, verdict: String
  ) async throws {
    let api = try await RunningAPI()
    let reply = try await Self.save(#"{"serial": "\#(typed)", "source": "scanner"}"#, on: api)
    #expect(reply.status == 200 && reply.json["validation_passed"] as? Bool == isValid, "\(reply.text)")
    #expect(isValid == (reply.json["did_you_mean"] is NSNull))
    let items = await api.get("/history?source=scanner")?.json["items"] as? [[String: Any]]
    let item = try #require(items?.first)
    #expect(item["serial"] as? String == saved && item["source"] as? String == "scanner")
    #expect(item["confidence"] as? Double == 1 && item["method"] as? String == "scanner")
    #expect(item["verdict"] as? String == verdict)
    #expect(await api.get("/stats")?.json["by_source"] as? [String: Int] == ["scanner": 1])
  }

  @Test func savesSerialReadOnDevice() async throws {
    let api = try await RunningAPI()
    let reply = try await Self.save(
      #"{"serial": "c02xl0thjhcc", "confidence": 0.95, "device_type": "MacBook Pro", "source": "ios", "ts": "2026-01-02T03:04:05.678Z", "notes": "=1+1"}"#,
      on: api)
    #expect(reply.status == 200, "\(reply.text)")
    let saved = try ClientModels.decode(ClientModels.Saved.self, reply.body)
    #expect(saved.success && saved.validation_passed && saved.confidence_acceptable && saved.serial_id > 0)
    let history = try #require(await api.get("/history"))
    let item = try #require((history.json["items"] as? [[String: Any]])?.first)
    #expect(item["serial"] as? String == "C02XL0THJHCC" && item["timestamp"] as? String == "2026-01-02T03:04:05Z")
    #expect(item["source"] as? String == "ios" && item["is_valid"] as? Bool == true && item["job_id"] is NSNull)
    let doubtful = try ClientModels.decode(
      ClientModels.Saved.self,
      try await Self.save(#"{"serial": "12345", "confidence": 0.1, "source": "mac"}"#, on: api).body)
    #expect(doubtful.success && !doubtful.validation_passed && !doubtful.confidence_acceptable)
  }

  @Test func savesSerialOncePerIdempotencyKey() async throws {
    let api = try await RunningAPI()
    func save(_ serial: String, key: String, access: String? = nil) async throws -> Connection.Reply {
      var headers = ["Content-Type": "application/json", "Idempotency-Key": key]
      if let access { headers["Authorization"] = "Bearer \(access)" }
      let body = Data(#"{"serial": "\#(serial)", "confidence": 0.95, "source": "ios"}"#.utf8)
      return try #require(await api.request("POST", "/serials", headers: headers, body: body))
    }
    let replies = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await save("C02XL0THJHCC", key: "one").text } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(replies.count == 1 && replies.first?.contains("\"serial_id\":1") == true, "\(replies)")
    let other = try await save("C02G414GMD6N", key: "one")
    #expect(other.status == 409 && other.errorCode == "IDEMPOTENCY_CONFLICT", "\(other.text)")
    let second = try await save("C02XL0THJHCC", key: "two").json["serial_id"] as? Int
    #expect(second != nil && second != 1)
    #expect(try await save("C02XL0THJHCC", key: "a b").errorCode == "INVALID_PARAMETER")
    // Different clients may choose the same key.
    let (bench, phone) = try await (api.addKey([.scan]), api.addKey([.scan]))
    try await Task.sleep(for: .seconds(2.1))
    var numbers: [Int?] = []
    for access in [bench, phone, bench] {
      numbers.append(try await save("C02XL0THJHCC", key: "one", access: access).json["serial_id"] as? Int)
    }
    #expect(numbers[0] == numbers[2] && Set([1, second] + numbers).count == 4, "\(numbers)")
  }

  @Test(arguments: [
    (#"{"confidence": 0.9, "source": "ios"}"#, "`serial` is missing"), ("[]", "JSON object"), ("{", "JSON object"),
    (#"{"serial": 5, "confidence": 0.9, "source": "ios"}"#, "`serial` must be text"),
    (#"{"serial": "a b/c", "confidence": 0.9, "source": "ios"}"#, "`serial`"),
    (#"{"serial": "C02XL0THJHCC", "confidence": 2, "source": "ios"}"#, "`confidence`"),
    (#"{"serial": "C02XL0THJHCC", "source": "ios"}"#, "`confidence`"),
    (#"{"serial": "C02XL0THJHCC", "confidence": 2, "source": "scanner"}"#, "`confidence`"),
    (#"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "scan"}"#, "`source`"),
    (#"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "ts": "yesterday"}"#, "`ts`"),
    (
      #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "ts": "2999-01-01T00:00:00Z"}"#,
      "`ts` must be at most a day ahead of the server's clock (got 2999-01-01T00:00:00Z)"
    ),
  ])
  func explainsInvalidSerial(json: String, words: String) async throws {
    let api = try await RunningAPI()
    let reply = try await Self.save(json, on: api)
    #expect(reply.status == 422 && reply.detail?.contains(words) == true, "\(reply.text)")
  }

  @Test func searchesSortsAndPagesHistory() async throws {
    let api = try await RunningAPI()
    for index in 0..<7 {
      _ = try await api.store.save(
        NewSerial(
          serial: "C02XL0TH\(index)HCC", confidence: Double(index) / 10, source: index % 2 == 0 ? .ios : .mac,
          isValid: true,
          deviceType: index == 3 ? "iMac" : nil))
    }
    func serials(_ query: String) async throws -> ([String], [String: Any]) {
      let reply = try #require(await api.get("/history?\(query)"))
      #expect(reply.status == 200, "\(reply.text)")
      let items = reply.json["items"] as? [[String: Any]] ?? []
      return (items.compactMap { $0["serial"] as? String }, reply.json)
    }
    let (best, answer) = try await serials("sort_by=confidence&sort_order=desc&limit=2")
    #expect(best == ["C02XL0TH6HCC", "C02XL0TH5HCC"] && answer["total"] as? Int == 7)
    let cursor = try #require(answer["next_cursor"] as? String)
    let (next, _) = try await serials("sort_by=confidence&sort_order=desc&limit=2&cursor=\(cursor)")
    #expect(next == ["C02XL0TH4HCC", "C02XL0TH3HCC"])
    #expect(try await serials("limit=2&offset=6").0.count == 1)
    #expect(try await serials("source=mac").0.count == 3)
    #expect(try await serials("device_type=imac").0 == ["C02XL0TH3HCC"])
    #expect(try await serials("search=TH5HCC").0 == ["C02XL0TH5HCC"])
    for wrong in ["limit=0", "limit=x", "offset=-1", "sort_by=colour", "source=moon", "cursor=abc", "sort_order=up"] {
      #expect(await api.get("/history?\(wrong)")?.errorCode == "INVALID_PARAMETER", "\(wrong)")
    }
  }

  @Test func listsAndDeletesJobs() async throws {
    let api = try await RunningAPI()
    _ = await api.upload(Photo.jpeg())
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    let second = try #require(await api.upload(Photo.jpeg()))
    let id = try #require(second.json["job_id"] as? String)
    let all = try #require(await api.get("/jobs?limit=1"))
    #expect((all.json["items"] as? [[String: Any]])?.first?["job_id"] as? String == id)
    #expect(all.json["next_cursor"] is String)
    let done = try #require(await api.get("/jobs?status=completed"))
    let finished = try #require((done.json["items"] as? [[String: Any]])?.first)
    #expect(finished["serial"] as? String == "C02G414GMD6N")
    let status = try #require(await api.get("/queue/status"))
    #expect(status.json["queued"] as? Int == 1 && status.json["completed"] as? Int == 1)
    let machines = try #require(status.json["machines"] as? [[String: Any]])
    #expect(machines.count == 1 && machines.first?["name"] as? String == Machine.thisName)
    #expect(machines.first?["reading"] as? Int == 0)

    #expect(api.files.count == 2)
    #expect(await api.request("DELETE", "/jobs/\(id)")?.json["success"] as? Bool == true)
    #expect(await api.get("/result/\(id)")?.status == 404)
    #expect(await api.request("DELETE", "/jobs/\(id)")?.errorCode == "JOB_NOT_FOUND")
    #expect(api.files.count == 1)
    let other = try #require(finished["job_id"] as? String)
    #expect(await api.request("DELETE", "/jobs/\(other)")?.status == 200)
    let stats = try #require(await api.get("/stats")).json
    #expect(stats["total_serials"] as? Int == 1, "the saved serial stays")
    for name in ["verdicts_by_day", "verdicts_by_hour"] {
      let counts = try #require(stats[name] as? [String: [String: Int]])
      #expect(
        Array(counts.values) == [["accepted": 1, "uncertain": 0, "refused": 0]], "the results of the photos stay")
    }
    #expect(api.files.isEmpty)
  }

  @Test func deletesSerialWithJobOnRequest() async throws {
    let api = try await RunningAPI()
    let first = try #require(await api.upload(Photo.jpeg()))
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    let id = try #require(first.json["job_id"] as? String)
    #expect(await api.get("/stats")?.json["total_serials"] as? Int == 1)
    #expect(await api.request("DELETE", "/jobs/\(id)?serial=true")?.status == 200)
    #expect(await api.get("/stats")?.json["total_serials"] as? Int == 0)
  }

  @Test func exportDownloadsAndLeavesNoFile() async throws {
    let api = try await RunningAPI()
    _ = try await Self.save(#"{"serial": "C02XL0THJHCC", "confidence": 0.95, "source": "ios"}"#, on: api)
    let reply = try #require(await api.get("/export"))
    #expect(reply.status == 200 && reply.body.starts(with: Data("PK".utf8)))
    #expect(reply.headers["content-disposition"]?.hasPrefix("attachment; filename=\"serials-") == true)
    #expect(reply.headers["content-type"]?.contains("spreadsheetml") == true)
    let csv = try #require(await api.get("/export?format=csv&source=ios&validation_status=valid"))
    #expect(csv.text.contains("C02XL0THJHCC") && csv.headers["content-type"]?.hasPrefix("text/csv") == true)
    #expect(await api.get("/export?date_to=2020-01-01&format=csv")?.text.contains("C02XL0THJHCC") == false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(api.dataPath)/exports").isEmpty)
    for wrong in [
      "date_from=2026-02-30", "date_to=1.2.2026", "date_to=", "date_from=2026-1-1",
      "date_from=2026-02-02&date_to=2026-01-01", "format=pdf",
      "validation_status=maybe",
    ] {
      #expect(await api.get("/export?\(wrong)")?.status == 422, "\(wrong)")
    }
  }

  @Test func configReturnsSettings() async throws {
    let api = try await RunningAPI()
    let presets = try ClientModels.decode(ClientModels.Params.self, try #require(await api.get("/params")).body).presets
    #expect(presets.etched.parameters["closing"] == 15 && !presets.screen.description.isEmpty)
    let config = try #require(await api.get("/config")).json
    #expect((config["device_types"] as? [String: String])?["iMac"] == "etched")
    #expect((config["limits"] as? [String: Any])?["max_upload_bytes"] as? Int == 25 * 1024 * 1024)
  }
}
