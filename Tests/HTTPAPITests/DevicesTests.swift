import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Settings
import Testing

/// Covers `/devices`, `/devices/{serial}`, `/devices/import`, custom fields and photos sent again.
@Suite struct DevicesTests {
  static func running() async throws -> RunningAPI {
    let fields = "asset_tag=RM-\\d{5} grade location"
    let settings = try Settings.load(file: nil, environment: [:], flags: [("fields.custom", fields, "--set")])
    return try await RunningAPI(configure: { $0.settings.fields = settings.fields })
  }

  private func json(
    _ method: String, _ path: String, _ body: String, on api: RunningAPI, key: String? = nil
  ) async throws -> Connection.Reply {
    var headers = ["Content-Type": "application/json"]
    if let key { headers["Authorization"] = "Bearer \(key)" }
    return try #require(await api.request(method, path, headers: headers, body: Data(body.utf8)))
  }

  private func list(_ csv: String, on api: RunningAPI, dryRun: Bool = false) async throws -> Connection.Reply {
    try #require(
      await api.request(
        "POST", "/devices/import\(dryRun ? "?dry_run=true" : "")", headers: ["Content-Type": "text/csv"],
        body: Data(csv.utf8)))
  }

  private func serials(_ path: String, on api: RunningAPI) async throws -> [String] {
    let reply = try #require(await api.get(path))
    #expect(reply.status == 200, "\(reply.text)")
    let items = reply.json["items"] as? [[String: Any]] ?? []
    #expect(reply.json["total"] as? Int == items.count)
    return items.compactMap { $0["serial"] as? String }
  }

  /// Whoever may change every device is never told that it belongs to others, whatever happens meanwhile.
  @Test func devicesThatComeAndGoAreNotForbidden() async throws {
    let api = try await Self.running()
    let body = #"{"serial": "C02XL0THJHCC", "confidence": 1, "source": "ios"}"#
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<100 {
          let saved = try await json("POST", "/serials", body, on: api)
          #expect(saved.status == 200)
          #expect(await api.request("DELETE", "/devices/C02XL0THJHCC")?.status == 200)
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<100 {
            let change = try await json("PATCH", "/devices/C02XL0THJHCC", #"{"device_type": "iMac"}"#, on: api)
            #expect([200, 404].contains(change.status))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func photosOfOneSerialFormOneDevice() async throws {
    let api = try await Self.running()
    for content in [1000, 1001] {
      _ = await api.upload(Photo.jpeg(content: content))
      try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    }
    let list = try #require(await api.get("/devices"))
    let device = try #require((list.json["items"] as? [[String: Any]])?.first)
    #expect(device["serial"] as? String == "C02XL0THJHCC" && device["times_seen"] as? Int == 2)
    #expect(device["status"] as? String == "accepted" && device["is_valid"] as? Bool == true)
    #expect(device["custom"] as? [String: String] == [:] && (device["batches"] as? [Any])?.isEmpty == true)
    let best = try #require(device["best"] as? [String: Any])
    let job = try #require(best["job_id"] as? String)
    #expect(best["photo_url"] as? String == "/result/\(job)/photo" && best["filename"] as? String == "a.jpg")
    #expect(await api.get("/result/\(job)/photo")?.status == 200)
    // As people may write it.
    for path in [
      "/devices/c02xl0thjhcc", "/devices/C02X-L0TH-JHCC", "/devices/SC02XL0THJHCC", "/devices/c02x%20l0thjhcc",
    ] {
      let one = try #require(await api.get(path))
      #expect(one.status == 200 && (one.json["reads"] as? [Any])?.count == 2, "\(path) \(one.text)")
    }
    for path in ["/devices/C02G414GMD6N", "/devices/x", "/devices/%2F..", "/devices/%00"] {
      #expect(await api.get(path)?.errorCode == "DEVICE_NOT_FOUND", "\(path)")
    }
    #expect(await api.request("DELETE", "/jobs/\(job)")?.status == 200)
    let gone = try #require(await api.get("/devices/C02XL0THJHCC")?.json["best"] as? [String: Any])
    #expect(gone["photo_url"] is NSNull)
  }

  @Test func setsSearchesFiltersAndRemovesCustomValues() async throws {
    let api = try await Self.running()
    for serial in ["C02XL0THJHCC", "C02G414GMD6N"] {
      _ = try await api.store.save(NewSerial(serial: serial, confidence: 0.9, source: .ios, isValid: true))
    }
    let set = try await json(
      "PATCH", "/devices/c02xl0thjhcc",
      #"{"custom": {"asset_tag": " RM-00042 ", "grade": "A", "location": "=1+1"}, "device_type": "MacBook Pro"}"#,
      on: api)
    #expect(set.status == 200, "\(set.text)")
    #expect(set.json["custom"] as? [String: String] == ["asset_tag": "RM-00042", "grade": "A", "location": "=1+1"])
    #expect(set.json["device_type"] as? String == "MacBook Pro")
    for query in [
      "search=rm-000", "custom.asset_tag=rm-00042", "custom.grade=a&device_type=macbook%20pro", "search=1%2B1",
    ] {
      #expect(try await serials("/devices?\(query)", on: api) == ["C02XL0THJHCC"], "\(query)")
    }
    #expect(try await serials("/devices?custom.grade=B", on: api).isEmpty)
    let removed = try await json(
      "PATCH", "/devices/C02XL0THJHCC", #"{"custom": {"grade": null}, "device_type": null}"#, on: api)
    #expect(removed.json["custom"] as? [String: String] == ["asset_tag": "RM-00042", "location": "=1+1"])
    #expect(removed.json["device_type"] is NSNull)
    #expect(try await serials("/devices?custom.grade=A", on: api).isEmpty)
    let unknown = try await json("PATCH", "/devices/C02ZK1ABMD6N", #"{"custom": {"grade": "A"}}"#, on: api)
    #expect(unknown.status == 404 && unknown.errorCode == "DEVICE_NOT_FOUND")
    let config = try #require(await api.get("/config")?.json["custom_fields"] as? [[String: Any]])
    #expect(config.map { $0["name"] as? String } == ["asset_tag", "grade", "location"])
    #expect(config.first?["pattern"] as? String == "RM-\\d{5}" && config.last?["pattern"] is NSNull)
  }

  @Test(arguments: [
    (#"{"custom": {"asset_tagg": "x"}}"#, "Did you mean `asset_tag`?"),
    (#"{"custom": {"asset_tag": "RM-1"}}"#, "RM-\\d{5}"),
    (#"{"custom": {"grade": ""}}"#, "1 to 200"), (#"{"custom": {"grade": "a\nb"}}"#, "one line"),
    (#"{"custom": {"grade": 5}}"#, "`custom.grade` must be text"),
    (#"{"customs": {}}"#, "Did you mean `custom`?"),
    (#"{"device_type": 1}"#, "`device_type`"), (#"{"custom": []}"#, "`custom`"),
  ])
  func rejectsInvalidChanges(body: String, words: String) async throws {
    let api = try await Self.running()
    _ = try await api.store.save(NewSerial(serial: "C02XL0THJHCC", confidence: 0.9, source: .ios, isValid: true))
    let reply = try await json("PATCH", "/devices/C02XL0THJHCC", body, on: api)
    #expect(reply.status == 422 && reply.detail?.contains(words) == true, "\(reply.text)")
    #expect(try await api.store.device(serial: "C02XL0THJHCC", keyID: nil)?.custom == [:])
  }

  @Test func savedSerialSetsDeviceValues() async throws {
    let api = try await Self.running()
    func save(_ custom: String) async throws -> Connection.Reply {
      try await json(
        "POST", "/serials", #"{"serial": "C02XL0THJHCC", "source": "scanner", "custom": \#(custom)}"#, on: api)
    }
    func custom() async throws -> [String: String]? {
      try #require(await api.get("/devices/C02XL0THJHCC")).json["custom"] as? [String: String]
    }
    // A request with an invalid value saves nothing.
    for (wrong, problem) in [
      (#"{"asset_tag": "RM-1"}"#, "must match"), (#"{"asset_tags": "RM-00042"}"#, "Did you mean `asset_tag`?"),
      (#"{"grade": "\#(String(repeating: "A", count: 10_000))"}"#, "must have 1 to 200 characters"),
      (#"{"grade": 1}"#, "must be text"),
    ] {
      let reply = try await save(wrong)
      #expect(reply.status == 422 && reply.text.contains(problem), "\(reply.text)")
    }
    #expect(await api.get("/devices/C02XL0THJHCC")?.status == 404)
    #expect(try await save(#"{"asset_tag": " RM-00042 ", "grade": "=1+1"}"#).status == 200)
    #expect(try await custom() == ["asset_tag": "RM-00042", "grade": "=1+1"])
    #expect(try await save(#"{"grade": null}"#).status == 200)
    #expect(try await save("null").status == 200)
    #expect(try await custom() == ["asset_tag": "RM-00042"])
  }

  @Test func rejectsTagOfTenThousandCharacters() async throws {
    let api = try await Self.running()
    _ = try await api.store.save(NewSerial(serial: "C02XL0THJHCC", confidence: 0.9, source: .ios, isValid: true))
    for length in [201, 10_000] {
      let long = String(repeating: "é", count: length)
      let reply = try await json("PATCH", "/devices/C02XL0THJHCC", #"{"custom": {"grade": "\#(long)"}}"#, on: api)
      #expect(reply.status == 422 && reply.detail?.contains("1 to 200") == true)
    }
    let longest = String(repeating: "é", count: 200)
    #expect(
      try await json("PATCH", "/devices/C02XL0THJHCC", #"{"custom": {"grade": "\#(longest)"}}"#, on: api).status == 200)
  }

  @Test func repeatedImportChangesNothing() async throws {
    let api = try await Self.running()
    _ = try await api.store.save(NewSerial(serial: "C02XL0THJHCC", confidence: 0.9, source: .ios, isValid: true))
    let csv =
      "\u{FEFF}Serial;Asset_Tag;location\r\nc02x l0thjhcc;RM-00001;\"Shelf 1; left\"\r\n\r\nC02G414GMD6N;RM-00002;\r\n"
    func counts(_ reply: Connection.Reply) -> [Int?] {
      ["total", "created", "changed", "unchanged"].map { reply.json[$0] as? Int }
    }
    let dry = try await list(csv, on: api, dryRun: true)
    #expect(counts(dry) == [2, 1, 1, 0] && dry.json["dry_run"] as? Bool == true, "\(dry.text)")
    #expect(try await serials("/devices", on: api) == ["C02XL0THJHCC"])
    #expect(counts(try await list(csv, on: api)) == [2, 1, 1, 0])
    #expect(counts(try await list(csv, on: api)) == [2, 0, 0, 2])
    #expect(try await serials("/devices?status=imported", on: api) == ["C02G414GMD6N"])
    let one = try #require(await api.get("/devices/C02XL0THJHCC")).json["custom"] as? [String: String]
    #expect(one == ["asset_tag": "RM-00001", "location": "Shelf 1; left"])
    // As UTF-16 with tabs, in a form.
    let text = try #require("serial\tgrade\nC02G414GMD6N\tA\n".data(using: .utf16))
    func sent(_ path: String = "/devices/import", _ field: String = "") async throws -> Connection.Reply {
      var form = Data("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n".utf8)
      form += text + Data("\r\n\(field)--x--\r\n".utf8)
      let headers = ["Content-Type": "multipart/form-data; boundary=x"]
      return try #require(await api.request("POST", path, headers: headers, body: form))
    }
    func field(_ name: String, _ value: String) -> String {
      "--x\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }
    // The trial is an option of the form as well, which counts before the query.
    for (path, parts) in [
      ("/devices/import", field("dry_run", "1")), ("/devices/import?dry_run=false", field("dry_run", "True")),
      ("/devices/import?dry_run=true", ""),
    ] {
      let trial = try await sent(path, parts)
      #expect(trial.json["dry_run"] as? Bool == true && counts(trial) == [1, 0, 1, 0], "\(trial.text)")
    }
    for parts in [field("dryrun", "true"), field("dry_run", "maybe"), field("dry_run", "1") + field("dry_run", "1")] {
      let refused = try await sent("/devices/import", parts)
      #expect(refused.status == 422 && refused.errorCode == "INVALID_PARAMETER", "\(refused.text)")
    }
    #expect(try await serials("/devices?custom.grade=A", on: api).isEmpty)
    let imported = try await sent()
    #expect(counts(imported) == [1, 0, 1, 0], "\(imported.text)")
    #expect(try await serials("/devices?custom.grade=A", on: api) == ["C02G414GMD6N"])
  }

  @Test(arguments: [
    "\n\nserial;grade\nC02XL0THJHCC;A\n", ",,\n , \nserial,grade,,\nC02XL0THJHCC,A,,\n",
    "serial,,grade\nC02XL0THJHCC,,A\n", "\"serial\";\"grade\"\n\"C02XL0THJHCC\";\"A\"\n",
    "serial\tgrade\t \rC02XL0THJHCC\tA\r", "serial,grade\n=\"C02XL0THJHCC\",=\"A\"\n",
    "serial,grade\n\"=\"\"C02XL0THJHCC\"\"\",A\n", "serial,grade\n'C02XL0THJHCC,A\n",
    "\u{200B}serial\u{A0},grade\u{FEFF}\n\u{A0}C02XL0\u{200B}THJHCC\u{202E},\u{200B}A\u{A0}\n",
  ])
  func importAcceptsWhatSpreadsheetsWrite(_ csv: String) async throws {
    let api = try await Self.running()
    #expect(try await list(csv, on: api).status == 200, "\(csv)")
    #expect(try await serials("/devices?custom.grade=A", on: api) == ["C02XL0THJHCC"])
  }

  @Test(arguments: [
    ("1.23E+11", "number"), ("1,23E+11", "number"), ("12E+45", "number"), ("12345678.0", "number"), ("MAR-21", "date"),
    ("1-Mar-21", "date"), ("21. Mrz", "date"), ("01.03.2021", "date"), ("2021-03-01 00:00:00", "date"),
    ("#NAME?", "error"), ("#######", "error"),
  ])
  func importSaysWhatSpreadsheetsChanged(_ cell: String, kind: String) async throws {
    let api = try await Self.running()
    let sentence = "a spreadsheet changed it into the \(kind) `\(cell)`. Format the column as text"
    for csv in ["serial\n\"\(cell)\"\n", "serial,asset_tag\nC02XL0THJHCC,\"\(cell)\"\n"] {
      let reply = try await list(csv, on: api)
      let lines = try #require(reply.json["lines"] as? [[String: Any]])
      #expect((lines.first?["detail"] as? String)?.contains(sentence) == true, "\(reply.text)")
    }
    // A field without a pattern may hold dates.
    let free = try await list("serial,location\nC02XL0THJHCC,\"\(cell)\"\n", on: api)
    #expect((free.status == 200) == !cell.contains("E+"), "\(free.text)")
  }

  @Test(arguments: ["C02XL0THJHCC", "12E456789012", "C02X-L0TH-JHCC", "F2LXK0AB.JWJ7", "MAR21XYZ"])
  func importAcceptsSerialsThatLookLikeNumbersOrDates(_ serial: String) async throws {
    let api = try await Self.running()
    #expect(try await list("serial\n\(serial)\n", on: api).status == 200)
  }

  @Test(arguments: ["", "&digits_as_text=true", "&separator=%3B", "&separator=%3B&digits_as_text=true"])
  func importOfExportChangesNothing(parameters: String) async throws {
    let api = try await Self.running()
    let values = ["=1+2", "+49 170", "-12;-5", "@home", "'abc", "0123", "a,\"b\"", "=\"x\""]
    for (number, value) in values.enumerated() {
      let body = String(decoding: try JSONEncoder().encode(["custom": ["location": value]]), as: UTF8.self)
      let serial = "00123456\(number)0"
      #expect(try await list("serial\n\(serial)\n", on: api).status == 200)
      #expect(try await json("PATCH", "/devices/\(serial)", body, on: api).status == 200)
    }
    let export = "/export?format=csv&rows=devices&columns=serial,location" + parameters
    let exported = try #require(await api.get(export))
    let sent = try await list(exported.text, on: api)
    #expect(sent.json["unchanged"] as? Int == values.count, "\(exported.text) \(sent.text)")
  }

  @Test func importWithInvalidLinesChangesNothing() async throws {
    let api = try await Self.running()
    let wrong = try await list(
      "serial,asset_tag,grade\nC02XL0THJHCC,RM-00001,A\n,RM-00002,A\nC02G414GMD6N,RM-2,A\nnot/a/serial,,\nC02XL0THJHCC,RM-00003,B\nF2LXK0ABJWJ7,RM-00004,A, B\nC02XL0THJHCD,RM-00005,A,,\n",
      on: api)
    #expect(wrong.status == 422 && wrong.errorCode == "IMPORT_INVALID", "\(wrong.text)")
    let lines = try #require(wrong.json["lines"] as? [[String: Any]])
    #expect(lines.map { $0["line"] as? Int } == [3, 4, 5, 6, 7] && wrong.json["more_lines"] as? Int == 0)
    #expect((lines[1]["detail"] as? String)?.contains("RM-\\d{5}") == true)
    #expect((lines[3]["detail"] as? String)?.contains("line 2") == true)
    #expect((lines[4]["detail"] as? String)?.contains("4 cells, the header 3") == true, "an unquoted comma")
    let many = "serial\n" + String(repeating: "!\n", count: 250)
    let reported = try await list(many, on: api)
    #expect((reported.json["lines"] as? [Any])?.count == 100 && reported.json["more_lines"] as? Int == 150)
    for (csv, words) in [
      ("", "empty"), ("serial\n", "no row"), ("tag\nx\n", "`serial` (found `tag`)"),
      ("asset_tag\nRM-00001\n", "column `serial`"),
      ("Serial Number,grade\nC02XL0THJHCC,A\n", "`Serial Number`. Did you mean `serial`?"),
      ("serial,garde\nC02XL0THJHCC,A\n", "`garde`. Did you mean `grade`?"),
      ("serial,grade,Grade\nC02XL0THJHCC,A,B\n", "twice"), ("serial,grade\n\"C02,A\n", "never closes"),
    ] {
      let reply = try await list(csv, on: api)
      #expect(reply.errorCode == "IMPORT_INVALID" && reply.detail?.contains(words) == true, "\(reply.text)")
    }
    let unnamed = try await list("serial,,grade\nC02XL0THJHCC,x,A\n", on: api)
    let unnamedLines = try #require(unnamed.json["lines"] as? [[String: Any]])
    #expect((unnamedLines.first?["detail"] as? String)?.contains("Cell 2") == true, "\(unnamed.text)")
    for encoding in [String.Encoding.windowsCP1252, .utf16LittleEndian] {
      let body = try #require("serial;location\nC02XL0THJHCC;Köln\n".data(using: encoding))
      let reply = await api.request("POST", "/devices/import", headers: ["Content-Type": "text/csv"], body: body)
      #expect(reply?.detail?.contains("save it as “CSV UTF-8”") == true, "\(encoding)")
    }
    let huge = "serial\n" + (0..<10_001).map { "C02XL0TH\($0)\n" }.joined()
    #expect(try await list(huge, on: api).detail?.contains("at most 10000") == true)
    #expect(await api.request("POST", "/devices/import", body: Data("serial\n".utf8))?.status == 415)
    #expect(try await serials("/devices", on: api).isEmpty)
  }

  @Test func reportsAndSetsCodesOfPhoto() async throws {
    let api = try await Self.running()
    let id = try #require(await api.upload(Photo.jpeg(content: 7))?.json["job_id"] as? String)
    var reading = Reading.sample(serials: ["C02XL0THJHCC"])
    reading.custom = ["asset_tag": "RM-00042"]
    try await api.readNext(as: reading)
    var bare = Reading.sample(serials: [])
    bare.custom = ["asset_tag": "RM-00043"]
    let other = try #require(await api.upload(Photo.jpeg(content: 8))?.json["job_id"] as? String)
    try await api.readNext(as: bare)
    for (job, tag) in [(id, "RM-00042"), (other, "RM-00043")] {
      #expect(await api.get("/result/\(job)")?.json["custom"] as? [String: String] == ["asset_tag": tag])
    }
    let items = try #require(await api.get("/jobs")?.json["items"] as? [[String: Any]])
    #expect(items.map { $0["custom"] as? [String: String] } == [["asset_tag": "RM-00043"], ["asset_tag": "RM-00042"]])
    #expect(try await serials("/devices?custom.asset_tag=RM-00042", on: api) == ["C02XL0THJHCC"])
  }

  @Test func resentPhotoIsOneRead() async throws {
    let api = try await Self.running()
    var ids: [String] = []
    for _ in 0..<2 {
      ids.append(try #require(await api.upload(Photo.jpeg(content: 7))?.json["job_id"] as? String))
      try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    }
    #expect(await api.get("/result/\(ids[0])")?.json["duplicate_of"] is NSNull)
    #expect(await api.get("/result/\(ids[1])")?.json["duplicate_of"] as? String == ids[0])
    #expect(await api.get("/stats")?.json["total_serials"] as? Int == 1)
    let confirmed = try await json("POST", "/jobs/\(ids[1])/confirm", #"{"serial": "C02G414GMD6N"}"#, on: api)
    #expect(confirmed.status == 200)
    for id in ids { #expect(await api.get("/result/\(id)")?.json["confirmed_serial"] as? String == "C02G414GMD6N") }
    #expect(try await serials("/devices", on: api) == ["C02G414GMD6N"])
  }

  @Test func scanKeySeesAndChangesOnlyItsOwnDevices() async throws {
    let api = try await Self.running()
    let (mine, other, reader, admin) = try await (
      api.addKey([.scan]), api.addKey([.scan]), api.addKey([.read]), api.addKey([.admin])
    )
    let body = #"{"serial": "C02XL0THJHCC", "confidence": 0.95, "source": "ios"}"#
    #expect(try await json("POST", "/serials", body, on: api, key: mine).status == 200)
    for (key, status, count) in [(mine, 200, 1), (other, 404, 0), (reader, 200, 1), (admin, 200, 1)] {
      let headers = ["Authorization": "Bearer \(key)"]
      #expect(await api.get("/devices/C02XL0THJHCC", headers: headers)?.status == status)
      #expect(await api.get("/devices", headers: headers)?.json["total"] as? Int == count)
    }
    for (key, status) in [(mine, 200), (other, 404), (reader, 403), (admin, 200)] {
      let change = try await json("PATCH", "/devices/C02XL0THJHCC", #"{"custom": {"grade": "A"}}"#, on: api, key: key)
      #expect(change.status == status, "\(change.text)")
    }
    for (key, status) in [(mine, 403), (reader, 403), (admin, 200), (admin, 404)] {
      let deletion = await api.request("DELETE", "/devices/C02XL0THJHCC", headers: ["Authorization": "Bearer \(key)"])
      #expect(deletion?.status == status)
      if deletion?.status == 200 { #expect(deletion?.json["reads_deleted"] as? Int == 1) }
    }
  }

  @Test func metricsContainNoSerialOrValue() async throws {
    let api = try await Self.running()
    _ = try await list("serial,asset_tag\nC02XL0THJHCC,RM-00042\n", on: api)
    _ = await api.get("/devices/C02XL0THJHCC")
    _ = await api.request("PUT", "/devices/C02XL0THJHCC")
    let metrics = try #require(await api.get("/metrics")?.text)
    #expect(metrics.contains("/devices/{serial}"))
    for text in ["C02XL0THJHCC", "RM-00042"] { #expect(!metrics.contains(text), "\(text)") }
  }
}
