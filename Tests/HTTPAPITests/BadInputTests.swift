import Foundation
import HTTPAPI
import JobStore
import Testing

/// Covers invalid uploads and requests: status, code and a helpful message, and nothing left on disk or in the queue.
@Suite struct BadInputTests {
  static func expect(
    _ reply: Connection.Reply?, _ status: Int, _ code: String, says words: String = "", on api: RunningAPI,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let reply = try #require(reply, sourceLocation: sourceLocation)
    #expect(reply.status == status, "\(reply.text)", sourceLocation: sourceLocation)
    let failure = try ClientModels.decode(ClientModels.Failure.self, reply.body)
    #expect(failure.error_code == code && failure.status_code == status, sourceLocation: sourceLocation)
    #expect(words.isEmpty || failure.detail.contains(words), "\(failure.detail)", sourceLocation: sourceLocation)
    #expect(try await api.filesAfterAWhile().isEmpty, sourceLocation: sourceLocation)
    #expect(try await api.waiting().isEmpty, sourceLocation: sourceLocation)
  }

  @Test func rejectsFormsWithoutPicture() async throws {
    let api = try await RunningAPI()
    try await Self.expect(await api.upload(nil), 422, "MISSING_IMAGE", says: "empty", on: api)
    try await Self.expect(
      await api.upload(nil, fields: ["preset": "etched"]), 422, "MISSING_IMAGE", says: "called `image`", on: api)
    try await Self.expect(
      await api.upload(Photo.jpeg(content: 200_000), field: "file"), 422, "MISSING_IMAGE", says: "not `file`", on: api)
    try await Self.expect(await api.upload(Data()), 422, "EMPTY_IMAGE", on: api)
  }

  @Test func rejectsFilesThatAreNotPictures() async throws {
    let api = try await RunningAPI { $0.settings.upload.pictures.maxPixels = 1_000_000 }
    let whole = Photo.jpeg()
    try await Self.expect(await api.upload(Data("hello".utf8)), 422, "UNSUPPORTED_IMAGE", says: "JPEG", on: api)
    try await Self.expect(await api.upload(Data("%PDF-1.7".utf8)), 422, "UNSUPPORTED_IMAGE", says: "PDF", on: api)
    try await Self.expect(
      await api.upload(whole.prefix(500)), 422, "DAMAGED_IMAGE", says: "ends too early", on: api)
    try await Self.expect(
      await api.upload(Photo.jpeg(width: 4000, height: 3000)), 422, "IMAGE_TOO_LARGE", says: "4000 x 3000", on: api)
  }

  @Test func rejectsUnknownPresets() async throws {
    let api = try await RunningAPI()
    try await Self.expect(
      await api.upload(Photo.jpeg(), fields: ["preset": "wood"]), 422, "UNKNOWN_PRESET", says: "etched", on: api)
    try await Self.expect(
      await api.upload(Photo.jpeg(), to: "/scan?preset=wood"), 422, "UNKNOWN_PRESET", says: "wood", on: api)
    try await Self.expect(
      await api.upload(Photo.jpeg(), fields: ["preset": String(repeating: "x", count: 5000)]), 422,
      "INVALID_PARAMETER", on: api)
    try await Self.expect(
      await api.upload(Photo.jpeg(), fields: ["device_type": String(repeating: "x", count: 101)]), 422,
      "INVALID_PARAMETER", says: "device_type", on: api)
  }

  @Test(arguments: [
    ("prest", "preset"), ("Preset", "preset"), ("deviceType", "device_type"), ("bach", "batch"),
    ("callback_uri", "callback_url"), ("min-confidence", "min_confidence"), ("presist", "persist"),
  ])
  func rejectsMisspelledFieldOfForm(field: String, meant: String) async throws {
    let api = try await RunningAPI()
    for path in ["/scan", "/process-serial"] {
      try await Self.expect(
        await api.upload(Photo.jpeg(), to: path, fields: [field: "x"]), 422, "INVALID_PARAMETER",
        says: "There is no field `\(field)`. Did you mean `\(meant)`?", on: api)
    }
  }

  @Test func ignoresOtherFieldsOfForm() async throws {
    let api = try await RunningAPI()
    let others = ["device_name", "name", "source", "date", "submit", "csrf_token", "image2", "timestamp"]
    let fields = Dictionary(uniqueKeysWithValues: others.map { ($0, "x") })
    #expect(await api.upload(Photo.jpeg(), fields: fields)?.status == 200)
  }

