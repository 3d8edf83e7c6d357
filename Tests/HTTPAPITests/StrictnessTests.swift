import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Testing

/// Covers requests that earlier versions misunderstood: unknown parameters, other options under one idempotency key,
/// coordinates as fractions; and the forms of serials and days.
@Suite struct StrictnessTests {
  private func header(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }

  private func json(_ method: String, _ path: String, _ body: String, on api: RunningAPI) async -> Connection.Reply? {
    await api.request(method, path, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
  }

  @Test func rejectsUnknownParametersOnEveryRoute() async throws {
    let api = try await RunningAPI()
    for (name, facts) in api.facts {
      let parts = name.split(separator: " ")
      let path = String(parts[1]).replacing(#/\{[a-z_]+\}/#, with: "0")
      let reply = try #require(await api.request(String(parts[0]), path + "?no_such_thing=1", body: Data()), "\(name)")
      #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER", "\(name): \(reply.text)")
      #expect(reply.detail?.contains("`no_such_thing`") == true, "\(name)")
      for parameter in facts.parameters { #expect(reply.detail?.contains("`\(parameter)`") == true, "\(name)") }
    }
    let photo = try #require(await api.upload(Photo.jpeg(), to: "/process-serial?presist=false"))
    #expect(photo.status == 422 && photo.detail?.contains("Did you mean `persist`?") == true, "\(photo.text)")
    #expect(try await api.waiting().isEmpty && api.files.isEmpty)
  }

  @Test(arguments: [
    ("/jobs?=5", "A parameter of the query has no name before its `=`."),
    ("/devices?q=5", "There is no parameter `q`. This route takes "),
  ])
  func suggestsNothingForNamesUnlikeAllOthers(path: String, detail: String) async throws {
    let api = try await RunningAPI()
    let reply = try #require(await api.request("GET", path))
    #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER")
    #expect(reply.detail?.hasPrefix(detail) == true, "\(reply.text)")
  }

  @Test func findsSerialsOnlyByTheirNumberAsWritten() async throws {
    let api = try await RunningAPI()
    let saved = await json(
      "POST", "/serials", #"{"serial": "C02XL0THJHCC", "confidence": 1, "source": "ios"}"#, on: api)
    #expect(saved?.status == 200)
    for (path, status) in [("1", 200), ("01", 404), ("+1", 404), ("-0", 404)] {
      let reply = await api.request("GET", "/serials/\(path)/history")
      #expect(reply?.status == status, "\(path)")
    }
  }

  @Test func rejectsRepeatedParameters() async throws {
    let api = try await RunningAPI()
    for (name, facts) in api.facts {
      let parts = name.split(separator: " ")
      let path = String(parts[1]).replacing(#/\{[a-z_]+\}/#, with: "0")
      for parameter in facts.parameters {
        // Also if both say the same, or one is written in another way.
        let query = "\(parameter)=1&%\(String(parameter.utf8.first ?? 0, radix: 16))\(parameter.dropFirst())=1"
        let reply = try #require(await api.request(String(parts[0]), "\(path)?\(query)", body: Data()), "\(name)")
        #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER", "\(name): \(reply.text)")
        #expect(reply.detail?.hasPrefix("`\(parameter)` was sent more than once") == true, "\(name): \(reply.text)")
      }
    }
  }

  @Test(arguments: [
    ("/scan", "preset", "etched"), ("/process-serial", "persist", "false"), ("/track", "session_id", "s"),
  ])
  func rejectsRepeatedFieldsOfForms(path: String, field: String, value: String) async throws {
    let api = try await RunningAPI()
    let part = "--b\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n"
    let image = "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\r\n"
    let body = Data((part + image).utf8) + Photo.jpeg() + Data("\r\n\(part)--b--\r\n".utf8)
    let reply = try #require(await api.request("POST", path, headers: Form.headers, body: body))
    #expect(
      reply.status == 422 && reply.detail?.hasPrefix("`\(field)` was sent more than once") == true, "\(reply.text)")
    #expect(try await api.waiting().isEmpty && api.files.isEmpty)
  }

  @Test func descriptionListsEveryParameter() async throws {
    let api = try await RunningAPI()
    let paths = try #require(await api.get("/openapi.json")?.json["paths"] as? [String: [String: [String: Any]]])
    for (path, operations) in paths {
      for (method, operation) in operations {
        let parameters = operation["parameters"] as? [[String: Any]] ?? []
        let names = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
        let facts = try #require(api.facts["\(method.uppercased()) \(path)"])
        #expect(Set(names) == Set(facts.parameters), "\(method) \(path)")
      }
    }
  }

  @Test func everyResponseVariesByOriginAndForbidsSniffing() async throws {
    let api = try await RunningAPI { $0.settings.server.corsOrigins = ["https://a.test"] }
    for path in ["/", "/page/app.js", "/health", "/nowhere", "/export?format=csv", "/metrics", "/params"] {
      for headers in [[:], ["Origin": "https://a.test"]] {
        let reply = try #require(await api.get(path, headers: headers))
        #expect(reply.headers["vary"] == "Origin" && reply.headers["x-content-type-options"] == "nosniff", "\(path)")
      }
    }
    let preflight = ["Origin": "https://a.test", "Access-Control-Request-Method": "PATCH"]
    let allowed = await api.request("OPTIONS", "/serials/1", headers: preflight)?.headers[
      "access-control-allow-methods"]
    #expect(allowed?.contains("PATCH") == true)
  }

  @Test func rejectsCompressedBody() async throws {
    let api = try await RunningAPI()
    let reply = try #require(await api.upload(Photo.jpeg(), headers: ["Content-Encoding": "gzip"]))
    #expect(reply.status == 415 && reply.errorCode == "UNSUPPORTED_MEDIA_TYPE")
    #expect(await api.upload(Photo.jpeg(), headers: ["Content-Encoding": "identity"])?.status == 200)
  }

  @Test func headReportsLengthOfGet() async throws {
    let api = try await EvaluationTests.running()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    for path in ["/params", "/result/\(id)", "/result/\(id)/photo", "/export?format=csv", "/page/app.css", "/nowhere"] {
      let length = try #require(await api.get(path)).body.count
      #expect(await api.request("HEAD", path)?.headers["content-length"] == String(length), "\(path)")
    }
    #expect(await api.request("HEAD", "/evaluate?dir=small")?.headers["content-length"] == nil)
  }

  @Test func otherOptionsUnderSameIdempotencyKeyConflict() async throws {
    let api = try await RunningAPI()
    let key = ["Idempotency-Key": "one"]
    let fields = ["preset": "etched", "device_type": "MacBook"]
    let first = try #require(await api.upload(Photo.jpeg(), fields: fields, headers: key))
    let id = try #require(first.json["job_id"] as? String)
    let again = await api.upload(Photo.jpeg(), to: "/scan?preset=Etched&device_type=MacBook", headers: key)
    #expect(again?.json["job_id"] as? String == id)
    for other in [[:], ["preset": "screen", "device_type": "MacBook"], ["preset": "etched", "device_type": "iMac"]] {
      let reply = try #require(await api.upload(Photo.jpeg(), fields: other, headers: key))
      #expect(reply.status == 409 && reply.errorCode == "IDEMPOTENCY_CONFLICT" && reply.json["job_id"] as? String == id)
    }
    let unsaved = await api.upload(Photo.jpeg(), to: "/process-serial?persist=false", fields: fields, headers: key)
    #expect(unsaved?.errorCode == "IDEMPOTENCY_CONFLICT")
    // The digest that earlier versions stored still matches a request without options.
    let plain = ["Idempotency-Key": "two"]
    _ = await api.upload(Photo.jpeg(), headers: plain)
    #expect(await api.upload(Photo.jpeg(), headers: plain)?.status == 200)
  }

  @Test(arguments: [
    "C02XL0THJHCC", "c02xl0thjhcc", "SC02XL0THJHCC", "S C02X L0TH JHCC", "C02-XL0-THJ-HCC", "C02X.L0TH.JHCC",
    "\u{200B}C02XL0TH\u{FEFF}JHCC ", "Ｃ０２ＸＬ０ＴＨＪＨＣＣ", "C02X\u{2011}L0TH\u{A0}JHCC",
  ])
  func savesAndFindsSerialInEveryForm(written: String) async throws {
    let api = try await RunningAPI()
    let body = #"{"serial": "\#(written)", "confidence": 0.99, "source": "ios"}"#
    let reply = try await RecordsTests.save(body, on: api)
    #expect(reply.status == 200 && reply.json["did_you_mean"] is NSNull, "\(reply.text)")
    #expect(try await api.store.serials(SerialQuery()).items.map(\.serial) == ["C02XL0THJHCC"])
    let search = try #require(written.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    #expect(await api.get("/history?search=\(search)")?.json["total"] as? Int == 1)
    #expect(await api.get("/history?search=C02XLOTHJHCC")?.json["total"] as? Int == 1, "a typed O finds the 0")
  }

  @Test func ignoresBlanksAroundDeviceType() async throws {
    let api = try await RunningAPI()
    for (sent, kept) in [(" iMac\r\n", "iMac"), ("", nil), (" ", nil)] {
      let reply = try #require(await api.upload(Photo.jpeg(), fields: ["device_type": sent]))
      #expect(try await api.job(reply.json["job_id"] as? String)?.request.deviceType == kept, "\(reply.text)")
    }
    let saved = try await RecordsTests.save(
      #"{"serial": "C02XL0THJHCC", "confidence": 0.99, "source": "ios", "device_type": "iMac\n"}"#, on: api)
    let id = try #require(saved.json["serial_id"] as? Int)
    #expect(await api.get("/history?device_type=iMac")?.json["total"] as? Int == 1)
    _ = await json("PATCH", "/serials/\(id)", #"{"device_type": " iPad "}"#, on: api)
    #expect(await api.get("/history?device_type=iPad")?.json["total"] as? Int == 1)
    _ = await json("PATCH", "/devices/C02XL0THJHCC", #"{"device_type": "iPhone\t"}"#, on: api)
    #expect(await api.get("/devices?device_type=iPhone")?.json["total"] as? Int == 1)
  }

  @Test func keepsConfirmedSerialWithUnusualLetter() async throws {
    let api = try await RunningAPI()
    let reply = try await RecordsTests.save(
      #"{"serial": "C02XLOTHJHCC", "confidence": 0.99, "source": "ios"}"#, on: api)
    #expect(
      reply.json["did_you_mean"] as? String == "C02XL0THJHCC" && reply.json["validation_passed"] as? Bool == false)
    #expect(try await api.store.serials(SerialQuery()).items.map(\.serial) == ["C02XLOTHJHCC"])
    // Names of devices are not changed.
    let named = #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "device_type": "Apple Watch"}"#
    _ = try await RecordsTests.save(named, on: api)
    #expect(await api.get("/history?search=Apple+Watch")?.json["total"] as? Int == 1)
  }

  @Test func daysFollowTheTimeZone() async throws {
    let api = try await RunningAPI()
    // 23:30 in Berlin on the last day of March 2026, and half an hour later.
    for time in ["2026-03-31T21:30:00Z", "2026-03-31T22:00:00Z"] {
      let body = #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "ts": "\#(time)"}"#
      #expect(try await RecordsTests.save(body, on: api).status == 200)
    }
    for (query, total) in [
      ("date_to=2026-03-31", 2), ("date_to=2026-03-31&tz=Europe/Berlin", 1),
      ("date_from=2026-04-01&tz=Europe%2FBerlin", 1),
      ("date_from=2026-04-01", 0), ("date_from=2026-04-01T00:00:00%2B02:00", 1),
      ("date_from=2026-04-01T00:00:00+02:00", 1),
      ("date_to=2026-03-31T22:00:00Z", 1),
    ] {
      #expect(await api.get("/history?\(query)")?.json["total"] as? Int == total, "\(query)")
      let rows = await api.get("/export?format=csv&\(query)")?.text.split(separator: "\r\n").dropFirst().count
      #expect(rows == total, "\(query)")
    }
    let range = try #require(
      await api.get("/history?date_from=2026-03-29&date_to=2026-03-29&tz=Europe/Berlin")?.json["range"]
        as? [String: Any])
    #expect(range["tz"] as? String == "Europe/Berlin")
    // A day of 23 hours, since the clocks go forward.
    #expect(range["from"] as? String == "2026-03-28T23:00:00Z" && range["until"] as? String == "2026-03-29T22:00:00Z")
    for zone in ["Mars/Olympus", "CET+1", "+02:00", "x", "../etc/passwd"] {
      let name = try #require(zone.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      #expect(await api.get("/history?tz=\(name)")?.errorCode == "INVALID_PARAMETER", "\(zone)")
    }
    #expect(await api.get("/export?date_from=2026-04-02&date_to=2026-04-01&tz=Europe/Berlin")?.status == 422)
  }

  @Test func combinesTimesAndDaysInOneRange() async throws {
    let api = try await RunningAPI()
    let body = #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "ts": "2026-03-31T21:30:00Z"}"#
    #expect(try await RecordsTests.save(body, on: api).status == 200)
    for (query, total) in [
      ("date_from=2026-03-31T20:00:00Z&date_to=2026-03-31", 1),
      ("date_from=2026-03-31T20:00:00Z&date_to=2026-03-31&tz=Europe/Berlin", 1),
      ("date_from=2026-03-31T21:45:00Z&date_to=2026-03-31", 0),
      ("date_from=2026-03-31&date_to=2026-03-31T22:00:00Z", 1),
      ("date_from=2026-03-31T21:30:00Z&date_to=2026-03-31T21:30:00Z", 0),
    ] {
      for list in ["history", "devices"] {
        #expect(await api.get("/\(list)?\(query)")?.json["total"] as? Int == total, "\(list) \(query)")
      }
      let rows = await api.get("/export?format=csv&\(query)")?.text.split(separator: "\r\n").dropFirst().count
      #expect(rows == total, "\(query)")
    }
    for query in [
      "date_from=2026-04-01T00:00:00Z&date_to=2026-03-31", "date_from=2026-04-01&date_to=2026-03-31T23:59:59Z",
      "date_from=2026-03-31T22:00:00Z&date_to=2026-03-31&tz=Europe/Berlin",
    ] { #expect(await api.get("/history?\(query)")?.errorCode == "INVALID_PARAMETER", "\(query)") }
  }

  @Test func writesSemicolonsAndQuotedDigitsOnRequest() async throws {
    let api = try await RunningAPI()
    let body = #"{"serial": "0012345678", "confidence": 0.9, "source": "ios"}"#
    #expect(try await RecordsTests.save(body, on: api).status == 200)
    let plain = try #require(await api.get("/export?format=csv")?.text)
    #expect(plain.contains(",0012345678,") && plain.contains(",0.9,"))
    let asked = try #require(await api.get("/export?format=csv&separator=%3B&digits_as_text=true")?.text)
    #expect(
      asked.contains("ID;Time (UTC);Serial;") && asked.contains(";\"=\"\"0012345678\"\"\";") && asked.contains(";0,9;"))
    #expect(await api.get("/export?format=csv&separator=x")?.errorCode == "INVALID_PARAMETER")
  }

  @Test func rejectsFractionalCoordinates() async throws {
    let api = try await RunningAPI()
    func detail(_ fields: String) async -> String? {
      await json("POST", "/initialize", "{\"session_id\": \"s\", \"image\": \"_9j_\", \(fields)}", on: api)?.detail
    }
    #expect(
      await detail(#""bounding_boxes": [[10, 10, 20, 20], [0.1, 0.2, 0.5, 0.6]]"#)?.contains("`bounding_boxes[1]`")
        == true)
    #expect(await detail(#""points": [[0.5, 0.5]]"#)?.contains("pixels") == true)
    #expect(await detail(#""bounding_boxes": [[10, 10, "x", 20]]"#) == "`bounding_boxes[0][2]` must be a number.")
    // base64url without padding is accepted; the error is the missing tracker.
    let taken = await json(
      "POST", "/initialize", #"{"session_id": "s", "image": "_9j_4A", "bounding_boxes": [[10, 10, 20, 20]]}"#, on: api)
    #expect(taken?.errorCode == "TRACKER_UNAVAILABLE")
    let junk = await json("POST", "/track", #"{"session_id": "s", "image": "é"}"#, on: api)
    #expect(junk?.errorCode == "UNSUPPORTED_IMAGE")
  }

  /// The text of a frame is checked by bytes: by characters, three million accents take a second.
  @Test func accentsInFrameCostNoExtraWork() async throws {
    let api = try await RunningAPI()
    func seconds(_ text: String) async -> Double {
      let body = "{\"session_id\": \"s\", \"image\": \"data:e\(text)\"}"
      let before = clock()
      let reply = await json("POST", "/track", body, on: api)
      #expect(reply?.errorCode == "UNSUPPORTED_IMAGE")
      return Double(clock() - before) / Double(CLOCKS_PER_SEC)
    }
    let count = 4_000_000
    _ = await seconds("x")
    let letters = await seconds(String(repeating: "xy", count: count))
    let accents = await seconds(String(repeating: "\u{301}", count: count))
    #expect(accents < 4 * letters + 0.2, "\(accents) s for accents, \(letters) s for letters")
  }

  @Test func readKeyCannotChangeOthersJobs() async throws {
    let api = try await RunningAPI()
    let (mine, other) = try await (api.addKey([.scan, .read]), api.addKey([.scan, .read]))
    let admin = try await api.addKey([.admin])
    let id = try #require(await api.upload(Photo.jpeg(), headers: header(mine))?.json["job_id"] as? String)
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    func confirm(_ key: String) async -> Connection.Reply? {
      await api.request(
        "POST", "/jobs/\(id)/confirm", headers: header(key).merging(["Content-Type": "application/json"]) { $1 },
        body: Data(#"{"serial": "C02G414GMD6N"}"#.utf8))
    }
    #expect(await api.get("/result/\(id)", headers: header(other))?.status == 200)
    let refused = try #require(await confirm(other))
    #expect(refused.status == 403 && refused.detail?.contains("admin") == true)
    for key in [mine, admin] { #expect(await confirm(key)?.status == 200) }
  }

  @Test func revokingKeyEndsHeldResponse() async throws {
    let api = try await RunningAPI()
    let (key, _) = try await (api.addKey([.scan]), api.addKey([.admin]))
    let id = try #require(await api.upload(Photo.jpeg(), headers: header(key))?.json["job_id"] as? String)
    async let held = api.get("/result/\(id)?wait=25", headers: header(key))
    try await Task.sleep(for: .milliseconds(300))
    _ = try await api.store.revokeKey(String(key.split(separator: "_")[1]))
    let start = ContinuousClock.now
    #expect(await held?.errorCode == "UNAUTHORIZED")
    #expect(start.duration(to: .now) < .seconds(15))
  }

  @Test func oneClientHoldsAtMostHalfOfTheWaits() async throws {
    let api = try await RunningAPI { $0.settings.server.maxConnections = 4 }
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    async let first = api.get("/result/\(id)?wait=20")
    async let second = api.get("/result/\(id)?wait=20")
    try await Task.sleep(for: .milliseconds(500))
    let third = try #require(await api.get("/result/\(id)?wait=20"))
    #expect(third.status == 429 && third.headers["retry-after"] != nil)
    #expect(await api.get("/result/\(id)")?.status == 200)
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    for reply in await [first, second] { #expect(reply?.json["status"] as? String == "completed") }
  }

  @Test func reportsFullQueueBeforeBody() async throws {
    let api = try await RunningAPI(limits: QueueLimits(waiting: 1, reserved: 0)) {
      ($0.settings.queue.maxWaiting, $0.settings.queue.reserved) = (1, 0)
    }
    #expect(await api.upload(Photo.jpeg())?.status == 200)
    try await Task.sleep(for: .milliseconds(700))
    // No body is sent, and none is requested.
    let connection = Connection(port: api.port)
    await connection.send(
      "POST /scan HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        + "Content-Length: 1000000\r\nExpect: 100-continue\r\n\r\n")
    let reply = try #require(await connection.reply())
    #expect(reply.status == 503 && reply.errorCode == "QUEUE_FULL" && reply.headers["retry-after"] != nil)
    #expect(api.files.count == 1)
  }

  @Test func emptyValuesAreNamedInErrors() async throws {
    let api = try await RunningAPI()
    for (path, fields) in [("/scan?region=", [:]), ("/scan", ["region": ""])] {
      let reply = try #require(await api.upload(Photo.jpeg(), to: path, fields: fields))
      #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER", "\(reply.text)")
      #expect(reply.text.contains("as fractions of the upright photo's width and height"))
    }
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    let reply = try #require(await api.get("/result/\(id)?wait="))
    #expect(reply.status == 422 && reply.text.contains("(got an empty value)"), "\(reply.text)")
  }

  @Test func drawsJobOnceAndCachesIt() async throws {
    let drawn = Counter()
    let api = try await RunningAPI(reread: { _, _ in
      drawn.add()
      try await Task.sleep(for: .milliseconds(300))
      return ReadAnswer(.sample(serials: []), annotation: [0x89, 0x50, 0x4E, 0x47])
    })
    var ids: [String] = []
    for _ in 0..<6 {
      ids.append(try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String))
      try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    }
    let first = ids[0]
    let statuses = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<20 { group.addTask { await api.get("/result/\(first)/image")?.status } }
      return await group.reduce(into: [Int?]()) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 20) && drawn.count == 1)
    #expect(await api.get("/result/\(first)/image")?.body.count == 4 && drawn.count == 1, "it is cached")
    let replies = await withTaskGroup(of: Connection.Reply?.self) { group in
      for id in ids.dropFirst() { group.addTask { await api.get("/result/\(id)/image") } }
      return await group.reduce(into: [Connection.Reply?]()) { $0.append($1) }
    }
    let refused = replies.filter { $0?.status == 503 }
    #expect(refused.count == 1 && refused.first??.headers["retry-after"] != nil)
    #expect(await api.request("DELETE", "/jobs/\(first)")?.status == 200)
    let files = try FileManager.default.contentsOfDirectory(atPath: "\(api.dataPath)/annotations")
    #expect(files.contains { $0.hasPrefix(first) } == false, "the picture is deleted with its job")
  }
}

/// Counts calls on any thread.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0

  var count: Int { lock.withLock { value } }
  func add() { lock.withLock { value += 1 } }
}
