import Foundation
import HTTPAPI
import JobStore
import SQLiteStore
import Testing

/// Covers keys and their scopes, requests a minute, CORS, request ids, `/metrics`, `/livez` and `/readyz`.
@Suite struct AccessTests {
  @Test func keyMatchesOnlyItself() async throws {
    let key = AccessKey()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteJobStore(path: folder.path + "/keys.sqlite")
    let stored = try await store.addKey(
      id: key.id, name: "a", hash: AccessKey.hash(ofSecret: key.secret), scopes: ["scan"])
    #expect(try #require(AccessKey(key.text)) == key)
    #expect(key.matches(stored) && !AccessKey().matches(stored))
    #expect(!stored.hash.contains(key.secret))
    #expect(AccessKey("") == nil && AccessKey("ss_1_2") == nil && AccessKey(key.text + "0") == nil)
  }

  @Test func everythingButHealthRequiresAKeyOnceKeysExist() async throws {
    let api = try await RunningAPI()
    let (scan, read, admin) = try await (api.addKey([.scan]), api.addKey([.read]), api.addKey([.admin]))
    func header(_ text: String) -> [String: String] { ["Authorization": "Bearer \(text)"] }
    for path in ["/health", "/livez", "/readyz"] { #expect(await api.get(path)?.status == 200) }
    for path in ["/params", "/config", "/metrics", "/result/abc"] {
      let reply = try #require(await api.get(path))
      #expect(reply.status == 401 && reply.errorCode == "UNAUTHORIZED" && reply.headers["www-authenticate"] == "Bearer")
      #expect(await api.get(path, headers: header(AccessKey().text))?.status == 401)
    }
    let unknown = try #require(await api.get("/params", headers: header(AccessKey().text)))
    #expect(unknown.text.contains("unknown or was revoked"), "\(unknown.text)")
    #expect(await api.get("/params", headers: ["Authorization": read])?.status == 200)
    let basic = try #require(await api.get("/params", headers: ["Authorization": "Basic YTpi"]))
    #expect(basic.status == 401 && basic.text.contains("Authorization: Bearer KEY"), "\(basic.text)")
    #expect(await api.upload(Photo.jpeg())?.status == 401)
    #expect(await api.upload(Photo.jpeg(), headers: header(read))?.errorCode == "FORBIDDEN")
    #expect(await api.upload(Photo.jpeg(), headers: header(scan))?.status == 200)
    for key in [scan, read, admin] { #expect(await api.get("/params", headers: header(key))?.status == 200) }
    #expect(api.files.count == 1)
    _ = try await api.store.revokeKey(String(scan.split(separator: "_")[1]))
    try await Task.sleep(for: .seconds(2.1))
    #expect(await api.get("/params", headers: header(scan))?.status == 401)
    let id = scan.split(separator: "_")[1]
    var uses: Int?
    for _ in 0..<500 where uses != 2 {
      uses = try await api.store.keys(includingRevoked: true).first { $0.id == id }?.useCount
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(uses == 2)
    for key in [read, admin] { _ = try await api.store.revokeKey(String(key.split(separator: "_")[1])) }
    try await Task.sleep(for: .seconds(2.1))
    #expect(await api.get("/params")?.status == 401, "revoking the last key does not open the server")
    #expect(await api.get("/params", headers: header(admin))?.status == 401)
  }

  @Test func countsUsesWithoutLaterRequests() async throws {
    let api = try await RunningAPI()
    let key = try await api.addKey([.read])
    for _ in 0..<5 { _ = await api.get("/params", headers: ["Authorization": "Bearer \(key)"]) }
    var count = 0
    for _ in 0..<500 where count < 5 {
      try await Task.sleep(for: .milliseconds(20))
      count = try await api.store.keys(includingRevoked: false).first?.useCount ?? 0
    }
    #expect(count == 5)
  }

  @Test func tooManyRequestsReturn429() async throws {
    let api = try await RunningAPI { $0.settings.server.requestsPerMinute = 1 }
    #expect(await api.get("/params")?.status == 200)
    let reply = try #require(await api.get("/params"))
    #expect(reply.status == 429 && reply.errorCode == "RATE_LIMITED")
    #expect(Int(reply.headers["retry-after"] ?? "").map { (1...60).contains($0) } == true)
    #expect(await api.get("/health")?.status == 200)
  }

  @Test func limitedRoutesReportRemainingAllowance() async throws {
    let api = try await RunningAPI { $0.settings.server.requestsPerMinute = 3 }
    func left(_ reply: Connection.Reply?) -> [Int?] {
      ["limit", "remaining", "reset"].map { reply?.headers["ratelimit-\($0)"].flatMap { Int($0) } }
    }
    #expect(left(await api.get("/params")) == [3, 2, 20])
    #expect(left(await api.get("/result/nothing")) == [3, 1, 40], "in error responses too")
    #expect(left(await api.get("/params")) == [3, 0, 60])
    let refused = await api.get("/params")
    #expect(refused?.status == 429)
    #expect(left(refused) == [3, 0, 60])
    #expect(left(await api.get("/health")) == [nil, nil, nil])
    let free = try await RunningAPI()
    #expect(left(await free.get("/params")) == [nil, nil, nil])
  }

  @Test func everyCursorHasALinkToTheNextPage() async throws {
    let api = try await RunningAPI()
    for number in 0..<3 { _ = await api.upload(Photo.jpeg(content: 1000 + number)) }
    for _ in 0..<3 { try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"])) }
    for path in ["/jobs?limit=2&status=completed", "/history?limit=2&search=C02%58L0&sort_by=serial"] {
      let first = try #require(await api.get(path))
      let link = try #require(first.headers["link"]?.wholeMatch(of: #/<(.*)>; rel="next"/#)?.output.1)
      #expect(link.hasPrefix(path + "&cursor="), "\(link)")
      let second = try #require(await api.get(String(link)))
      #expect((second.json["items"] as? [Any])?.count == 1)
      #expect(second.json["next_cursor"] is NSNull && second.headers["link"] == nil)
    }
  }

  @Test func allowsConfiguredOrigins() async throws {
    let closed = try await RunningAPI()
    #expect(
      await closed.get("/params", headers: ["Origin": "https://a.test"])?.headers["access-control-allow-origin"] == nil)
    let api = try await RunningAPI { $0.settings.server.corsOrigins = ["https://a.test"] }
    let mine = ["Origin": "https://a.test"]
    #expect(await api.get("/params", headers: mine)?.headers["access-control-allow-origin"] == "https://a.test")
    #expect(await api.get("/nowhere", headers: mine)?.headers["access-control-allow-origin"] == "https://a.test")
    let preflight = mine.merging(["Access-Control-Request-Method": "POST"]) { $1 }
    let reply = try #require(await api.request("OPTIONS", "/scan", headers: preflight))
    #expect(reply.status == 204 && reply.headers["access-control-allow-headers"]?.contains("Authorization") == true)
    #expect(
      await api.get("/params", headers: ["Origin": "https://b.test"])?.headers["access-control-allow-origin"] == nil)
  }

  @Test func requestsHaveIDs() async throws {
    let api = try await RunningAPI()
    #expect(await api.get("/params", headers: ["X-Request-ID": "mine-1"])?.headers["x-request-id"] == "mine-1")
    let own = try #require(await api.get("/nowhere", headers: ["X-Request-ID": "no good"]))
    #expect(UUID(uuidString: own.headers["x-request-id"] ?? "") != nil)
  }

  @Test func metricsCountRequestsByRouteAndStatus() async throws {
    let api = try await RunningAPI()
    _ = await api.get("/result/00000000-0000-0000-0000-000000000000")
    _ = await api.get("/made/up/by/a/stranger")
    let reply = try #require(await api.get("/metrics"))
    #expect(reply.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
    let lines = reply.text.split(separator: "\n")
    #expect(
      lines.contains("serialscan_http_requests_total{method=\"GET\",route=\"/result/{job_id}\",status=\"404\"} 1"))
    #expect(lines.contains("serialscan_http_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 1"))
    #expect(lines.contains("serialscan_reader_restarts_total 3"))
    #expect(!reply.text.contains("stranger"))
  }
}