  @Test(arguments: [
    ("/serials", #""serial": "C02XL0THJHCC", "confidence": 0.99, "source": "ios""#, "note", "notes"),
    ("/serials", #""serial": "C02XL0THJHCC", "confidence": 0.99, "source": "ios""#, "deviceType", "device_type"),
    ("/jobs/x/confirm", #""serial": "C02XL0THJHCC""#, "replace", "replaces"),
    ("/params/sweep", #""dir": "bench", "preset": "etched""#, "round", "rounds"),
    ("/initialize", #""session_id": "s", "image": "_9j_""#, "boundingBoxes", "bounding_boxes"),
  ])
  func rejectsMisspelledFieldOfJSON(path: String, fields: String, field: String, meant: String) async throws {
    let api = try await RunningAPI()
    let reply = await api.post("{\(fields), \"\(field)\": null}", to: path)
    #expect(reply?.status == 422 && reply?.errorCode == "INVALID_PARAMETER", "\(reply?.text ?? "")")
    #expect(reply?.detail == "There is no field `\(field)`. Did you mean `\(meant)`?")
    #expect(try await api.store.serials(SerialQuery()).items.isEmpty)
  }

  @Test func ignoresOtherFieldsOfJSON() async throws {
    let api = try await RunningAPI()
    let body = #"{"serial": "C02XL0THJHCC", "confidence": 0.9, "source": "ios", "device_name": "x", "app_version": 3}"#
    #expect(await api.post(body, to: "/serials")?.status == 200)
  }

  @Test(arguments: [
    "0,0,1", "0,0,1,1,1", "0.5,0,0.5,1", "0,0.6,1,0.5", "-0.1,0,1,1", "0,0,1.1,1", "nan,0,1,1", "0x0,0,1,1", "a",
  ])
  func rejectsInvalidRegion(region: String) async throws {
    let api = try await RunningAPI()
    for path in ["/scan", "/process-serial"] {
      try await Self.expect(
        await api.upload(Photo.jpeg(), to: path, fields: ["region": region]), 422, "INVALID_PARAMETER",
        says: "x0 < x1", on: api)
      try await Self.expect(
        await api.upload(Photo.jpeg(), to: "\(path)?region=\(region)"), 422, "INVALID_PARAMETER", says: "x0 < x1",
        on: api)
    }
  }

  @Test func rejectsBodiesThatAreNotForms() async throws {
    let api = try await RunningAPI()
    func send(_ type: String?, _ body: String) async -> Connection.Reply? {
      await api.request("POST", "/scan", headers: type.map { ["Content-Type": $0] } ?? [:], body: Data(body.utf8))
    }
    try await Self.expect(await send("application/json", "{}"), 415, "UNSUPPORTED_MEDIA_TYPE", on: api)
    try await Self.expect(await send(nil, ""), 415, "UNSUPPORTED_MEDIA_TYPE", says: "multipart", on: api)
    try await Self.expect(await send("multipart/form-data", "x"), 400, "MISSING_BOUNDARY", on: api)
    try await Self.expect(
      await send("multipart/form-data; boundary=b", "no boundary"), 400, "MALFORMED_MULTIPART", on: api)
    try await Self.expect(
      await send("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\nabc"),
      400, "MALFORMED_MULTIPART", says: "last boundary", on: api)
    try await Self.expect(
      await send("multipart/form-data; boundary=b", "--b\r\nX: \(String(repeating: "x", count: 17_000))"), 400,
      "PART_HEADERS_TOO_LARGE", on: api)
  }

  @Test func rejectsBodiesOverLimit() async throws {
    let api = try await RunningAPI { $0.settings.upload.maxBytes = 100_000 }
    try await Self.expect(await api.upload(Photo.jpeg(content: 120_000)), 413, "BODY_TOO_LARGE", on: api)

    let announced = Connection(port: api.port)
    await announced.send(
      "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nExpect: 100-continue\r\n"
        + "Content-Length: 9999999999\r\n\r\n")
    let early = try #require(await announced.reply())
    #expect(early.headers["connection"] == "close")
    try await Self.expect(early, 413, "BODY_TOO_LARGE", on: api)
    #expect(await announced.isClosedByServer())

    let chunked = Connection(port: api.port)
    await chunked.send(
      "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked"
        + "\r\n\r\n53\r\n--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\n0123456789\r\n\r\n"
    )
    let piece = Data("10000\r\n".utf8) + Data(count: 65_536) + Data("\r\n".utf8)
    var sent = 0
    while sent < 4000, await chunked.send(piece) { sent += 1 }
    #expect(sent < 4000, "the server drained 250 MB")
    #expect(try await api.filesAfterAWhile().isEmpty)
  }

  @Test func unknownPathsReturn404() async throws {
    let api = try await RunningAPI()
    try await Self.expect(await api.get("/nowhere"), 404, "NOT_FOUND", on: api)
    try await Self.expect(
      await api.get("/result/00000000-0000-0000-0000-000000000000"), 404, "JOB_NOT_FOUND", on: api)
    let put = await api.request("PUT", "/scan", body: Data("x".utf8))
    try await Self.expect(put, 405, "METHOD_NOT_ALLOWED", says: "POST", on: api)
    #expect(put?.headers["allow"] == "POST")
    let post = await api.request("POST", "/result/abc", body: Data())
    try await Self.expect(post, 405, "METHOD_NOT_ALLOWED", on: api)
    #expect(post?.headers["allow"] == "GET, HEAD")
    let broken = Connection(port: api.port)
    await broken.send("this is not HTTP\r\n\r\n")
    try await Self.expect(await broken.reply(), 400, "BAD_REQUEST", on: api)
    let huge = Connection(port: api.port)
    await huge.send("GET /health HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n")
    try await Self.expect(await huge.reply(), 431, "HEADERS_TOO_LARGE", on: api)
  }

  @Test func answersExpectBeforeBody() async throws {
    let api = try await RunningAPI()
    let connection = Connection(port: api.port)
    let body = Form.body(photo: Photo.jpeg())
    await connection.send(
      "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nExpect: 100-continue\r\n"
        + "Content-Length: \(body.count)\r\n\r\n")
    #expect(await connection.reply()?.status == 100)
    await connection.send(body)
    #expect(await connection.reply()?.status == 200)
    await connection.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(await connection.reply()?.status == 200, "the connection stays open")
  }

  @Test func abortedUploadLeavesNothing() async throws {
    let api = try await RunningAPI()
    do {
      let connection = Connection(port: api.port)
      await connection.send(
        "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 999999\r\n\r\n"
      )
      await connection.send(Form.body(photo: Photo.jpeg(content: 300_000)).prefix(250_000))
      for _ in 0..<200 where api.files.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      #expect(api.files.count == 1)
    }
    #expect(try await api.filesAfterAWhile().isEmpty)
    #expect(try await api.waiting().isEmpty)
  }

  @Test func disconnectsSlowClients() async throws {
    let api = try await RunningAPI {
      $0.settings.server.headerTimeout = 0.3
      $0.settings.server.bodyTimeout = 0.3
    }
    let slowBody = Connection(port: api.port)
    await slowBody.send(
      "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 999\r\n\r\n--b"
    )
    try await Self.expect(await slowBody.reply(), 408, "REQUEST_TIMEOUT", on: api)
    #expect(await slowBody.isClosedByServer())
    let slowHead = Connection(port: api.port)
    await slowHead.send("GET /health HT")
    #expect(await slowHead.reply() == nil)
  }

  @Test func fullQueueLeavesNothing() async throws {
    let api = try await RunningAPI(limits: QueueLimits(waiting: 1, reserved: 0))
    #expect(await api.upload(Photo.jpeg())?.status == 200)
    let reply = try #require(await api.upload(Photo.jpeg()))
    #expect(reply.status == 503 && reply.errorCode == "QUEUE_FULL" && reply.headers["retry-after"] != nil)
    #expect(api.files.count == 1)
    try await api.readNext(as: .sample(serials: []))
    #expect(await api.upload(Photo.jpeg())?.status == 200)
  }

  @Test func refusedReadMentionsNoStoring() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    let photo = try #require(api.files.first)
    try FileManager.default.removeItem(atPath: photo)
    // A link to itself can't be opened.
    try FileManager.default.createSymbolicLink(atPath: photo, withDestinationPath: photo)
    let reply = try #require(await api.get("/result/\(id)/photo"))
    #expect(reply.status == 503 && reply.errorCode == "STORAGE_UNAVAILABLE" && reply.headers["retry-after"] != nil)
    #expect(reply.detail == "The server can't read its data right now. Try again in a moment.", "\(reply.text)")
  }

  @Test func missingFolderLeavesNothing() async throws {
    let api = try await RunningAPI()
    try FileManager.default.removeItem(atPath: "\(api.dataPath)/incoming")
    let reply = try #require(await api.upload(Photo.jpeg()))
    #expect(reply.status == 503 && reply.errorCode == "STORAGE_UNAVAILABLE" && reply.headers["retry-after"] != nil)
    #expect(try await api.filesAfterAWhile().isEmpty)
    let health = try #require(await api.get("/health"))
    #expect(health.status == 503 && health.json["photos"] as? String == "can't be written")
    #expect(health.json["database"] as? String == "ok")
  }
}

extension RunningAPI {
  /// Sends a JSON body.
  fileprivate func post(_ body: String, to path: String) async -> Connection.Reply? {
    await request("POST", path, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
  }
}
