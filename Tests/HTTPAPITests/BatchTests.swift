import Foundation
import HTTPAPI
import JobStore
import Testing

/// Covers `/batches` and the parameter `batch`: sharing a batch, and what it rejects.
@Suite struct BatchTests {
  private static let json = ["Content-Type": "application/json"]

  private func header(_ key: String?) -> [String: String] { key.map { ["Authorization": "Bearer \($0)"] } ?? [:] }

  private func ask(
    _ api: RunningAPI, _ method: String, _ path: String, _ body: String? = nil, key: String? = nil
  ) async throws -> Connection.Reply {
    let headers = body == nil ? header(key) : header(key).merging(Self.json) { $1 }
    return try #require(await api.request(method, path, headers: headers, body: body.map { Data($0.utf8) }))
  }

  /// Creates a batch and returns its id.
  private func begin(_ api: RunningAPI, _ name: String = "Lot 14, Monday", key: String? = nil) async throws -> String {
    let reply = try await ask(api, "POST", "/batches", #"{"name": "\#(name)"}"#, key: key)
    #expect(reply.status == 200, "\(reply.text)")
    return try #require(reply.json["id"] as? String)
  }

  private func tally(_ api: RunningAPI, _ id: String, key: String? = nil) async throws -> [String: Int] {
    try #require(try await ask(api, "GET", "/batches/\(id)", key: key).json["tally"] as? [String: Int])
  }

  @Test func createsRenamesEndsReopensAndDeletesBatch() async throws {
    let api = try await RunningAPI()
    let id = try await begin(api, "  Lot 14, Monday ")
    var batch = try await ask(api, "GET", "/batches/\(id.uppercased())")
    #expect(batch.json["name"] as? String == "Lot 14, Monday" && batch.json["ended_at"] is NSNull)
    let counts = [
      "photos", "waiting", "accepted", "needs_review", "no_serial", "confirmed", "duplicates", "devices",
    ]
    #expect(batch.json["tally"] as? [String: Int] == Dictionary(uniqueKeysWithValues: counts.map { ($0, 0) }))
    batch = try await ask(api, "PATCH", "/batches/\(id)", #"{"name": "Lot 15", "ended": true}"#)
    #expect(batch.json["name"] as? String == "Lot 15" && batch.json["ended_at"] is String)
    let open = try await ask(api, "GET", "/batches?open=true")
    #expect((open.json["items"] as? [Any])?.isEmpty == true && open.json["next_cursor"] is NSNull)
    batch = try await ask(api, "PATCH", "/batches/\(id)", #"{"ended": false}"#)
    #expect(batch.json["ended_at"] is NSNull)
    #expect((try await ask(api, "GET", "/batches?open=true").json["items"] as? [Any])?.count == 1)
    #expect(try await ask(api, "DELETE", "/batches/\(id)").json["batch_id"] as? String == id)
    for (method, body) in [("GET", nil), ("DELETE", nil), ("PATCH", "{}")] {
      let gone = try await ask(api, method, "/batches/\(id)", body)
      #expect(gone.status == 404 && gone.errorCode == "BATCH_NOT_FOUND")
    }
  }

  @Test func trackingSessionsAcceptOnlyOpenBatches() async throws {
    let api = try await RunningAPI()
    let id = try await begin(api)
    func code(_ batch: String) async throws -> String? {
      let body = #"{"session_id": "s", "image": "_9j_4A", "bounding_boxes": [[10, 10, 20, 20]], "batch": \#(batch)}"#
      return try await ask(api, "POST", "/initialize", body).errorCode
    }
    // There is no tracker: this error comes after the batch was accepted.
    #expect(try await code("\"\(id)\"") == "TRACKER_UNAVAILABLE")
    #expect(try await code("null") == "TRACKER_UNAVAILABLE")
    #expect(try await code("\"\(UUID().uuidString)\"") == "BATCH_NOT_FOUND")
    #expect(try await code("7") == "INVALID_JSON")
    for (batch, code) in [(id, "TRACKER_UNAVAILABLE"), (UUID().uuidString, "BATCH_NOT_FOUND")] {
      let fields = ["session_id": "s", "bounding_boxes": "[[10, 10, 20, 20]]", "batch": batch]
      let body = Form.body(photo: Data([0xFF, 0xD8, 0xFF, 0xE0]), fields: fields)
      let reply = await api.request("POST", "/initialize", headers: Form.headers, body: body)
      #expect(reply?.errorCode == code, "a form names it as text: \(reply?.text ?? "")")
    }
    _ = try await ask(api, "PATCH", "/batches/\(id)", #"{"ended": true}"#)
    #expect(try await code("\"\(id)\"") == "BATCH_ENDED")
  }

  @Test func rejectsInvalidNamesAndFields() async throws {
    let api = try await RunningAPI()
    let long = String(repeating: "ä", count: 101)
    for name in ["", "  ", long, #"a\nb"#, #"a\u0000b"#, #"a\u2028b"#] {
      let reply = try await ask(api, "POST", "/batches", #"{"name": "\#(name)"}"#)
      #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER", "\(name)")
    }
    let id = try await begin(api)
    let taken = try await ask(api, "POST", "/batches", #"{"name": "LOT 14, monday"}"#)
    #expect(taken.status == 409 && taken.errorCode == "BATCH_NAME_TAKEN")
    #expect(try await ask(api, "PATCH", "/batches/\(id)", #"{"name": "\#(long)"}"#).status == 422)
    let typo = try await ask(api, "PATCH", "/batches/\(id)", #"{"endet": true}"#)
    #expect(typo.status == 422 && typo.text.contains("Did you mean `ended`?"))
    #expect(try await ask(api, "PATCH", "/batches/\(id)", #"{"ended": null}"#).status == 422)
    #expect(try await ask(api, "PATCH", "/batches/\(id)", #"{"ended": "yes"}"#).status == 422)
    #expect(try await ask(api, "GET", "/batches/\(id)").json["ended_at"] is NSNull)
  }

  @Test func photosAndSerialsBelongToTheirBatch() async throws {
    let api = try await RunningAPI()
    let id = try await begin(api)
    let inForm = await api.upload(Photo.jpeg(), fields: ["batch": id.uppercased()])?.json["job_id"] as? String
    let inQuery = await api.upload(Photo.jpeg(content: 1001), to: "/scan?batch=\(id)")?.json["job_id"] as? String
    let alone = await api.upload(Photo.jpeg(content: 1002), fields: ["batch": ""])?.json["job_id"] as? String
    #expect(try await tally(api, id)["waiting"] == 2)
    for serial in ["C02XL0THJHC1", "C02XL0THJHC1", "C02XL0THJHC2"] {
      try await api.readNext(as: .sample(serials: [serial]))
    }
    async let waited = api.upload(Photo.jpeg(content: 1003), to: "/process-serial?batch=\(id)&persist=false")
    try await api.readNext(as: .sample(serials: ["C02XL0THJHC3"]))
    #expect(await waited?.status == 200)
    let typed = try await ask(
      api, "POST", "/serials",
      #"{"serial": "C02XL0THJHC4", "confidence": 1, "source": "ios", "batch": "\#(id)"}"#)
    #expect(typed.status == 200, "\(typed.text)")
    for (job, batch) in [(inForm, id), (inQuery, id), (alone, nil)] {
      #expect(try await ask(api, "GET", "/result/\(job ?? "")").json["batch_id"] as? String == batch)
    }
    let jobs = try await ask(api, "GET", "/jobs?batch=\(id)&status=completed").json["items"] as? [[String: Any]]
    #expect(jobs?.count == 3 && jobs?.allSatisfy { $0["batch_id"] as? String == id } == true)
    let history = try await ask(api, "GET", "/history?batch=\(id)&sort_by=serial").json
    let items = history["items"] as? [[String: Any]]
    #expect(items?.compactMap { $0["serial"] as? String } == ["C02XL0THJHC4", "C02XL0THJHC1", "C02XL0THJHC1"])
    #expect(history["total"] as? Int == 3 && items?.allSatisfy { $0["batch_id"] as? String == id } == true)
    let csv = try await ask(api, "GET", "/export?format=csv&batch=\(id)").text
    #expect(csv.contains("C02XL0THJHC4") && !csv.contains("C02XL0THJHC2"))
    let stats = try await ask(api, "GET", "/stats?batch=\(id)").json
    #expect(stats["total_serials"] as? Int == 3)
    #expect((stats["jobs"] as? [String: Int])?["completed"] == 3)
    let counts = try await tally(api, id)
    #expect(counts["photos"] == 3 && counts["accepted"] == 3 && counts["devices"] == 2 && counts["duplicates"] == 1)
  }

  @Test func rejectsUnknownAndEndedBatch() async throws {
    let api = try await RunningAPI()
    let id = try await begin(api)
    _ = try await ask(api, "PATCH", "/batches/\(id)", #"{"ended": true}"#)
    for (batch, status, code) in [
      (id, 409, "BATCH_ENDED"), ("none", 404, "BATCH_NOT_FOUND"), (UUID().uuidString, 404, "BATCH_NOT_FOUND"),
    ] {
      for path in ["/scan", "/process-serial"] {
        let reply = await api.upload(Photo.jpeg(), to: path, fields: ["batch": batch])
        #expect(reply?.status == status && reply?.errorCode == code, "\(path)")
      }
      let body = #"{"serial": "C02XL0THJHC4", "confidence": 1, "source": "ios", "batch": "\#(batch)"}"#
      let reply = try await ask(api, "POST", "/serials", body)
      #expect(reply.status == status && reply.errorCode == code)
    }
    #expect(try await api.filesAfterAWhile().isEmpty)
    #expect(try await ask(api, "GET", "/history").json["total"] as? Int == 0)
    for path in ["/jobs", "/history", "/export", "/stats", "/events"] {
      let reply = try await ask(api, "GET", "\(path)?batch=none")
      #expect(reply.status == 404 && reply.errorCode == "BATCH_NOT_FOUND", "\(path)")
    }
    let long = String(repeating: "a", count: 101)
    #expect(try await ask(api, "GET", "/jobs?batch=\(long)").status == 422)
    #expect(await api.upload(Photo.jpeg(), fields: ["batch": long])?.status == 422)
  }

  @Test func otherBatchUnderSameIdempotencyKeyConflicts() async throws {
    let api = try await RunningAPI()
    let (one, other) = (try await begin(api, "One"), try await begin(api, "Other"))
    let key = ["Idempotency-Key": "k"]
    let first = await api.upload(Photo.jpeg(), fields: ["batch": one], headers: key)
    let other2 = await api.upload(Photo.jpeg(), fields: ["batch": other], headers: key)
    #expect(other2?.errorCode == "IDEMPOTENCY_CONFLICT")
    #expect(await api.upload(Photo.jpeg(), headers: key)?.errorCode == "IDEMPOTENCY_CONFLICT")
    _ = try await ask(api, "PATCH", "/batches/\(one)", #"{"ended": true}"#)
    let again = await api.upload(Photo.jpeg(), fields: ["batch": one], headers: key)
    #expect(again?.status == 200 && again?.json["job_id"] as? String == first?.json["job_id"] as? String)
  }

  @Test func scanKeySeesWholeBatchButNoOtherJobsOfOthers() async throws {
    let api = try await RunningAPI()
    let (mine, other) = try await (api.addKey([.scan]), api.addKey([.scan]))
    let (reader, admin) = try await (api.addKey([.read]), api.addKey([.admin]))
    let id = try await begin(api, key: mine)
    func upload(_ fields: [String: String], _ key: String) async throws -> String {
      try #require(await api.upload(Photo.jpeg(), fields: fields, headers: header(key))?.json["job_id"] as? String)
    }
    let shared = try await upload(["batch": id], mine)
    let secret = try await upload([:], mine)
    for serial in ["C02XL0THJHC1", "C02XL0THJHC2"] { try await api.readNext(as: .sample(serials: [serial])) }
    let row = try #require(
      try await api.store.serials(SerialQuery(filter: SerialFilter(batchID: id))).items.first)

    for (key, all) in [(other, 0), (mine, 2), (reader, 2)] {
      for (path, count) in [("/jobs", all), ("/jobs?batch=\(id)", 1), ("/history", all), ("/history?batch=\(id)", 1)] {
        let items = try await ask(api, "GET", path, key: key).json["items"] as? [Any]
        #expect(items?.count == count, "\(path)")
      }
      #expect(try await tally(api, id, key: key)["accepted"] == 1)
      #expect(try await ask(api, "GET", "/result/\(shared)", key: key).status == 200)
      #expect(try await ask(api, "GET", "/result/\(shared)/photo", key: key).status == 200)
      #expect(try await ask(api, "GET", "/serials/\(row.id)/history", key: key).status == 200)
      let device = try await ask(api, "GET", "/devices/\(row.serial)", key: key)
      #expect(device.status == 200 && (device.json["reads"] as? [Any])?.count == 1, "\(device.text)")
      #expect(try await ask(api, "GET", "/result/\(secret)", key: key).status == (all == 0 ? 404 : 200))
    }
    // Another key's photos are visible, but can't be changed.
    #expect(try await ask(api, "DELETE", "/jobs/\(shared)", key: other).status == 403)
    let device = "/devices/\(row.serial)"
    for (key, status) in [(other, 403), (mine, 200)] {
      #expect(try await ask(api, "PATCH", device, #"{"device_type": "iMac"}"#, key: key).status == status)
    }
    #expect(try await ask(api, "DELETE", device, key: other).status == 403)
    let confirmed = try await ask(api, "POST", "/jobs/\(shared)/confirm", #"{"serial": "C02XL0THJHC9"}"#, key: other)
    #expect(confirmed.status == 403)
    #expect(try await ask(api, "DELETE", "/batches/\(id)", key: mine).status == 403)
    #expect(try await ask(api, "PATCH", "/batches/\(id)", #"{"ended": true}"#, key: other).status == 200)
    #expect(try await ask(api, "DELETE", "/batches/\(id)", key: admin).status == 200)
    #expect(try await ask(api, "GET", "/result/\(shared)", key: other).status == 404)
    #expect(try await ask(api, "GET", "/result/\(shared)", key: mine).json["batch_id"] is NSNull)
  }

  @Test func batchEventsIncludeJobsOfAllKeys() async throws {
    let api = try await RunningAPI()
    let (mine, other) = try await (api.addKey([.scan]), api.addKey([.scan]))
    let id = try await begin(api, key: mine)
    let connection = Connection(port: api.port)
    await connection.send(
      "GET /events?batch=\(id) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(other)\r\n\r\n")
    let start = try #require(await connection.text(upTo: "\n\n"))
    #expect(start.hasPrefix("HTTP/1.1 200"))
    _ = await api.upload(Photo.jpeg(), headers: header(other))
    let shared = await api.upload(Photo.jpeg(), fields: ["batch": id], headers: header(mine))?.json["job_id"] as? String
    for _ in 0..<2 { try await api.readNext(as: .sample(serials: ["C02XL0THJHC1"])) }
    var ended: String?
    while let text = await connection.text(upTo: "\n\n") {
      guard text.contains("event: ended") else { continue }
      ended = text
      break
    }
    #expect(ended?.contains(shared ?? "none") == true && ended?.contains(id) == true)
    // A later listener receives the end too.
    let late = Connection(port: api.port)
    await late.send(
      "GET /events?batch=\(id) HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0-0-\r\nAuthorization: Bearer \(other)\r\n\r\n"
    )
    while let text = await late.text(upTo: "\n\n") {
      guard text.contains("event: ended") else { continue }
      #expect(text.contains(shared ?? "none"))
      break
    }
  }
}
