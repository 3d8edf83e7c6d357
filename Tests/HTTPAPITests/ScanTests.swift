import Foundation
import HTTPAPI
import JobStore
import ScanModel
import Testing

/// Covers `POST /scan` and `GET /result/{job_id}`: the responses as strict clients decode them, storage, presets
/// and device types, idempotency keys, `?wait=`, `GET /health`.
@Suite struct ScanTests {
  @Test func storesPhotoAndJobBeforeResponding() async throws {
    let api = try await RunningAPI()
    let photo = Photo.jpeg(content: 300_000)
    let reply = try #require(await api.upload(photo))
    #expect(reply.status == 200)
    #expect(reply.headers["content-type"] == "application/json")
    let scan = try ClientModels.decode(ClientModels.Scan.self, reply.body)
    let id = scan.job_id.uuidString.lowercased()
    #expect(scan.status == .queued && scan.queue_position == 1 && scan.estimated_wait_time == "not known yet")
    #expect(reply.json["estimated_wait_seconds"] is NSNull)
    #expect(scan.message == "Scan received and added to processing queue")
    #expect(scan.check_status_url == "/result/\(id)")
    let job = try #require(await api.store.job(id: id))
    #expect(job.request.photoBytes == photo.count && job.request.preset == nil)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: "\(api.dataPath)/photos/\(id.prefix(2))/\(job.request.photo)")) == photo
    )
    #expect(api.files.count == 1)
  }

  @Test(arguments: [
    (["preset": "screen"], "?preset=etched", Preset.screen), ([:], "?preset=etched", .etched),
    (["device_type": "MacBook Pro"], "", .etched), (["device_type": "iphone 15"], "?device_type=iMac", .screen),
    ([:], "?device_type=Apple%20Watch", .sticker), (["device_type": "iPad", "preset": "sticker"], "", .sticker),
    (["device_type": "Toaster"], "", nil), (["preset": ""], "", nil),
  ])
  func choosesThePreset(fields: [String: String], query: String, preset: Preset?) async throws {
    let api = try await RunningAPI()
    let reply = try #require(await api.upload(Photo.jpeg(), to: "/scan\(query)", fields: fields))
    #expect(reply.status == 200)
    #expect(try await api.waiting().first?.request.preset == preset)
  }

  @Test func resultHasEveryFieldAtEveryStage() async throws {
    let api = try await RunningAPI()
    let first = try #require(await api.upload(Photo.jpeg()))
    let id = try #require(first.json["job_id"] as? String)
    var result = try ClientModels.decode(ClientModels.Result.self, try #require(await api.get("/result/\(id)")).body)
    #expect(
      result.status == .queued && result.progress == 0 && result.error.value == nil && result.results.value == nil)

    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    let reply = try #require(await api.get("/result/\(id.uppercased())"))
    result = try ClientModels.decode(ClientModels.Result.self, reply.body)
    let results = try #require(result.results.value)
    #expect(result.status == .completed && result.progress == 100)
    #expect(results.top_result.serial == "C02G414GMD6N" && results.serials.count == 1 && results.total_detected == 1)
    #expect(results.serials[0].method == "tesseract" && results.serials[0].roi_index.value == nil)
    #expect(results.strategy_used == "text" && !results.fallback_used && results.saved_to_database)
  }

  @Test func photoWithoutSerialFailsWithMessage() async throws {
    let api = try await RunningAPI()
    let first = try #require(await api.upload(Photo.jpeg()))
    let id = try #require(first.json["job_id"] as? String)
    try await api.readNext(as: .sample(serials: []))
    let result = try ClientModels.decode(ClientModels.Result.self, try #require(await api.get("/result/\(id)")).body)
    #expect(result.status == .failed && result.results.value == nil)
    #expect(result.error.value?.isEmpty == false)
  }

  @Test func photoWithFlawFailsWithAdvice() async throws {
    let api = try await RunningAPI()
    let id = try #require(await api.upload(Photo.jpeg())?.json["job_id"] as? String)
    var reading = Reading.sample(serials: [])
    reading.flaw = .tooSmall
    try await api.readNext(as: reading)
    let result = try #require(await api.get("/result/\(id)")?.json)
    #expect(result["flaw"] as? String == "too_small")
    #expect((result["error"] as? String)?.contains("640 x 480 pixels") == true)
    let jobs = try #require(await api.get("/jobs")?.json["items"] as? [[String: Any]])
    #expect(
      jobs.first?["flaw"] as? String == "too_small" && jobs.first?["error"] as? String == result["error"] as? String)
  }

  @Test func waitDelaysResponseUntilEnd() async throws {
    let api = try await RunningAPI()
    let first = try #require(await api.upload(Photo.jpeg()))
    let id = try #require(first.json["job_id"] as? String)
    async let waiting = api.get("/result/\(id)?wait=30")
    try await Task.sleep(for: .milliseconds(100))
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    #expect(await waiting?.json["status"] as? String == "completed")
    let short = try #require(await api.upload(Photo.jpeg()))
    let other = try #require(short.json["job_id"] as? String)
    #expect(await api.get("/result/\(other)?wait=0.05")?.json["status"] as? String == "queued")
    #expect(await api.get("/result/\(other)?wait=soon")?.status == 422)
    #expect(await api.get("/result/\(other)?wait=-1")?.status == 422)
  }

  @Test func estimateIsMeasuredReadingTime() async throws {
    let api = try await RunningAPI()
    _ = await api.upload(Photo.jpeg())
    try await api.readNext(as: .sample(serials: ["C02G414GMD6N"]))
    let second = try #require(await api.upload(Photo.jpeg()))
    #expect(second.json["estimated_wait_time"] as? String != "not known yet")
    let seconds = try #require(second.json["estimated_wait_seconds"] as? Double)
    #expect(seconds > 0 && seconds == (seconds * 1000).rounded() / 1000)
    #expect(await api.get("/queue/status")?.json["seconds_per_photo"] as? Double ?? 0 > 0)
  }

  @Test func idempotencyKeyCreatesOneJob() async throws {
    let api = try await RunningAPI()
    let headers = ["Idempotency-Key": "one"]
    let replies = await withTaskGroup(of: Connection.Reply?.self) { group in
      for _ in 0..<4 { group.addTask { await api.upload(Photo.jpeg(), headers: headers) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(replies.allSatisfy { $0?.status == 200 })
    #expect(Set(replies.compactMap { $0?.json["job_id"] as? String }).count == 1)
    #expect(api.files.count == 1)
    func again() async throws -> ClientModels.Scan {
      try ClientModels.decode(
        ClientModels.Scan.self, try #require(await api.upload(Photo.jpeg(), headers: headers)).body)
    }
    let waiting = try await again()
    #expect(waiting.status == .queued && waiting.queue_position == 1)
    let claimed = try #require(try await api.store.claimNext(worker: "test", lease: 60))
    let held = try await again()
    #expect(held.status == .processing && held.queue_position == 0)
    try await api.store.finish(claimed.claim, with: .read(.sample(serials: ["C02G414GMD6N"]), save: true))
    let late = try await again()
    #expect(late.status == .completed && late.queue_position == 0 && late.estimated_wait_time == "0 seconds")
    #expect(late.job_id.uuidString.lowercased() == replies.first??.json["job_id"] as? String)
    let conflict = try #require(await api.upload(Photo.jpeg(content: 77), headers: headers))
    #expect(conflict.status == 409 && conflict.errorCode == "IDEMPOTENCY_CONFLICT")
    #expect(api.files.count == 1)
  }

  @Test func idempotencyKeysAreSeparateForEachClient() async throws {
    let api = try await RunningAPI()
    let clients = try await [api.addKey([.scan]), api.addKey([.scan])]
    var jobs: [String] = []
    for (index, client) in clients.enumerated() {
      for _ in 0..<2 {
        let reply = await api.upload(
          Photo.jpeg(content: 100 + index), headers: ["Authorization": "Bearer \(client)", "Idempotency-Key": "1"])
        #expect(reply?.status == 200)
        jobs.append(try #require(reply?.json["job_id"] as? String))
      }
    }
    #expect(jobs[0] == jobs[1] && jobs[2] == jobs[3] && jobs[0] != jobs[2])
  }

  @Test func rejectsInvalidIdempotencyKeys() async throws {
    let api = try await RunningAPI()
    for wrong in ["two words", "schön", String(repeating: "x", count: 201)] {
      let reply = await api.upload(Photo.jpeg(), headers: ["Idempotency-Key": wrong])
      #expect(reply?.status == 422 && reply?.errorCode == "INVALID_PARAMETER", "\(wrong)")
    }
    #expect(api.files.isEmpty)
  }

  @Test func samePhotoWithoutIdempotencyKeyIsTwoJobs() async throws {
    let api = try await RunningAPI()
    let ids = [await api.upload(Photo.jpeg()), await api.upload(Photo.jpeg())].compactMap {
      $0?.json["job_id"] as? String
    }
    #expect(Set(ids).count == 2)
  }

  @Test func healthReportsOperatorFigures() async throws {
    let api = try await RunningAPI()
    let reply = try #require(await api.get("/health"))
    #expect(reply.status == 200)
    let health = try ClientModels.decode(ClientModels.Health.self, reply.body)
    #expect(health.status == "healthy" && !health.gpu_available)
    try await api.store.close()
    // Health checks share a result for a second.
    try await Task.sleep(for: .seconds(1.6))
    let ill = try #require(await api.get("/health"))
    #expect(ill.status == 503 && ill.json["status"] as? String == "unhealthy")
  }
}

extension Reading {
  /// A reading with these serials.
  static func sample(serials: [String], confidence: Double = 0.98) -> Reading {
    Reading(
      verdict: serials.isEmpty ? .refused : .accepted,
      serials: serials.map {
        SerialRead(serial: $0, confidence: confidence, method: "tesseract", strategy: "text", isValid: true)
      },
      preset: .etched, presetWasDetected: true, strategyUsed: "text", fallbackUsed: false, trace: [], notes: [],
      photoSize: PixelSize(width: 640, height: 480), processingTime: 0.41, cpuTime: 0.4)
  }
}
