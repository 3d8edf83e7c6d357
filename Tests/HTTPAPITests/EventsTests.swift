import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Testing

/// Covers `GET /events`: which key receives which events, resuming after a lost connection, and the end of the stream.
@Suite struct EventsTests {
  /// One stream of events.
  private struct Stream {
    struct Event: Equatable {
      var name: String
      var id: String?
      var job: String
      var status: String
      var serial: String?
      var review: String?
      var flaw: String?
    }

    let connection: Connection
    /// The id at the start of the stream.
    let start: String

    init(_ api: RunningAPI, after id: String? = nil, key: String? = nil, batch: String? = nil) async throws {
      connection = Connection(port: api.port)
      // Makes the end of the stream visible.
      let query = batch.map { "?batch=\($0)" } ?? ""
      var head = "GET /events\(query) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      if let id { head += "Last-Event-ID: \(id)\r\n" }
      if let key { head += "Authorization: Bearer \(key)\r\n" }
      await connection.send("\(head)\r\n")
      let answer = try #require(await connection.text(upTo: "\r\n\r\n"))
      #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("text/event-stream"), "\(answer)")
      let first = try #require(await connection.text(upTo: "\n\n"))
      start = try #require(first.firstMatch(of: #/id: (\S+)/#)).output.1.description
    }

    /// The next event; nil if the stream ends.
    func next() async throws -> Event? {
      while let text = await connection.text(upTo: "\n\n") {
        guard let data = text.firstMatch(of: #/data: (.*)/#)?.output.1 else { continue }
        let json = try #require(JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        return Event(
          name: try #require(text.firstMatch(of: #/event: (.*)/#)).output.1.description,
          id: text.firstMatch(of: #/id: (.*)/#)?.output.1.description,
          job: try #require(json["job_id"] as? String), status: json["status"] as? String ?? "",
          serial: json["confirmed_serial"] as? String, review: json["review"] as? String,
          flaw: json["flaw"] as? String)
      }
      return nil
    }

    /// The next event that is an end.
    func nextEnd() async throws -> Event? {
      while let event = try await next() { if event.name == "ended" { return event } }
      return nil
    }
  }

  private func upload(to api: RunningAPI, key: String? = nil) async throws -> String {
    let headers = key.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    return try #require(await api.upload(Photo.jpeg(), headers: headers)?.json["job_id"] as? String)
  }

  @Test func streamsProgressAndEnd() async throws {
    let api = try await RunningAPI()
    let stream = try await Stream(api)
    let id = try await upload(to: api)
    let claimed = try #require(try await api.store.claimNext(worker: "w", lease: 60, waiting: .seconds(20)))
    let begun = try await stream.next()
    #expect(begun == .init(name: "progress", id: nil, job: id, status: "processing"))
    try await api.store.heartbeat(claimed.claim, lease: 60, progress: ReadProgress(fraction: 0.4, message: "Text"))
    #expect(try await stream.next()?.name == "progress")
    try await api.store.finish(claimed.claim, with: .read(.sample(serials: ["C02XL0THJHCC"]), save: false))
    let end = try #require(try await stream.next())
    #expect(end.name == "ended" && end.job == id && end.status == "completed" && end.id != nil)
  }

  @Test func endOfUnreadablePhotoNamesItsFlaw() async throws {
    let api = try await RunningAPI()
    let stream = try await Stream(api)
    let id = try await upload(to: api)
    var reading = Reading.sample(serials: [])
    reading.flaw = .tooDark
    try await api.readNext(as: reading)
    let end = try #require(try await stream.nextEnd())
    #expect(end == .init(name: "ended", id: end.id, job: id, status: "failed", flaw: "too_dark"))
  }

