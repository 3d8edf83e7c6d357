import Evaluations
import Exports
import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Testing

/// Covers reviewing: file names, verdicts, confirmations, changes of saved serials, and lists that name a mistyped
/// parameter.
@Suite struct CheckingTests {
  private func json(_ method: String, _ path: String, _ body: String, on api: RunningAPI) async -> Connection.Reply? {
    await api.request(method, path, headers: ["Content-Type": "application/json"], body: Data(body.utf8))
  }

  private func items(_ path: String, on api: RunningAPI) async throws -> [[String: Any]] {
    let reply = try #require(await api.get(path))
    #expect(reply.status == 200, "\(reply.text)")
    return reply.json["items"] as? [[String: Any]] ?? []
  }

  @Test func fileNameAccompaniesSerialEverywhere() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    #expect(await api.get("/result/\(id)")?.json["verdict"] is NSNull, "not before the end")
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    let result = try #require(await api.get("/result/\(id)")).json
    let job = try #require(try await items("/jobs", on: api).first)
    let saved = try #require(try await items("/history?search=a.jpg", on: api).first)
    for item in [result, job, saved] {
      #expect(item["filename"] as? String == "a.jpg" && item["verdict"] as? String == "accepted")
      #expect(item["seen_before"] is NSNull)
    }
    #expect(await api.get("/export?format=csv")?.text.contains(",a.jpg,accepted,") == true)
  }

  @Test(arguments: [
    ("IMG_1.jpg", "IMG_1.jpg"), ("../../etc/passwd", "passwd"), ("C:\\fotos\\a b.jpg", "a b.jpg"),
    ("x\u{202E}gpj.exe", "xgpj.exe"), ("a\u{0}b\u{7}.jpg", "ab.jpg"), ("..", nil), ("/", nil), ("", nil),
    ("%22q%22.png", "\"q\".png"), ("Müller 日本.heic", "Müller 日本.heic"),
  ])
  func sanitizesFileNamesForDisplay(given: String, shown: String?) {
    #expect(PhotoFileName.sanitised(given) == shown)
    #expect(PhotoFileName.sanitised(String(repeating: "é", count: 5000))?.count == 200)
  }

  @Test func listsConfirmsAndSavesDoubtfulReads() async throws {
    let api = try await RunningAPI()
    var doubtful = Reading.sample(serials: ["C02G414GMD6N"])
    doubtful.verdict = .uncertain
    let id = try #require(await api.upload(Photo.jpeg(), to: "/scan")?.json["job_id"] as? String)
    let early = await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02G414GMD6N"}"#, on: api)
    #expect(early?.detail?.contains("/result/\(id)?wait=30") == true, "\(early?.text ?? "")")
    #expect(early?.status == 409 && early?.errorCode == "JOB_NOT_ENDED")
    try await api.readNext(as: doubtful)
    _ = await api.get("/result/\(id)")
    #expect(try await items("/jobs?verdict=uncertain&confirmed=false", on: api).count == 1)
    #expect(try await items("/jobs?verdict=accepted", on: api).isEmpty)
    let right = try #require(await json("POST", "/jobs/\(id)/confirm", #"{"serial": " c02g414gmd6n "}"#, on: api))
    #expect(right.status == 200 && right.json["success"] as? Bool == true && right.json["corrected"] as? Bool == false)
    #expect(right.json["serial"] as? String == "C02G414GMD6N" && right.json["validation_passed"] as? Bool == true)
    let number = try #require(right.json["serial_id"] as? Int)
    let again = try #require(await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02G414GMD6M"}"#, on: api))
    #expect(again.json["corrected"] as? Bool == true && again.json["serial_id"] as? Int == number)
    #expect(await api.get("/result/\(id)")?.json["confirmed_serial"] as? String == "C02G414GMD6M")
    #expect(try await items("/jobs?verdict=uncertain&confirmed=false", on: api).isEmpty)
    #expect(try await items("/serials/\(number)/history", on: api).first?["serial"] as? String == "C02G414GMD6N")
    for wrong in [#"{"serial": "no!"}"#, #"{"serial": "a/b/c/d"}"#, "{}", #"{"serial": 5}"#] {
      #expect(await json("POST", "/jobs/\(id)/confirm", wrong, on: api)?.status == 422, "\(wrong)")
    }
    #expect(
      await json("POST", "/jobs/x/confirm", #"{"serial": "C02G414GMD6N"}"#, on: api)?.errorCode == "JOB_NOT_FOUND")
  }

  @Test func reviewTakesPhotoOutOfReviewUntilUndone() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    #expect(await json("POST", "/jobs/\(id)/review", #"{"outcome": "retake"}"#, on: api)?.errorCode == "JOB_NOT_ENDED")
    try await api.readNext(as: .sample(serials: []))
    let toReview = "/jobs?verdict=refused&confirmed=false&reviewed=false"
    #expect(try await items(toReview, on: api).first?["review"] is NSNull)
    #expect(await api.get("/result/\(id)")?.json["review"] is NSNull)
    for wrong in [#"{"outcome": "later"}"#, #"{"outcome": null}"#, "{}", #"{"outcome": 5}"#, "[]"] {
      #expect(await json("POST", "/jobs/\(id)/review", wrong, on: api)?.status == 422, "\(wrong)")
    }
    let unknown = await json("POST", "/jobs/\(id)/review", #"{"outcome": "later"}"#, on: api)
    #expect(unknown?.detail?.contains("no_serial, retake") == true)
    let reviewed = try #require(await json("POST", "/jobs/\(id)/review", #"{"outcome": "no_serial"}"#, on: api))
    #expect(reviewed.json["outcome"] as? String == "no_serial" && reviewed.json["job_id"] as? String == id)
    #expect(await api.get("/result/\(id)")?.json["review"] as? String == "no_serial", "not the cached response")
    #expect(try await items(toReview, on: api).isEmpty)
    #expect(try await items("/jobs?reviewed=true", on: api).first?["review"] as? String == "no_serial")
    #expect(
      try await items("/jobs?verdict=refused&confirmed=false", on: api).count == 1, "without the filter, as before")
    #expect(await api.request("DELETE", "/jobs/\(id)/review")?.json["outcome"] is NSNull)
    #expect(try await items(toReview, on: api).count == 1)
    _ = await json("POST", "/jobs/\(id)/review", #"{"outcome": "retake"}"#, on: api)
    #expect(await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02G414GMD6N"}"#, on: api)?.status == 200)
    #expect(await api.get("/result/\(id)")?.json["review"] is NSNull, "a confirmation withdraws the review")
    let late = try #require(await json("POST", "/jobs/\(id)/review", #"{"outcome": "retake"}"#, on: api))
    #expect(late.status == 409 && late.errorCode == "SERIAL_SAVED")
    #expect(await api.request("DELETE", "/jobs/x/review")?.errorCode == "JOB_NOT_FOUND")
  }

  @Test func changesAndDeletesSavedSerials() async throws {
    let api = try await RunningAPI()
    let reply = try await RecordsTests.save(
      #"{"serial": "C02XL0THJHCC", "confidence": 0.99, "source": "ios"}"#, on: api)
    let id = try #require(reply.json["serial_id"] as? Int)
    let changed = try #require(
      await json("PATCH", "/serials/\(id)", #"{"notes": "<b>desk</b>", "device_type": "iMac"}"#, on: api))
    #expect(changed.status == 200 && changed.json["notes"] as? String == "<b>desk</b>")
    #expect(changed.json["serial"] as? String == "C02XL0THJHCC" && changed.json["device_type"] as? String == "iMac")
    #expect(await json("PATCH", "/serials/\(id)", #"{"serial": "?"}"#, on: api)?.errorCode == "INVALID_PARAMETER")
    let typed = try #require(await json("PATCH", "/serials/\(id)", #"{"serial": "C02XL0THJHCD"}"#, on: api))
    #expect(typed.json["method"] as? String == "person" && typed.json["confidence"] as? Double == 1)
    #expect(try await items("/serials/\(id)/history", on: api).first?["serial"] as? String == "C02XL0THJHCC")
    for wrong in [String(repeating: "x", count: 101), "a\\u0000b", "e" + String(repeating: "\u{301}", count: 500)] {
      let body = "{\"device_type\": \"\(wrong)\"}"
      #expect(await json("PATCH", "/serials/\(id)", body, on: api)?.errorCode == "INVALID_PARAMETER", "\(wrong)")
    }
    let long = String(repeating: "x", count: 2001)
    #expect(await json("PATCH", "/serials/\(id)", "{\"notes\": \"\(long)\"}", on: api)?.status == 422)
    #expect(await api.request("DELETE", "/serials/\(id)")?.json["success"] as? Bool == true)
    for path in ["/serials/\(id)", "/serials/x", "/serials/99999999999999999999"] {
      #expect(await api.request("DELETE", path)?.errorCode == "SERIAL_NOT_FOUND", "\(path)")
      #expect(await json("PATCH", path, "{}", on: api)?.errorCode == "SERIAL_NOT_FOUND", "\(path)")
    }
    #expect(try await items("/history", on: api).isEmpty)
    #expect(await api.get("/serials/\(id)/history")?.errorCode == "SERIAL_NOT_FOUND")
  }

  @Test func resultOmitsDeletedEarlierRead() async throws {
    let api = try await RunningAPI()
    let earlier = try await RecordsTests.save(
      #"{"serial": "C02G414GMD6N", "confidence": 0.99, "source": "ios", "ts": "2026-01-01T00:00:00Z"}"#, on: api)
    let number = try #require(earlier.json["serial_id"] as? Int)
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    #expect(await api.get("/result/\(id)")?.json["seen_before"] as? String == "2026-01-01T00:00:00Z")
    #expect(await api.request("DELETE", "/serials/\(number)")?.status == 200)
    #expect(await api.get("/result/\(id)")?.json["seen_before"] is NSNull)
  }

  @Test(arguments: [
    ("/jobs?state=failed", "`status`"), ("/jobs?verdikt=accepted", "`verdict`"), ("/history?serach=x", "`search`"),
    ("/export?datefrom=2026-01-01", "`date_from`"), ("/stats?day=1", "`days`"), ("/history?Limit=5", "`limit`"),
  ])
  func namesMistypedParameter(path: String, meant: String) async throws {
    let api = try await RunningAPI()
    let reply = try #require(await api.get(path))
    #expect(reply.status == 422 && reply.errorCode == "INVALID_PARAMETER")
    #expect(reply.detail?.contains("Did you mean \(meant)") == true, "\(reply.text)")
  }

  @Test func rejectsUnknownParameterAndListsKnownOnes() async throws {
    let api = try await RunningAPI()
    for path in ["/jobs?zzzzzzzz=1", "/history?zzzzzzzz", "/export?zzzzzzzz=1", "/stats?zzzzzzzz=1"] {
      let reply = try #require(await api.get(path))
      #expect(reply.errorCode == "INVALID_PARAMETER" && reply.detail?.contains("This route takes `") == true, "\(path)")
    }
    #expect(await api.get("/config?zzzzzzzz=1")?.detail?.contains("This route takes none.") == true)
    #expect(await api.get("/health?zzzzzzzz=1")?.status == 422)
  }

  @Test func returnsOriginalPhotoUntilDeleted() async throws {
    let api = try await RunningAPI()
    let photo = Photo.jpeg()
    let id = try #require(await api.upload(photo)?.json["job_id"] as? String)
    let reply = try #require(await api.get("/result/\(id)/photo"))
    #expect(reply.status == 200 && reply.body == photo && reply.headers["content-type"] == "image/jpeg")
    for file in api.files { try FileManager.default.removeItem(atPath: file) }
    let gone = try #require(await api.get("/result/\(id)/photo"))
    #expect(gone.status == 410 && gone.errorCode == "PHOTO_GONE")
    #expect(await api.get("/result/nothing/photo")?.errorCode == "JOB_NOT_FOUND")
  }

  @Test func downloadsConfirmedPhotosAsLabelledFolder() async throws {
    let api = try await RunningAPI()
    for serial in ["C02G414GMD6N", "C02XL0THJHCC"] {
      let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
      try await api.readNext(as: .sample(serials: [serial]))
      guard serial.hasSuffix("6N") else { continue }
      #expect(await json("POST", "/jobs/\(id)/confirm", #"{"serial": "C02G414GMD6M"}"#, on: api)?.status == 200)
    }
    let reply = try #require(await api.get("/export/pictures"))
    #expect(reply.status == 200 && reply.headers["content-type"] == "application/x-tar")
    let folder = "\(api.dataPath)/untarred"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try reply.body.write(to: URL(fileURLWithPath: "\(folder)/a.tar"))
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    tar.arguments = ["tar", "-xf", "\(folder)/a.tar", "-C", folder]
    try tar.run()
    tar.waitUntilExit()
    #expect(tar.terminationStatus == 0)
    let labels = try LabelsFile(folder: URL(fileURLWithPath: "\(folder)/confirmed")).labels
    #expect(labels.map(\.serial) == ["C02G414GMD6M"])
    let picture = try #require(labels.first).filename
    #expect(picture.hasPrefix("a-") && picture.hasSuffix(".jpg"))
    #expect(FileManager.default.contents(atPath: "\(folder)/confirmed/\(picture)") == Photo.jpeg())
  }

  @Test func adminCreatesAndRevokesKeysImmediately() async throws {
    let api = try await RunningAPI()
    #expect(await api.get("/keys")?.json["is_open"] as? Bool == true)
    let locked = await json("POST", "/keys", #"{"name": "bench", "scopes": ["scan"]}"#, on: api)
    #expect(locked?.errorCode == "INVALID_PARAMETER", "otherwise no key could create another")
    let made = try #require(await json("POST", "/keys", #"{"name": "boss", "scopes": ["admin"]}"#, on: api))
    let boss = ["Authorization": "Bearer \(made.json["key"] as? String ?? "")", "Content-Type": "application/json"]
    #expect(await api.get("/keys")?.status == 401, "the server requires a key immediately")
    func send(_ method: String, _ path: String, _ body: String = "", as headers: [String: String]) async -> Connection
      .Reply?
    {
      await api.request(method, path, headers: headers, body: body.isEmpty ? nil : Data(body.utf8))
    }
    let second = try #require(await send("POST", "/keys", #"{"name": "bench", "scopes": ["scan"]}"#, as: boss))
    #expect(second.json["scopes"] as? [String] == ["scan"])
    #expect(await send("POST", "/keys", #"{"name": "bench", "scopes": ["scan"]}"#, as: boss)?.errorCode == "NAME_TAKEN")
    let unknown = try #require(await send("POST", "/keys", #"{"name": "x", "scopes": ["root"]}"#, as: boss))
    #expect(unknown.status == 422 && unknown.text.contains("must be some of scan, read, admin"), "\(unknown.text)")
    let bench = ["Authorization": "Bearer \(second.json["key"] as? String ?? "")"]
    #expect(await send("GET", "/jobs", as: bench)?.status == 200)
    #expect(await send("GET", "/keys", as: bench)?.errorCode == "FORBIDDEN")
    let list = try #require(await send("GET", "/keys", as: boss))
    #expect((list.json["items"] as? [[String: Any]])?.count == 2 && !list.text.contains("hash"))
    let id = second.json["id"] as? String ?? ""
    #expect(await send("DELETE", "/keys/\(id)", as: boss)?.json["success"] as? Bool == true)
    #expect(await send("GET", "/jobs", as: bench)?.status == 401)
    #expect(await send("DELETE", "/keys/\(id)", as: boss)?.errorCode == "KEY_NOT_FOUND")
    let valid = (list.json["items"] as? [[String: Any]])?.first { $0["id"] as? String != id }?["id"] as? String ?? ""
    let last = try #require(await send("DELETE", "/keys/\(valid)", as: boss))
    #expect(last.status == 409 && last.errorCode == "LAST_ADMIN_KEY", "\(last.text)")
    #expect(await send("POST", "/keys", #"{"name": "other", "scopes": ["admin"]}"#, as: boss)?.status == 200)
    #expect(await send("DELETE", "/keys/\(valid)", as: boss)?.status == 200)
  }

  @Test func explainsReadsInPagesThatRunNothing() async throws {
    let api = try await RunningAPI(reread: { _, request in
      let page = request.explainedAs.map { "<!doctype html><p>\($0)</p>" }
      return ReadAnswer(.sample(serials: []), explanation: page.map { Array($0.utf8) })
    })
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    #expect(await api.get("/result/\(id)/explanation")?.errorCode == "JOB_NOT_ENDED")
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    let reply = try #require(await api.get("/result/\(id)/explanation"))
    #expect(reply.status == 200 && reply.headers["content-type"] == "text/html; charset=utf-8")
    #expect(reply.headers["content-security-policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
    #expect(reply.text.hasPrefix("<!doctype html><p>"))
    for file in api.files { try FileManager.default.removeItem(atPath: file) }
    #expect(await api.get("/result/\(id)/explanation")?.errorCode == "PHOTO_GONE")
  }

  @Test func drawsAnnotatedPhotoAfterEndWhilePhotoExists() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    #expect(await api.get("/result/\(id)/image")?.errorCode == "JOB_NOT_ENDED")
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    #expect(await api.get("/result/\(id)/image")?.errorCode == "IMAGE_NOT_FOUND", "this reader draws nothing")
    #expect(await api.request("HEAD", "/result/\(id)/image")?.status == 404, "as GET")
    for file in api.files { try FileManager.default.removeItem(atPath: file) }
    #expect(await api.get("/result/\(id)/image")?.errorCode == "PHOTO_GONE")
    #expect(await api.get("/result/\(UUID().uuidString)/image")?.errorCode == "JOB_NOT_FOUND")
  }
}
