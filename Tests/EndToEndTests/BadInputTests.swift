import Foundation
import Testing

/// Invalid uploads: each returns the error body of the contract with its status and code, and leaves nothing on disk.
@Suite(.serialized) struct BadInputTests {
  static func picture() throws -> Data {
    let pictures = try LabelledPicture.all(in: LabelledPicture.generated)
    return try #require(pictures.first { $0.url.pathExtension == "jpg" }).data
  }

  static func expect(
    _ reply: Reply, _ status: Int, mentions words: String, on server: RunningServer,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(reply.status == status, sourceLocation: sourceLocation)
    #expect(reply.json["status_code"] as? Int == status, sourceLocation: sourceLocation)
    #expect(reply.errorCode?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(reply.detail?.contains(words) == true, "\(reply.detail ?? "")", sourceLocation: sourceLocation)
    #expect(server.filesBesidesDatabase().isEmpty, sourceLocation: sourceLocation)
  }

  @Test func badRequestNamesTheWrongPart() async throws {
    let server = try RunningServer()
    let picture = try Self.picture()
    try await Self.expect(server.upload(picture, field: "file"), 422, mentions: "image", on: server)
    try await Self.expect(server.upload(picture, field: "photo"), 422, mentions: "image", on: server)
    try await Self.expect(server.upload(Data()), 422, mentions: "empty", on: server)
    try await Self.expect(server.upload(picture, fields: ["preset": "engraved"]), 422, mentions: "etched", on: server)
  }

  @Test func rejectsDamagedAndForeignFiles() async throws {
    let server = try RunningServer()
    let picture = try Self.picture()
    let text = try await server.upload(Data("not a picture at all, just text".utf8))
    #expect([415, 422].contains(text.status))
    #expect(text.errorCode == "UNSUPPORTED_IMAGE")
    let truncated = try await server.upload(picture.prefix(picture.count / 2))
    #expect(truncated.status == 422)
    #expect(truncated.errorCode == "DAMAGED_IMAGE")
    #expect(server.filesBesidesDatabase().isEmpty)
  }

  @Test func rejectsPictureOverPixelLimitFromHeader() async throws {
    let server = try RunningServer(settings: ["upload.max_pixels=10000"])
    let reply = try await server.upload(Self.picture())
    #expect([413, 422].contains(reply.status))
    #expect(reply.errorCode == "IMAGE_TOO_LARGE")
    #expect(server.filesBesidesDatabase().isEmpty)
  }

  @Test func rejectsBodyOverLimit() throws {
    let server = try RunningServer(settings: ["upload.max_bytes=20000"])
    let connection = try RawConnection(server)
    connection.send(
      "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000000\r\n\r\n"
    )
    let answer = connection.read()
    #expect(answer.hasPrefix("HTTP/1.1 413"))
    #expect(answer.contains("\"status_code\""))
    #expect(server.filesBesidesDatabase().isEmpty)
  }

  @Test func rejectsChunkedBodyOverLimit() throws {
    let server = try RunningServer(settings: ["upload.max_bytes=20000"])
    let connection = try RawConnection(server)
    connection.send(
      "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    let part = "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\r\n"
    connection.send("\(String(part.utf8.count, radix: 16))\r\n\(part)\r\n")
    let chunk = "4000\r\n" + String(repeating: "x", count: 0x4000) + "\r\n"
    for _ in 0..<1000 where !connection.send(chunk) { break }
    let answer = connection.read()
    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 413"))
    #expect(server.filesBesidesDatabase().isEmpty)
  }

  @Test func rejectsRequestsThatAreNotUploads() async throws {
    let server = try RunningServer()
    let json = try await server.request(
      "POST", "/scan", headers: ["Content-Type": "application/json"], body: Data("{}".utf8))
    Self.expect(json, 415, mentions: "multipart", on: server)
    let boundless = try await server.request(
      "POST", "/scan", headers: ["Content-Type": "multipart/form-data"], body: Data("x".utf8))
    Self.expect(boundless, 400, mentions: "boundary", on: server)
    let broken = try await server.request(
      "POST", "/scan", headers: ["Content-Type": "multipart/form-data; boundary=abc"], body: Data("no boundary".utf8))
    Self.expect(broken, 400, mentions: "boundary", on: server)
    let heads =
      "--abc\r\nContent-Disposition: form-data; name=\"image\"\r\nX: \(String(repeating: "y", count: 20_000))\r\n\r\nz\r\n--abc--\r\n"
    let large = try await server.request(
      "POST", "/scan", headers: ["Content-Type": "multipart/form-data; boundary=abc"], body: Data(heads.utf8))
    #expect([400, 431].contains(large.status))
    #expect(large.json["status_code"] as? Int == large.status)
  }

  @Test func rejectsUnknownJobsAndMethods() async throws {
    let server = try RunningServer()
    let missing = try await server.get("/result/00000000-0000-4000-8000-000000000000")
    Self.expect(missing, 404, mentions: "job", on: server)
    let method = try await server.request("PUT", "/scan", body: nil)
    Self.expect(method, 405, mentions: "POST", on: server)
    #expect(method.headers["allow"]?.contains("POST") == true)
    let nowhere = try await server.get("/nowhere")
    #expect(nowhere.status == 404)
    #expect(nowhere.errorCode == "NOT_FOUND")
  }

  @Test func disconnectedUploadLeavesNothing() async throws {
    let server = try RunningServer()
    do {
      let connection = try RawConnection(server)
      connection.send(
        "POST /scan HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 500000\r\n\r\n"
      )
      connection.send("--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\r\n")
      connection.send(Data(count: 100_000))
      try await Task.sleep(for: .milliseconds(300))
    }
    for _ in 0..<50 where !server.filesBesidesDatabase().isEmpty { try await Task.sleep(for: .milliseconds(100)) }
    #expect(server.filesBesidesDatabase().isEmpty)
    let health = try await server.get("/health")
    #expect(health.json["status"] as? String == "healthy")
  }

  @Test func answersExpectBeforeBody() throws {
    let server = try RunningServer()
    let connection = try RawConnection(server)
    let picture = try Self.picture()
    var body = Data("--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\r\n".utf8)
    body.append(picture)
    body.append(Data("\r\n--b--\r\n".utf8))
    connection.send(
      "POST /scan HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: \(body.count)\r\n\r\n"
    )
    #expect(connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
    connection.send(body)
    #expect(connection.read().hasPrefix("HTTP/1.1 200"))
  }
}