  @Test func streamsDecisionsAndDeletionsAfterTheEnd() async throws {
    let api = try await RunningAPI()
    let batch = try await api.store.addBatch(id: UUID().uuidString.lowercased(), name: "Lot 14", keyID: nil).id
    let (key, other) = try await (api.addKey([.scan]), api.addKey([.scan]))
    let headers = ["Authorization": "Bearer \(key)", "Content-Type": "application/json"]
    let reply = await api.upload(
      Photo.jpeg(), fields: ["batch": batch], headers: ["Authorization": "Bearer \(key)"])
    let id = try #require(reply?.json["job_id"] as? String)
    try await api.readNext(as: .sample(serials: []))
    let (mine, foreign) = (try await Stream(api, key: key), try await Stream(api, key: other))
    let ofBatch = try await Stream(api, key: other, batch: batch)
    for (method, path, body) in [
      ("POST", "/jobs/\(id)/review", #"{"outcome": "retake"}"#), ("DELETE", "/jobs/\(id)/review", nil),
      ("POST", "/jobs/\(id)/confirm", #"{"serial": "C02XL0THJHCC"}"#), ("DELETE", "/jobs/\(id)", nil),
    ] as [(String, String, String?)] {
      let reply = await api.request(method, path, headers: headers, body: body.map { Data($0.utf8) })
      #expect(reply?.status == 200, "\(method) \(path) \(reply?.text ?? "")")
    }
    for stream in [mine, ofBatch] {
      let status = "failed"
      #expect(
        try await stream.next() == .init(name: "changed", job: id, status: status, review: "retake"))
      #expect(try await stream.next() == .init(name: "changed", job: id, status: status))
      #expect(try await stream.next() == .init(name: "changed", job: id, status: status, serial: "C02XL0THJHCC"))
      #expect(try await stream.next() == .init(name: "deleted", job: id, status: ""))
    }
    // Another key receives only its own.
    let own = try await upload(to: api, key: other)
    try await api.readNext(as: .sample(serials: []))
    #expect(try await foreign.nextEnd()?.job == own)
  }

  @Test func scanKeyReceivesOnlyItsOwnEvents() async throws {
    let api = try await RunningAPI()
    let (mine, other, reader) = try await (api.addKey([.scan]), api.addKey([.scan]), api.addKey([.read]))
    let (a, b) = (try await Stream(api, key: mine), try await Stream(api, key: reader))
    let foreign = try await upload(to: api, key: other)
    let own = try await upload(to: api, key: mine)
    for _ in 0..<2 { try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"])) }
    #expect(try await a.nextEnd()?.job == own)
    #expect(try await b.nextEnd()?.job == foreign)
    #expect(try await b.nextEnd()?.job == own)
    #expect(try await Stream(api, after: "0-0-", key: mine).nextEnd()?.job == own)
  }

  @Test func reconnectedListenerReceivesMissedEndsOnce() async throws {
    let api = try await RunningAPI()
    var ids: [String] = []
    func end(_ count: Int) async throws {
      for _ in 0..<count {
        ids.append(try await upload(to: api))
        try await api.readNext(as: .sample(serials: []))
      }
    }
    try await end(1)
    try await Task.sleep(for: .seconds(1.1))
    var after = ""
    do {
      let stream = try await Stream(api)
      try await end(2)
      for id in ids[1...] {
        let event = try #require(try await stream.nextEnd())
        #expect(event.job == id)
        after = event.id ?? ""
      }
    }
    try await end(3)
    let stream = try await Stream(api, after: after)
    try await end(1)
    for id in ids[3...] {
      let event = try #require(try await stream.nextEnd())
      #expect(event.job == id)
      after = event.id ?? ""
    }
    // A listener without events resumes from its start.
    let idle = try await Stream(api, after: stream.start)
    for id in ids[3...] { #expect(try await idle.nextEnd()?.job == id) }
    let last = try await Stream(api, after: after)
    try await end(1)
    #expect(try await last.nextEnd()?.job == ids.last)
  }

  @Test func streamsManyEndsInOrder() async throws {
    let api = try await RunningAPI()
    let start = try await Stream(api).start
    var ids: [String] = []
    for _ in 0..<230 {
      let staged = try await api.store.blobs.stage([1])
      let id = UUID().uuidString.lowercased()
      let request = JobRequest(photo: "\(id).jpg", photoBytes: 1, preset: nil, deviceType: nil)
      _ = try await api.store.enqueue(NewJob(id: id, request: request), photo: staged)
      ids.append(id)
      try await api.readNext(as: .sample(serials: []))
    }
    let stream = try await Stream(api, after: start)
    for id in ids { #expect(try await stream.nextEnd()?.job == id) }
  }

  @Test func streamEndsWhenKeyIsRevokedOrServerCloses() async throws {
    let api = try await RunningAPI()
    let start = ContinuousClock.now
    let open = try await Stream(api)
    let (key, admin) = try await (api.addKey([.scan]), api.addKey([.admin]))
    #expect(try await open.next() == nil, "the server requires a key once one exists")
    let (stream, other) = (try await Stream(api, key: key), try await Stream(api, key: admin))
    _ = try await api.store.revokeKey(String(key.split(separator: "_")[1]))
    #expect(try await stream.next() == nil)
    #expect(start.duration(to: .now) < .seconds(20))
    let id = try await upload(to: api, key: admin)
    try await api.readNext(as: .sample(serials: []))
    #expect(try await other.nextEnd()?.job == id, "streams of other keys continue")
  }

  @Test func oneClientHoldsAtMostHalfOfTheStreams() async throws {
    let api = try await RunningAPI { $0.settings.server.maxConnections = 4 }
    do {
      let streams = try await [Stream(api), Stream(api)]
      let third = try #require(await api.get("/events"))
      #expect(third.status == 429 && third.headers["retry-after"] != nil)
      _ = streams.count
    }
    var status = 429
    for _ in 0..<100 where status == 429 {
      try await Task.sleep(for: .milliseconds(50))
      let connection = Connection(port: api.port)
      await connection.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      status = await connection.text(upTo: "\r\n\r\n")?.hasPrefix("HTTP/1.1 200") == true ? 200 : 429
    }
    #expect(status == 200)
  }

  @Test func rejectsUnknownEventID() async throws {
    let api = try await RunningAPI()
    let ids = [
      "5", "1-2-", "-1--2-", "2-1-xyz", "2-1-0123456789a", "2-1-0123456789ab.x", "9223372036854775807-0-", "2-1-\u{e9}",
    ]
    for id in ids {
      let reply = try #require(await api.get("/events", headers: ["Last-Event-ID": id]))
      #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER", "\(id)")
    }
    let head = try #require(await api.request("HEAD", "/events"))
    #expect(head.status == 200 && head.headers["content-type"] == "text/event-stream")
  }
}
