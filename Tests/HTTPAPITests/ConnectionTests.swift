import Foundation
import HTTPAPI
import JobStore
import Logging
import NIOConcurrencyHelpers
import SQLStore
import SQLiteStore
import Testing

/// Covers how connections end (HEAD, HTTP/1.0, clients that half-close, disconnect or send invalid data), and how each end
/// is logged and counted.
@Suite struct ConnectionTests {
  /// A logger and its output.
  private final class Log: Sendable {
    private let written = NIOLockedValueBox<[String]>([])

    var logger: Logger {
      Logger(label: "test") { [written] label in
        LogLines(label: label, format: .plain, level: .debug) { line in written.withLockedValue { $0.append(line) } }
      }
    }

    /// Waits for lines that contain all of these words, and returns them.
    func lines(_ words: String...) async throws -> [String] {
      for _ in 0..<2000 {
        let found = written.withLockedValue { lines in lines.filter { line in words.allSatisfy(line.contains) } }
        if !found.isEmpty { return found }
        try await Task.sleep(for: .milliseconds(10))
      }
      return []
    }
  }

  private func count(_ route: String, _ status: Int, method: String = "POST", on api: RunningAPI) async -> Int {
    let name = "serialscan_http_requests_total{method=\"\(method)\",route=\"\(route)\",status=\"\(status)\"} "
    let line = await api.get("/metrics")?.text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
  }

  private static func uploadHead(_ length: Int) -> String {
    "POST /process-serial HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n"
      + "Content-Length: \(length)\r\n\r\n"
  }

