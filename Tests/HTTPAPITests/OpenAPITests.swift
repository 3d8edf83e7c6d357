import Foundation
import HTTPAPI
import JobStore
import ScanModel
import StoreConformance
import Testing

/// Covers the description at `/openapi.json`: it has exactly the routes of the server, and every response has a described
/// status and exactly the described fields; `/docs` and `/` load nothing from other hosts.
@Suite struct OpenAPITests {
  struct Exchange {
    var method: String
    /// The path in the description.
    var route: String
    var reply: Connection.Reply?
  }

  @Test func describesEveryRouteAndNoOther() async throws {
    let api = try await RunningAPI()
    let paths = try #require(await api.get("/openapi.json")?.json["paths"] as? [String: [String: Any]])
    let described = paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } }
    #expect(Set(described) == Set(api.endpoints))
    for (path, methods) in paths {
      let reply = try #require(
        await api.request(
          "PUT", path.replacing(/\{[a-z_]+\}/, with: "x")))
      #expect(reply.status == 405, "\(path)")
      let allowed = Set((reply.headers["allow"] ?? "").components(separatedBy: ", ")).subtracting(["HEAD"])
      #expect(allowed == Set(methods.keys.map { $0.uppercased() }), "\(path)")
    }
  }

  /// Every route rejects unknown query parameters.
  @Test func everyOperationDocumentsInvalidQueries() async throws {
    let api = try await RunningAPI()
    let paths = try #require(
      await api.get("/openapi.json")?.json["paths"] as? [String: [String: [String: Any]]])
    for (path, operations) in paths {
      for (method, operation) in operations {
        let responses = operation["responses"] as? [String: Any]
        #expect(responses?["422"] != nil, "\(method) \(path)")
      }
    }
  }

  @Test func declarationsHaveNoProblems() async throws {
    #expect(try await RunningAPI().interface.problems == [])
  }

  @Test func errorsShareOneSchemaAndCodesHaveTheirStatus() async throws {
    let api = try await RunningAPI()
    let description = try #require(await api.get("/openapi.json")).json
    let shape = JSONShape(description: description)
    let paths = try #require(description["paths"] as? [String: [String: [String: Any]]])
    let statuses = Dictionary(uniqueKeysWithValues: ErrorCode.allCases.map { ($0.rawValue, $0.status.code) })
    var described: Set<String> = ["METHOD_NOT_ALLOWED"]
    for (path, operations) in paths {
      for (method, operation) in operations {
        for (status, response) in operation["responses"] as? [String: [String: Any]] ?? [:] {
          guard let codes = response["x-error-codes"] as? [String] else {
            #expect(status < "400" || (path == "/health" || path == "/readyz"), "\(method) \(path) \(status)")
            continue
          }
          #expect(codes.allSatisfy { statuses[$0].map(String.init) == status }, "\(method) \(path) \(status)")
          let schema = (response["content"] as? [String: [String: Any]])?["application/json"]?["schema"]
          #expect((schema as? [String: String])?["$ref"] == "#/components/schemas/Error")
          described.formUnion(codes)
        }
      }
    }
    #expect(described == Set(statuses.keys))
    #expect(
      shape.resolve("#/components/schemas/ErrorCode")["enum"] as? [String] == ErrorCode.allCases.map(\.rawValue))
    #expect(ReadFailure.Code.allCases.allSatisfy { ErrorCode($0).rawValue == $0.rawValue })
  }

  @Test func documentsCodesOfFailedJobs() async throws {
    let api = try await RunningAPI()
    let shape = JSONShape(description: try #require(await api.get("/openapi.json")).json)
    let result = shape.resolve("#/components/schemas/Result/properties/error_code")
    #expect(result["x-error-codes"] as? [String] == ErrorCode.ofFailedJobs.map(\.rawValue))
    #expect(Set(ReadFailure.Code.allCases.map(ErrorCode.init)).isSubset(of: ErrorCode.ofFailedJobs))
    let others = [JobError.noSerial, .attemptsUsedUp, .resultDamaged]
    #expect(Set(others.map(\.code)).isSubset(of: ErrorCode.ofFailedJobs))
  }

  /// `SERIALSCAN_WRITE_TABLES=1 make test FILTER=OpenAPITests` rewrites the tables.
  @Test func documentTablesMatchRoutes() async throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("docs/api.md")
    let document = try String(contentsOf: file, encoding: .utf8)
    let tables = try await RunningAPI().interface.tables
    var made = document
    for (name, table) in tables {
      let parts = made.components(separatedBy: "<!-- made from the routes: \(name) -->\n")
      let end = try #require(parts.count == 2 ? parts[1].range(of: "\n<!-- end -->") : nil, "no table \(name)")
      made = "\(parts[0])<!-- made from the routes: \(name) -->\n\(table)\(parts[1][end.lowerBound...])"
    }
    if ProcessInfo.processInfo.environment["SERIALSCAN_WRITE_TABLES"] == "1" {
      try made.write(to: file, atomically: true, encoding: .utf8)
    } else {
      #expect(made == document, "docs/api.md is out of date")
    }
  }

  @Test func everyResponseMatchesTheDescription() async throws {
    let api = try await EvaluationTests.running()
    let description = try #require(await api.get("/openapi.json")).json
    var untried = Set(api.endpoints)
    for exchange in try await exchanges(with: api) {
      if (exchange.reply?.status ?? 500) < 300 { untried.remove("\(exchange.method) \(exchange.route)") }
      let name = "\(exchange.method) \(exchange.route)"
      let reply = try #require(exchange.reply, "\(name)")
      let paths = try #require(description["paths"] as? [String: [String: [String: Any]]])
      let operation = try #require(paths[exchange.route]?[exchange.method.lowercased()], "\(name)")
      let shape = JSONShape(description: description)
      var response = (operation["responses"] as? [String: [String: Any]])?[String(reply.status)]
      if let reference = response?["$ref"] as? String { response = shape.resolve(reference) }
      let content = try #require(response?["content"] as? [String: [String: Any]], "\(name) \(reply.status)")
      let type = (reply.headers["content-type"] ?? "").split(separator: ";").first.map(String.init) ?? ""
      let schema = try #require(content[type]?["schema"] as? [String: Any], "\(name) \(type)")
      guard type == "application/json" else { continue }
      #expect(shape.problems(of: reply.json, against: schema).isEmpty, "\(name) \(reply.status)")
    }
    #expect(untried == Self.triedElsewhere)
  }

  /// Endpoints whose successful response is tested elsewhere: tracking and streams in `EndToEndTests`, drawing and
  /// explanations in `CheckingTests`, thumbnails in `ThumbnailTests`.
  private static let triedElsewhere: Set = [
    "POST /initialize", "POST /track", "DELETE /sessions/{session_id}", "GET /events", "GET /result/{job_id}/image",
    "GET /result/{job_id}/explanation", "GET /datasets/picture", "GET /result/{job_id}/thumbnail",
  ]

  /// At least one successful response of each endpoint, and an error if it has one.
  private func exchanges(with api: RunningAPI) async throws -> [Exchange] {
    var all: [Exchange] = []
    func call(_ method: String, _ route: String, _ path: String? = nil, json: String? = nil) async {
      let reply = await api.request(
        method, path ?? route, headers: json == nil ? [:] : ["Content-Type": "application/json"],
        body: json.map { Data($0.utf8) })
      all.append(Exchange(method: method, route: route, reply: reply))
    }
    let scan = await api.upload(Photo.jpeg())
    all.append(Exchange(method: "POST", route: "/scan", reply: scan))
    all.append(Exchange(method: "POST", route: "/scan", reply: await api.upload(nil)))
    all.append(Exchange(method: "POST", route: "/scan", reply: await api.request("POST", "/scan", body: Data())))
    let id = scan?.json["job_id"] as? String ?? ""
    await call("GET", "/result/{job_id}", "/result/\(id)")
    var reading = Reading.sample(serials: ["C02G414GMD6N"])
    reading.serials[0].region = Quadrilateral(
      PixelPoint(x: 1, y: 1), PixelPoint(x: 2, y: 1), PixelPoint(x: 2, y: 2), PixelPoint(x: 1, y: 2))
    reading.trace = [StrategyTrace(strategy: "text", seconds: 0.1, outcome: "read")]
    reading.serials[0].characters = [
      CharacterRead(character: "C", confidence: 0.998),
      CharacterRead(character: "0", confidence: 0.7, alternatives: [.init(character: "O", confidence: 0.2)]),
    ]
    reading.serials[0].doubts = [Doubt(code: "no_label", sentence: "No label says so.")]
    reading.refused = reading.serials
    try await api.readNext(as: reading)
    await call("GET", "/result/{job_id}", "/result/\(id)")
    await call("GET", "/result/{job_id}", "/result/nothing")
    await call("GET", "/result/{job_id}", "/result/\(id)?wait=x")
    await call("GET", "/result/{job_id}/image", "/result/\(id)/image")
    await call("GET", "/result/{job_id}/explanation", "/result/\(id)/explanation")
    await call("GET", "/result/{job_id}/photo", "/result/\(id)/photo")
    await call("GET", "/result/{job_id}/photo", "/result/x/photo")
    await call("GET", "/result/{job_id}/thumbnail", "/result/\(id)/thumbnail")
    for file in ["app.js", "app.css", "icon.svg", "icon-192.png", "manifest.webmanifest", "nothing"] {
      await call("GET", "/page/{name}", "/page/\(file)")
    }
    await call("GET", "/datasets")
    await call("GET", "/datasets/picture", "/datasets/picture?dir=small&filename=nothing.jpg")
    let unread = await api.upload(Photo.jpeg(content: 999))?.json["job_id"] as? String ?? ""
    var refused = Reading.sample(serials: [])
    (refused.refused, refused.trace) = (reading.serials, reading.trace)
    try await api.readNext(as: refused)
    await call("GET", "/result/{job_id}", "/result/\(unread)")
    async let processed = api.upload(Photo.jpeg(), to: "/process-serial?debug=true")
    try await api.readNext(as: reading)
    all.append(Exchange(method: "POST", route: "/process-serial", reply: await processed))
    async let nothing = api.upload(Photo.jpeg(), to: "/process-serial")
    try await api.readNext(as: .sample(serials: []))
    all.append(Exchange(method: "POST", route: "/process-serial", reply: await nothing))
    await call("POST", "/serials", json: #"{"serial": "C02XL0THJHCC", "confidence": 0.95, "source": "ios"}"#)
    await call("POST", "/serials", json: "{}")
    for device in ["C02XL0THJHCC", "C02G414GMD6M"] {
      await call("GET", "/devices/{serial}", "/devices/\(device)")
      await call("PATCH", "/devices/{serial}", "/devices/\(device)", json: #"{"device_type": "MacBook"}"#)
    }
    await call("PATCH", "/devices/{serial}", "/devices/C02XL0THJHCC", json: #"{"custom": {"tag": "1"}}"#)
    for list in ["serial\nC02XM0THJHCC", "serial\n?"] {
      let reply = await api.request(
        "POST", "/devices/import", headers: ["Content-Type": "text/csv"], body: Data(list.utf8))
      all.append(Exchange(method: "POST", route: "/devices/import", reply: reply))
    }
    for path in ["/devices", "/devices?limit=1", "/devices?limit=x"] { await call("GET", "/devices", path) }
    for _ in 1...2 { await call("DELETE", "/devices/{serial}", "/devices/C02XM0THJHCC") }
    var called = newJob()
    called.callbackURL = "https://hooks.example.com/"
    try await api.store.enqueue(called)
    try await api.readNext(as: reading)
    for path in [
      "/params", "/config", "/history", "/stats", "/jobs", "/queue/status", "/health", "/readyz", "/livez", "/metrics",
      "/export", "/", "/docs", "/openapi.json", "/webhooks",
    ] { await call("GET", path) }
    await call("POST", "/webhooks/{job_id}/retry", "/webhooks/\(called.id)/retry")
    await call("POST", "/webhooks/{job_id}/retry", "/webhooks/\(id)/retry")
    for path in ["/history", "/jobs"] { await call("GET", path, "\(path)?limit=1") }
    for path in ["/history", "/jobs", "/stats", "/export"] {
      await call("GET", path, "\(path)?limit=x&days=x&date_from=x")
    }
    await call("GET", "/evaluate", "/evaluate?dir=small")
    if let url = all.last?.reply?.json["csv_url"] as? String { await call("GET", "/reports/{name}", url) }
    await call("GET", "/reports/{name}", "/reports/nothing")
    await call("GET", "/evaluate", "/evaluate?dir=nothing")
    await call("GET", "/evaluate", "/evaluate?dir=small&async=true")
    await call("POST", "/evaluate", "/evaluate?dir=nothing")
    await call("POST", "/evaluate", "/evaluate?dir=small")
    await call("POST", "/evaluate", "/evaluate?dir=small&async=true")
    let task = all.last?.reply?.json["check_status_url"] as? String ?? ""
    for _ in 0..<500 where await api.get(task)?.json["result"] is NSNull {
      try await Task.sleep(for: .milliseconds(20))
    }
    await call("GET", "/tasks/{task_id}", task)
    await call("GET", "/tasks")
    await call("DELETE", "/tasks/{task_id}", task)
    await call("DELETE", "/tasks/{task_id}", "/tasks/nothing")
    await call("POST", "/params/sweep", json: #"{"dir": "small", "preset": "etched"}"#)
    await call("POST", "/jobs/{job_id}/confirm", "/jobs/\(id)/confirm", json: #"{"serial": "C02G414GMD6M"}"#)
    let serial = all.last?.reply?.json["serial_id"] as? Int ?? 0
    await call("POST", "/jobs/{job_id}/confirm", "/jobs/x/confirm", json: #"{"serial": "C02G414GMD6M"}"#)
    await call("POST", "/jobs/{job_id}/review", "/jobs/\(unread)/review", json: #"{"outcome": "no_serial"}"#)
    await call("POST", "/jobs/{job_id}/review", "/jobs/\(id)/review", json: #"{"outcome": "retake"}"#)
    await call("DELETE", "/jobs/{job_id}/review", "/jobs/\(unread)/review")
    await call("DELETE", "/jobs/{job_id}/review", "/jobs/x/review")
    await call("GET", "/export/pictures")
    await call("PATCH", "/serials/{serial_id}", "/serials/\(serial)", json: #"{"notes": "desk 5"}"#)
    await call("PATCH", "/serials/{serial_id}", "/serials/0", json: "{}")
    await call("GET", "/serials/{serial_id}/history", "/serials/\(serial)/history")
    await call("DELETE", "/serials/{serial_id}", "/serials/\(serial)")
    await call("DELETE", "/serials/{serial_id}", "/serials/\(serial)")
    await call("DELETE", "/jobs/{job_id}", "/jobs/\(id)")
    await call("DELETE", "/jobs/{job_id}", "/jobs/\(id)")
    await call("POST", "/batches", json: #"{"name": "Lot 14"}"#)
    let batch = all.last?.reply?.json["id"] as? String ?? ""
    await call("POST", "/batches", json: #"{"name": "lot 14"}"#)
    await call("POST", "/batches", json: #"{"name": ""}"#)
    await call("GET", "/batches", "/batches?open=true&limit=1")
    await call("GET", "/batches/{batch_id}", "/batches/\(batch)")
    await call("PATCH", "/batches/{batch_id}", "/batches/\(batch)", json: #"{"ended": true}"#)
    await call(
      "POST", "/serials", json: #"{"serial": "C02XL0THJHCC", "confidence": 1, "source": "ios", "batch": "\#(batch)"}"#)
    for path in ["/jobs", "/history", "/stats"] { await call("GET", path, "\(path)?batch=\(batch)") }
    await call("GET", "/jobs", "/jobs?batch=nothing")
    await call("DELETE", "/batches/{batch_id}", "/batches/\(batch)")
    await call("GET", "/batches/{batch_id}", "/batches/\(batch)")
    await call("GET", "/keys")
    await call("DELETE", "/keys/{key_id}", "/keys/nothing")
    await call("POST", "/keys", json: #"{"name": "bench", "scopes": []}"#)
    await call("POST", "/keys", json: #"{"name": "bench", "scopes": ["admin"]}"#)
    let key = all.last?.reply?.json ?? [:]
    // The last admin key can't be revoked.
    _ = try? await api.store.addKey(id: "00000001", name: "spare", hash: "0", scopes: ["admin"])
    let revoked = await api.request(
      "DELETE", "/keys/\(key["id"] as? String ?? "")",
      headers: ["Authorization": "Bearer \(key["key"] as? String ?? "")"])
    all.append(Exchange(method: "DELETE", route: "/keys/{key_id}", reply: revoked))
    return all
  }

  @Test func pagesLoadNothingFromOtherHosts() async throws {
    let api = try await RunningAPI()
    for path in ["/", "/docs"] {
      let reply = try #require(await api.get(path))
      #expect(reply.status == 200 && reply.text.contains("</html>"))
      #expect(!reply.text.contains("http://") && !reply.text.contains("https://"))
      #expect(reply.headers["content-security-policy"]?.contains("default-src 'none'") == true)
    }
  }
}
