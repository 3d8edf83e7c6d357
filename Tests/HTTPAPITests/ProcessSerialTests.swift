import Foundation
import JobStore
import ScanModel
import Testing

/// Covers `POST /process-serial`: the response, priority, `persist`, `min_confidence`, `debug`, no serial, the deadline, and
/// a client that disconnects.
@Suite struct ProcessSerialTests {
  @Test func waitsForTheSerial() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial?device_type=MacBook%20Pro")
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"], confidence: 0.55))
    let answer = try ClientModels.decode(ClientModels.Processed.self, try #require(await reply).body)
    #expect(answer.serial == "C02XL0THJHCC" && answer.confidence == 0.55 && answer.is_valid)
    #expect(answer.device_type == "MacBook Pro" && answer.debug_image_path.value == nil)
    let job = try #require(await api.job(await reply?.json["job_id"] as? String))
    #expect(job.priority > 0 && job.request.persist && job.request.preset == .etched)
  }

  @Test func notesOtherDevicesSerial() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial")
    var reading = Reading.sample(serials: ["C02XL0THJHCC"])
    reading.verdict = .uncertain
    reading.notes = ["C07WK3B4PLJ9 was seen elsewhere"]
    try await api.readNext(as: reading)
    let answer = try #require(await reply)
    #expect(answer.json["verdict"] as? String == "uncertain")
    #expect(answer.json["notes"] as? [String] == reading.notes)
  }

  @Test func returnsAndSavesEverySerialOnRequest() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial?multiple=true")
    var reading = Reading.sample(serials: ["C02XL0THJHCC", "C07WK3B4PLJ9", "C07WK3K7PLJ9"])
    reading.isOfEverySerial = true
    for (index, verdict) in [Reading.Verdict.accepted, .accepted, .uncertain].enumerated() {
      reading.serials[index].verdict = verdict
      reading.serials[index].label = "Serial"
      reading.serials[index].places = []
    }
    try await api.readNext(as: reading)
    let answer = try #require(await reply)
    let serials = try #require(answer.json["serials"] as? [[String: Any]])
    #expect(serials.compactMap { $0["serial"] as? String } == reading.serials.map(\.serial))
    #expect(serials.compactMap { $0["verdict"] as? String } == ["accepted", "accepted", "uncertain"])
    #expect(answer.json["serial"] as? String == "C02XL0THJHCC")
    let id = try #require(answer.json["job_id"] as? String)
    #expect(try await api.job(id)?.request.everySerial == true)
    let history = try #require(await api.get("/history")?.json["items"] as? [[String: Any]])
    #expect(Set(history.compactMap { $0["serial"] as? String }) == ["C02XL0THJHCC", "C07WK3B4PLJ9"])
    let body = Data(#"{"serial": "C07WK3K7PLJ9", "replaces": "C07WK3K7PLJ9"}"#.utf8)
    let confirmed = await api.request(
      "POST", "/jobs/\(id)/confirm", headers: ["Content-Type": "application/json"], body: body)
    #expect(confirmed?.json["corrected"] as? Bool == false)
    #expect((await api.get("/history")?.json["items"] as? [Any])?.count == 3)
    for replaced in ["C02G414GMD6N", "C02"] {
      let unknown = Data(#"{"serial": "C02ZK1ABMD6N", "replaces": "\#(replaced)"}"#.utf8)
      let refused = await api.request(
        "POST", "/jobs/\(id)/confirm", headers: ["Content-Type": "application/json"], body: unknown)
      #expect(refused?.status == 422 && refused?.errorCode == "INVALID_PARAMETER")
      #expect(refused?.text.contains("`replaces` must be") == true)
    }
  }

  @Test func returnsFieldsOfSerial() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial")
    var reading = Reading.sample(serials: ["C02ZK1ABMD6N"])
    let corner = PixelPoint(x: 1.26, y: 2)
    reading.serials[0].fields = [
      FieldRead(
        kind: .modelNumber, text: "A2141", confidence: 0.95, region: Quadrilateral(corner, corner, corner, corner)),
      FieldRead(kind: .imei, text: "356938035643809", confidence: 0.9, check: true),
    ]
    try await api.readNext(as: reading)
    let answer = try #require(await reply)
    func check(_ read: [String: Any]?) {
      let fields = read?["fields"] as? [String: [String: Any]]
      #expect(fields.map { Set($0.keys) } == ["model_number", "imei"])
      #expect(fields?["imei"]?["text"] as? String == "356938035643809")
      #expect(fields?["imei"]?["check"] as? Bool == true)
      #expect(fields?["model_number"]?["check"] is NSNull)
      #expect((fields?["model_number"]?["region"] as? [[Double]])?.first == [1.3, 2])
      let meaning = read?["meaning"] as? [String: Any]
      #expect(meaning?["model_name"] as? String == "MacBook Pro (16-inch, 2019)")
      #expect(meaning?["plant"] as? String == "C02" && meaning?["configuration_code"] as? String == "MD6N")
      #expect(meaning?["years"] as? [Int] == [2019])
    }
    check(answer.json)
    let id = try #require(answer.json["job_id"] as? String)
    let results = try #require(await api.get("/result/\(id)")?.json["results"] as? [String: Any])
    check((results["serials"] as? [[String: Any]])?.first)
    check((await api.get("/history")?.json["items"] as? [[String: Any]])?.first)
    let table = try #require(await api.get("/export?format=csv&digits_as_text=true"))
    let text = String(decoding: table.body, as: UTF8.self)
    #expect(
      text.contains("Model number,Part number,IMEI,IMEI2,EID") && text.contains(#"A2141,,"=""356938035643809""",,"#))
  }

  @Test func returnsOneSerialByDefault() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial", fields: ["multiple": "false"])
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    #expect(await reply?.json["serials"] == nil)
    #expect(await api.upload(Photo.jpeg(), fields: ["multiple": "perhaps"])?.errorCode == "INVALID_PARAMETER")
    #expect(await api.upload(Photo.jpeg(), to: "/scan?multiple=perhaps")?.errorCode == "INVALID_PARAMETER")
  }

  @Test func persistCanBeTurnedOff() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial?persist=false")
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    #expect(await reply?.status == 200)
    #expect(try await api.job(await reply?.json["job_id"] as? String)?.savedToDatabase == false)
  }

  @Test func persistCanBeTurnedOffForScans() async throws {
    let api = try await RunningAPI()
    let jobs = [
      await api.upload(Photo.jpeg(), to: "/scan?persist=false"),
      await api.upload(Photo.jpeg(), fields: ["persist": "false"]),
      await api.upload(Photo.jpeg(), to: "/scan?persist=true", fields: ["persist": "false"]),
    ]
    for job in jobs {
      try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
      #expect(try await api.job(await job?.json["job_id"] as? String)?.savedToDatabase == false)
    }
    #expect(await api.upload(Photo.jpeg(), fields: ["persist": "perhaps"])?.errorCode == "INVALID_PARAMETER")
  }

  @Test func takesOptionsFromTheForm() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(
      Photo.jpeg(), to: "/process-serial?persist=true&min_confidence=0.1",
      fields: ["persist": "false", "debug": "true", "min_confidence": "0.9"])
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"], confidence: 0.8))
    #expect(await reply?.errorCode == "LOW_CONFIDENCE")
    let job = try #require(try await api.job(await reply?.json["job_id"] as? String))
    #expect(!job.request.persist && job.request.annotate && job.request.minConfidence == 0.9)
    for (field, value) in [("persist", "perhaps"), ("min_confidence", "2"), ("debug", "x")] {
      let refused = await api.upload(Photo.jpeg(), to: "/process-serial", fields: [field: value])
      #expect(refused?.errorCode == "INVALID_PARAMETER" && refused?.detail?.contains(field) == true)
    }
    // `/scan` has neither of the last two, and ignores unknown fields.
    #expect(await api.upload(Photo.jpeg(), fields: ["min_confidence": "2", "debug": "true"])?.status == 200)
    #expect(try await api.waiting().first?.request.annotate == false)
  }

  @Test func debugPictureCanBeFetched() async throws {
    let api = try await RunningAPI()
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial?debug=true")
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    let path = try #require(await reply?.json["debug_image_path"] as? String)
    #expect(await api.get(path)?.errorCode == "IMAGE_NOT_FOUND")
    let id = try #require(await reply?.json["job_id"] as? String)
    let folder = "\(api.dataPath)/annotations"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let picture = Data((0..<600_000).map { UInt8($0 % 256) })
    try picture.write(to: URL(fileURLWithPath: "\(folder)/\(id).png"))
    let fetched = try #require(await api.get(path))
    #expect(fetched.status == 200 && fetched.headers["content-type"] == "image/png" && fetched.body == picture)
    #expect(await api.get("/result/..%2F..%2Fetc/image")?.status == 404)
  }

  @Test func noSerialAndLowConfidenceReturn422() async throws {
    let api = try await RunningAPI()
    async let nothing = api.upload(Photo.jpeg(), to: "/process-serial")
    try await api.readNext(as: .sample(serials: []))
    #expect(await nothing?.status == 422)
    #expect(await nothing?.errorCode == "NO_TEXT_DETECTED")
    async let low = api.upload(Photo.jpeg(), to: "/process-serial?min_confidence=0.9")
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"], confidence: 0.60049))
    #expect(await low?.status == 422)
    #expect(await low?.errorCode == "LOW_CONFIDENCE")
    #expect(await low?.json["confidence"] as? Double == 0.6)
    #expect((await low?.json["detail"] as? String)?.contains("0.6, below the requested 0.9, and is not saved") == true)
    #expect((await api.get("/history")?.json["items"] as? [Any])?.isEmpty == true)
    #expect(await low?.json["serial"] as? String == "C02XL0THJHCC")
    #expect(await low?.json["confidence"] as? Double == 0.6)
    #expect(await api.upload(Photo.jpeg(), to: "/process-serial?min_confidence=2")?.errorCode == "INVALID_PARAMETER")
    #expect(await api.upload(Photo.jpeg(), to: "/process-serial?persist=perhaps")?.errorCode == "INVALID_PARAMETER")
  }

  @Test func timeoutNamesTheJob() async throws {
    let api = try await RunningAPI { $0.settings.server.processTimeout = 0.1 }
    let reply = try #require(await api.upload(Photo.jpeg(), to: "/process-serial"))
    #expect(reply.status == 504 && reply.errorCode == "PROCESSING_TIMEOUT")
    let id = try #require(reply.json["job_id"] as? String)
    #expect(try await api.job(id)?.state == .queued)
  }

  @Test func concurrentRequestsWithOneIdempotencyKeyShareAJob() async throws {
    let api = try await RunningAPI()
    let headers = ["Idempotency-Key": "one"]
    async let first = api.upload(Photo.jpeg(), to: "/process-serial", headers: headers)
    async let second = api.upload(Photo.jpeg(), to: "/process-serial?debug=true", headers: headers)
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    let replies = await [first, second]
    let third = await api.upload(Photo.jpeg(), to: "/process-serial", headers: headers)
    let scan = await api.upload(Photo.jpeg(), headers: headers)
    #expect((replies + [third]).allSatisfy { $0?.json["serial"] as? String == "C02XL0THJHCC" })
    #expect(Set((replies + [third, scan]).compactMap { $0?.json["job_id"] as? String }).count == 1)
    #expect(scan?.json["status"] as? String == "completed")
    #expect(try await api.waiting().isEmpty && api.files.count == 1)
    let other = try #require(await api.upload(Photo.jpeg(content: 77), to: "/process-serial", headers: headers))
    #expect(other.status == 409 && other.errorCode == "IDEMPOTENCY_CONFLICT")
    #expect(other.json["job_id"] as? String == scan?.json["job_id"] as? String)
  }

  @Test func queueReservesPlacesForProcessSerial() async throws {
    let api = try await RunningAPI(limits: QueueLimits(waiting: 500, reserved: 3))
    for _ in 0..<500 {
      let id = UUID().uuidString.lowercased()
      let request = JobRequest(photo: "\(id).jpg", photoBytes: 1, preset: nil, deviceType: nil)
      _ = try await api.store.enqueue(NewJob(id: id, request: request))
    }
    #expect(await api.upload(Photo.jpeg())?.errorCode == "QUEUE_FULL")
    async let reply = api.upload(Photo.jpeg(), to: "/process-serial")
    for _ in 0..<500 where try await api.store.queueStatus().waiting == 500 {
      try await Task.sleep(for: .milliseconds(10))
    }
    try await api.readNext(as: .sample(serials: ["C02XL0THJHCC"]))
    #expect(await reply?.json["serial"] as? String == "C02XL0THJHCC", "it is read before all others")
    #expect(try await api.store.queueStatus().waiting == 500)
  }

  @Test func disconnectCancelsTheJob() async throws {
    let api = try await RunningAPI()
    do {
      let connection = Connection(port: api.port)
      let body = Form.body(photo: Photo.jpeg())
      await connection.send(
        Data(
          "POST /process-serial HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: \(body.count)\r\n\r\n"
            .utf8) + body)
      for _ in 0..<500 where try await api.waiting().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    }
    for _ in 0..<500 where try await !api.waiting().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    let job = try #require(try await api.store.jobs(in: .failed, limit: 1, cursor: nil).items.first)
    #expect(job.error?.code == .cancelled)
  }
}