  @Test func headNeverHasABody() async throws {
    let api = try await EvaluationTests.running()
    let connection = Connection(port: api.port)
    for (path, status) in [
      ("/nowhere", 404), ("/scan", 405), ("/result/abc", 404), ("/history?limit=x", 422), ("/health", 200), ("/", 200),
      ("/export", 200), ("/export?format=pdf", 422), ("/evaluate?dir=small", 200), ("/evaluate?dir=nothing", 404),
    ] {
      await connection.send("HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let reply = try #require(await connection.reply(toHead: true), "\(path)")
      #expect(reply.status == status, "\(path)")
      await connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await connection.reply()?.text == #"{"status":"alive"}"#, "after HEAD \(path)")
    }
  }

  @Test func headSkipsTheWork() async throws {
    let api = try await EvaluationTests.running()
    let export = try #require(await api.request("HEAD", "/export"))
    #expect(export.headers["content-type"]?.contains("spreadsheetml") == true)
    #expect(export.headers["content-disposition"]?.contains(".xlsx") == true)
    #expect(await api.request("HEAD", "/evaluate?dir=small")?.status == 200)
    #expect(await api.request("HEAD", "/evaluate?dir=small&async=true")?.status == 422)
    for folder in ["exports", "reports"] {
      let files = try? FileManager.default.contentsOfDirectory(atPath: "\(api.dataPath)/\(folder)")
      #expect(files ?? [] == [], "neither wrote a file")
    }
  }

  @Test(arguments: ["", "Connection: keep-alive\r\n"])
  func http10ResponsesCloseTheConnection(header: String) async throws {
    let api = try await RunningAPI()
    let connection = Connection(port: api.port)
    await connection.send("GET /params HTTP/1.0\r\n\(header)\r\n")
    let reply = try #require(await connection.reply())
    #expect(reply.status == 200 && reply.headers["connection"] == "close" && reply.json["presets"] != nil)
    #expect(await connection.everything().isEmpty)
    let modern = Connection(port: api.port)
    await modern.send(
      "GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /params HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    let first = try #require(await modern.reply())
    #expect(first.headers["connection"] == nil && first.json["status"] as? String == "alive")
    #expect(await modern.reply()?.headers["connection"] == "close")
    #expect(await modern.everything().isEmpty)
  }

  @Test func halfClosedClientGetsItsResponse() async throws {
    let api = try await RunningAPI()
    let connection = Connection(port: api.port)
    let body = Form.body(photo: Photo.jpeg())
    await connection.send(Data(Self.uploadHead(body.count).utf8) + body)
    connection.closeSending()
    for _ in 0..<500 where try await api.waiting().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    try await Task.sleep(for: .milliseconds(200))
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    var reply = try #require(await connection.reply())
    if reply.status == 100 { reply = try #require(await connection.reply()) }
    #expect(reply.status == 200 && reply.json["serial"] as? String == "C02XL0THJHCC", "\(reply.text)")
  }

  @Test(arguments: [true, false])
  func countsClientsThatDisconnect(withReset: Bool) async throws {
    let log = Log()
    let api = try await RunningAPI(logger: log.logger)
    do {
      let waiting = Connection(port: api.port)
      let body = Form.body(photo: Photo.jpeg())
      await waiting.send(Data(Self.uploadHead(body.count).utf8) + body)
      for _ in 0..<500 where try await api.waiting().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      try await Task.sleep(for: .milliseconds(100))
      if withReset { waiting.resetAtEnd() }
    }
    #expect(try await log.lines("path=/process-serial", "status=499").count == 1)
    #expect(await count("/process-serial", 499, on: api) == 1)
    #expect(try await api.store.jobs(in: .failed, limit: 9, cursor: nil).items.first?.error?.code == .cancelled)
  }

  @Test(.enabled(if: TestStore.isSQLite, "PostgreSQL ends long statements itself"))
  func disconnectEndsTheStatementOfAList() async throws {
    let log = Log()
    let api = try await RunningAPI(logger: log.logger)
    _ = try await api.store.addBatch(id: UUID().uuidString.lowercased(), name: "Pallet 1", keyID: nil)
    // A statement that reads this view never ends.
    let store = try #require(api.store as? SQLiteJobStore)
    try await store.changing { connection in
      try connection.change("ALTER TABLE batches RENAME TO kept")
      try connection.change(
        """
        CREATE VIEW batches AS WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
        SELECT kept.* FROM kept CROSS JOIN numbers
        """)
    }
    do {
      let listing = Connection(port: api.port)
      await listing.send("GET /batches HTTP/1.1\r\nHost: x\r\n\r\n")
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(try await log.lines("path=/batches", "status=499").count == 1)
  }

  @Test(arguments: [true, false])
  func disconnectDuringUploadIsNotAServerError(withReset: Bool) async throws {
    let log = Log()
    let api = try await RunningAPI(logger: log.logger)
    do {
      let sending = Connection(port: api.port)
      await sending.send(Self.uploadHead(5000) + "--b\r\n")
      try await Task.sleep(for: .milliseconds(200))
      if withReset { sending.resetAtEnd() }
    }
    #expect(try await log.lines("path=/process-serial", "status=499").count == 1)
    #expect(await count("/process-serial", 499, on: api) == 1)
    #expect(await count("/process-serial", 500, on: api) == 0)
  }

  /// A client may send invalid data while the response to its request is still being written.
  @Test func invalidDataAfterRequestIsAnsweredAfterIt() async throws {
    let api = try await RunningAPI()
    for _ in 0..<50 {
      let connection = Connection(port: api.port)
      await connection.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\nrubbish\r\n\r\n")
      #expect(await connection.reply()?.status == 200)
      #expect(await connection.reply()?.errorCode == "BAD_REQUEST")
    }
  }

  @Test func addressWithUnencodedCharactersIsExplained() async throws {
    let api = try await RunningAPI()
    let connection = Connection(port: api.port)
    await connection.send("GET /history?search=Büro HTTP/1.1\r\nHost: x\r\n\r\n")
    let reply = try #require(await connection.reply())
    #expect(reply.errorCode == "BAD_REQUEST" && reply.detail?.contains("percent-encoded") == true, "\(reply.text)")
  }

  @Test func logsAndCountsRequestsAnsweredBeforeTheirHead() async throws {
    let log = Log()
    let api = try await RunningAPI(logger: log.logger) { $0.settings.server.bodyTimeout = 0.3 }
    for (text, status) in [
      ("this is not HTTP\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 99_999))\r\n\r\n", 431),
    ] {
      let connection = Connection(port: api.port)
      await connection.send(text)
      let reply = try #require(await connection.reply())
      #expect(reply.status == status)
      let id = try #require(reply.headers["x-request-id"])
      #expect(try await log.lines("request=\(id)", "status=\(status)", "address=127.0.0.1").count == 1)
      #expect(await count("none", status, method: "other", on: api) == 1)
    }
    let half = Connection(port: api.port)
    await half.send("GET /li")
    half.closeSending()
    #expect(await half.reply()?.errorCode == "BAD_REQUEST")
    let slow = Connection(port: api.port)
    await slow.send(Self.uploadHead(5000) + "--b\r\n")
    #expect(await slow.reply()?.status == 408)
    #expect(try await log.lines("path=/process-serial", "status=408").count == 1)
    #expect(await count("/process-serial", 408, on: api) == 1)
  }

  @Test func logsTraceAndKeyOfRequest() async throws {
    let log = Log()
    let api = try await RunningAPI(logger: log.logger)
    let key = try await api.addKey([.read])
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let headers = [
      "traceparent": "00-\(trace)-00f067aa0ba902b7-01", "X-Request-ID": "mine-7", "Authorization": "Bearer \(key)",
    ]
    #expect(await api.get("/params", headers: headers)?.headers["x-request-id"] == "mine-7")
    let id = key.split(separator: "_")[1]
    #expect(try await log.lines("trace=\(trace)", "request=mine-7", "key=\(id)", "path=/params").count == 1)
    for wrong in [
      "00-\(trace)-00f067aa0ba902b7", "00-\(trace)-00f067aa0ba902b7-01-x", "ff-\(trace)-00f067aa0ba902b7-01",
      "00-\(trace.uppercased())-00f067aa0ba902b7-01", "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01",
      "00-\(trace)-0000000000000000-01", "", "----",
    ] {
      let name = UUID().uuidString
      _ = await api.get("/presets-\(name)", headers: ["traceparent": wrong])
      #expect(try await log.lines(name).allSatisfy { !$0.contains("trace=") }, "\(wrong)")
    }
  }

  @Test func concurrentRequestsShareOneDiskCheck() async throws {
    let api = try await RunningAPI()
    await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<100 { group.addTask { await api.get("/health")?.status } }
      for await status in group { #expect(status == 200) }
    }
    #expect(api.checks == 1)
  }
}
