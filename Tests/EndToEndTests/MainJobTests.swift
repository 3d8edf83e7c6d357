import Foundation
import SerialScanClient
import Testing

/// The main job, end to end: photos are uploaded over HTTP and read. Covers generated pictures of all presets and close-up
/// photos, with responses as the clients decode them.
@Suite(.serialized) struct MainJobTests {
  @Test func readsCleanPictures() async throws {
    let server = try RunningServer()
    let pictures = try LabelledPicture.all(in: LabelledPicture.generated)
    try #require(!pictures.isEmpty)
    let clean = pictures.filter { !$0.serial.isEmpty && !$0.description.contains("_medium_") }
    // Readings do not depend on the store.
    for picture in clean.prefix(TestStore.isShared ? 6 : .max) {
      let reply = try await server.scan(picture.data)
      let top = (reply.json["results"] as? [String: Any])?["top_result"] as? [String: Any]
      #expect(reply.json["status"] as? String == "completed", "\(picture)")
      #expect(top?["serial"] as? String == picture.serial, "\(picture)")
    }
  }

  /// Uses the Swift client from the photo to the spreadsheet.
  @Test func swiftClientScansPhoto() async throws {
    let server = try RunningServer()
    let client = SerialScanClient(baseURL: try #require(URL(string: server.address)))
    let picture = try #require(
      LabelledPicture.all(in: LabelledPicture.generated).first { $0.description == "etched_clean_1.jpg" })
    let job = try await client.scan(image: .file(picture.url), deviceType: "MacBook Pro", idempotencyKey: "main-job")
    var states: [JobResult] = []
    for try await state in job.progress { states.append(state) }
    let result = try #require(states.last)
    #expect(result.serial == picture.serial && result.verdict == .accepted && result.deviceType == "MacBook Pro")
    let again = try await client.scan(image: .file(picture.url), deviceType: "MacBook Pro", idempotencyKey: "main-job")
    #expect(again.id == job.id)
    let confirmation = try await client.confirm(jobId: job.id, serial: picture.serial)
    #expect(confirmation.success && !confirmation.corrected)
    var saved: [String] = []
    for try await item in client.history(filter: SerialFilter(deviceType: "MacBook Pro")) { saved.append(item.serial) }
    #expect(saved == [picture.serial])
    let sheet = RunningServer.freshFolder().appendingPathComponent("serials.csv")
    try await client.export(to: sheet, format: .csv)
    #expect(try String(contentsOf: sheet, encoding: .utf8).contains(picture.serial))
    #expect(try await client.health().isHealthy)
  }

  @Test func pictureWithoutSerialFailsWithMessage() async throws {
    let server = try RunningServer()
    for picture in try LabelledPicture.all(in: LabelledPicture.generated) where picture.serial.isEmpty {
      let reply = try await server.scan(picture.data)
      #expect(reply.json["status"] as? String == "failed", "\(picture)")
      #expect((reply.json["error"] as? String)?.contains("serial") == true, "\(picture)")
      #expect(reply.json["progress"] as? Int == 100)
    }
  }

  @Test(.enabled(if: LabelledPicture.photos != nil, "skipped: SERIALSCAN_PHOTOS names no folder of photos"))
  func readsCloseUpPhotos() async throws {
    let server = try RunningServer()
    let photos = try LabelledPicture.all(in: #require(LabelledPicture.photos))
    for photo in photos where ["mac_24.jpg", "mac_26.jpg", "mac_28.jpg"].contains(photo.description) {
      let reply = try await server.scan(photo.data, fields: ["device_type": "MacBook"])
      let results = reply.json["results"] as? [String: Any]
      #expect((results?["top_result"] as? [String: Any])?["serial"] as? String == photo.serial, "\(photo)")
    }
  }

  @Test func responsesHaveEveryContractField() async throws {
    let server = try RunningServer()
    let pictures = try LabelledPicture.all(in: LabelledPicture.generated)
    let picture = try #require(pictures.first { !$0.serial.isEmpty })
    let accepted = try await server.upload(picture.data)
    #expect(accepted.status == 200)
    #expect(accepted.json["status"] as? String == "queued")
    #expect(accepted.json["queue_position"] is Int)
    #expect(accepted.json["estimated_wait_time"] is String)
    let id = try #require(accepted.json["job_id"] as? String)
    #expect(accepted.json["check_status_url"] as? String == "/result/\(id)")

    let done = try await server.get("/result/\(id)?wait=60")
    #expect(done.json["error"] is NSNull)
    let results = try #require(done.json["results"] as? [String: Any])
    let names = [
      "serials", "top_result", "total_detected", "processing_time", "fallback_used", "strategy_used",
      "saved_to_database",
    ]
    for name in names { #expect(results[name] != nil, "\(name)") }
    let first = try #require((results["serials"] as? [[String: Any]])?.first)
    for name in ["serial", "confidence", "method", "roi_index"] { #expect(first[name] != nil, "\(name)") }
  }

  @Test func resultsSurviveRestart() async throws {
    let first = try RunningServer()
    let pictures = try LabelledPicture.all(in: LabelledPicture.generated)
    let picture = try #require(pictures.first { !$0.serial.isEmpty })
    let before = try await first.scan(picture.data)
    #expect(first.stop() == 0)
    let second = try RunningServer(data: first.data)
    let id = try #require(before.json["job_id"] as? String)
    let after = try await second.get("/result/\(id)")
    #expect(after.status == 200)
    #expect(after.json["status"] as? String == "completed")
  }

  @Test func metricsReportStagesStrategiesAndVerdicts() async throws {
    let server = try RunningServer()
    let pictures = try LabelledPicture.all(in: LabelledPicture.generated)
    for name in ["etched_clean_1.jpg", "no_serial_1.jpg"] {
      _ = try await server.scan(
        try #require(pictures.first { $0.description == name }).data, fields: ["preset": "etched"])
    }
    let lines = [
      #"serialscan_readings_total{preset="etched",verdict="accepted"} 1"#,
      #"serialscan_readings_total{preset="etched",verdict="refused"} 1"#,
      #"serialscan_stage_seconds_count{stage="queue"} 2"#, #"serialscan_stage_seconds_count{stage="reading"} 2"#,
      #"serialscan_stage_seconds_bucket{le="+Inf",stage="store"} 2"#,
      #"serialscan_strategy_seconds_count{strategy="text"} 2"#, "# TYPE serialscan_stage_seconds histogram",
      "serialscan_reader_restarts_total 0", "serialscan_queue_depth 0",
    ].map { $0 + "\n" }
    // A result is available before it is counted.
    var text = ""
    for _ in 0..<100 where !lines.allSatisfy(text.contains) {
      text = String(decoding: try await server.get("/metrics").body, as: UTF8.self)
      try await Task.sleep(for: .milliseconds(50))
    }
    for line in lines { #expect(text.contains(line), "\(line)") }
  }
}
