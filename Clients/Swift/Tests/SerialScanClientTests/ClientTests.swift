import Foundation
import SerialScanClient
import Testing

/// The client with a real server.
@Suite struct ClientTests {
  static let server = Result { try RunningServer("datasets=testdata") }

  var client: SerialScanClient {
    get throws { SerialScanClient(baseURL: try Self.server.get().address) }
  }

  @Test func photoIsReadFromFile() async throws {
    let job = try await client.scan(image: .file(RunningServer.picture("etched_clean_1")), deviceType: "MacBook Pro")
    #expect(job.response?.status == .queued)
    let result = try await job.result()
    #expect(result.status == .completed)
    #expect(result.serial == "G0NKP62BLGMZ")
    #expect(result.verdict == .accepted)
    #expect(result.filename == "etched_clean_1.jpg")
    #expect(result.deviceType == "MacBook Pro")
    #expect(result.results?.serials.first?.region?.count == 4)
    #expect(result.results?.serials.first?.characters?.count == 12)
    #expect(result.results?.trace?.isEmpty == false)
    #expect(result.failure == nil)
  }

  @Test func photoIsReadFromMemory() async throws {
    let data = try Data(contentsOf: RunningServer.picture("etched_clean_2"))
    let job = try await client.scan(image: .data(data, filename: "a \"b\".jpg"), preset: .etched)
    let result = try await job.result()
    #expect(result.serial == "FK1CRVYNLFK3")
    #expect(result.results?.presetWasDetected == false)
  }

  @Test func photoWithoutSerialReturnsResultWithAdvice() async throws {
    let job = try await client.scan(image: .file(RunningServer.picture("no_serial_1")))
    let result = try await job.result()
    #expect(result.status == .failed)
    #expect(result.serial == nil)
    #expect(result.verdict == .refused)
    #expect(result.refusal?.trace.isEmpty == false)
    let failure = try #require(result.failure)
    #expect(failure.errorCode == .noTextDetected)
    #expect(failure.isRetryable == false)
    #expect(failure.recoverySuggestion?.contains("closer") == true)
  }

  @Test func settingsAndStatisticsAreThoseOfTheServer() async throws {
    let server = try RunningServer("fields.custom=asset_tag=RM-\\d{5} grade")
    let client = SerialScanClient(baseURL: server.address)
    let settings = try await client.settings()
    #expect(settings.customFields?.map(\.name) == ["asset_tag", "grade"])
    #expect(settings.customFields?.map(\.pattern) == ["RM-\\d{5}", nil])
    #expect(settings.limits.maxUploadBytes > 0 && settings.limits.maxPixels > 0)
    #expect(settings.thresholds.refuse < settings.thresholds.accept)
    #expect(settings.deviceTypes["iPhone"] == .screen && settings.presets.contains(.etched))
    #expect(settings.exportTemplates?.map(\.name).contains("plain") == true)
    _ = try await client.scan(image: .file(RunningServer.picture("etched_clean_1"))).result()
    let statistics = try await client.statistics(days: 2)
    #expect(statistics.totalSerials == 1 && statistics.bySource == ["scan": 1] && statistics.byDay.values.first == 1)
    #expect(statistics.jobs["completed"] == 1 && statistics.verdictsByDay?.values.first?.accepted == 1)
    for try await webhook in client.webhooks(status: .failed) { Issue.record("\(webhook)") }
    let error = await #expect(throws: SerialScanError.self) { try await client.retryWebhook(jobId: "a/b") }
    #expect(error?.errorCode == .jobNotFound)
  }

  @Test func progressEndsWithEnd() async throws {
    let job = try await client.scan(image: .file(RunningServer.picture("etched_clean_1")))
    var states: [JobResult] = []
    for try await state in job.progress { states.append(state) }
    #expect(states.last?.status == .completed)
    #expect(states.last?.progress == 100)
    #expect(states.map(\.progress) == states.map(\.progress).sorted())
  }

  @Test func cancellingTaskCancelsWaitingJob() async throws {
    let server = try RunningServer(workers: 0)
    let client = SerialScanClient(baseURL: server.address)
    for observes in [false, true] {
      let job = try await client.scan(image: .file(RunningServer.picture("etched_clean_1")))
      let task = Task {
        if observes { for try await _ in job.progress {} } else { _ = try await job.result() }
      }
      try await Task.sleep(for: .milliseconds(300))
      task.cancel()
      let outcome = await task.result
      // Cancelling its task ends the stream, and makes `result()` throw.
      if !observes { #expect(throws: CancellationError.self) { try outcome.get() } }
      await #expect(throws: SerialScanError.self) { try await job.status() }
    }
  }

  @Test func jobFoundByIDOutlivesTask() async throws {
    let server = try RunningServer(workers: 0)
    let client = SerialScanClient(baseURL: server.address)
    let id = try await client.scan(image: .file(RunningServer.picture("etched_clean_1"))).id
    let task = Task { try await client.job(id: id).result() }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await client.job(id: id).status().status == .queued)
  }

  @Test func leavingProgressLeavesJob() async throws {
    let server = try RunningServer(workers: 0)
    let client = SerialScanClient(baseURL: server.address)
    let job = try await client.scan(image: .file(RunningServer.picture("etched_clean_1")))
    for try await state in job.progress where state.status == .queued { break }
    #expect(try await job.status().status == .queued)
  }

  @Test func processSerialReturnsBestSerial() async throws {
    let read = try await client.processSerial(
      image: .file(RunningServer.picture("etched_clean_2")), deviceType: "MacBook", debug: true)
    #expect(read.serial == "FK1CRVYNLFK3")
    #expect(read.isValid)
    #expect(read.debugImagePath?.hasPrefix("/result/") == true)
    #expect(read.notes == [])
  }

  @Test func lowConfidenceCarriesRead() async throws {
    let error = await #expect(throws: SerialScanError.self) {
      try await client.processSerial(image: .file(RunningServer.picture("etched_clean_2")), minConfidence: 1)
    }
    #expect(error?.errorCode == .lowConfidence)
    #expect(error?.jobId != nil)
    #expect(error?.serial == "FK1CRVYNLFK3")
    #expect((error?.confidence ?? 0) > 0.9)
  }

  @Test func idempotencyKeyMakesOneJob() async throws {
    let photo = ImageSource.file(RunningServer.picture("etched_clean_1"))
    let first = try await client.scan(image: photo, idempotencyKey: "bench-1")
    let second = try await client.scan(image: photo, idempotencyKey: "bench-1")
    #expect(first.id == second.id)
    let error = await #expect(throws: SerialScanError.self) {
      try await client.scan(
        image: .file(RunningServer.picture("etched_clean_2")), idempotencyKey: "bench-1")
    }
    #expect(error?.errorCode == .idempotencyConflict)
    #expect(error?.concernsPhoto == true)
  }

  @Test func returnsHealthAndPresets() async throws {
    #expect(try await client.health().isHealthy)
    let presets = try await client.presets()
    #expect(presets["etched"]?.parameters["crop_capital"] == 16)
  }

  @Test func savedSerialsAreListedPageByPage() async throws {
    let server = try RunningServer(workers: 0)
    let client = SerialScanClient(baseURL: server.address)
    for number in 1...7 {
      let saved = try await client.submit(
        serial: DeviceSerial(
          serial: "C02XL0THJHC\(number)", confidence: 0.95, source: .ios, deviceType: "MacBook", ts: Date(),
          notes: "desk \(number)"))
      #expect(saved.success)
      #expect(saved.validationPassed)
    }
    let history = client.history(sortedBy: .serial, ascending: true, pageSize: 3)
    var serials: [String] = []
    for try await item in history { serials.append(item.serial) }
    #expect(serials == (1...7).map { "C02XL0THJHC\($0)" })
    var sizes: [Int] = []
    for try await page in history.pages { sizes.append(page.items.count) }
    #expect(sizes == [3, 3, 1])
    var found = 0
    for try await _ in client.history(filter: SerialFilter(search: "JHC7")) { found += 1 }
    #expect(found == 1)
  }

  @Test func serialSubmittedAgainIsSavedOnce() async throws {
    let server = try RunningServer(workers: 0)
    let client = SerialScanClient(baseURL: server.address)
    let serial = DeviceSerial(serial: "C02XL0THJHCC", confidence: 0.95, source: .ios, ts: Date())
    let first = try await client.submit(serial: serial, idempotencyKey: "read-1")
    let again = try await client.submit(serial: serial, idempotencyKey: "read-1")
    #expect(again.serialId == first.serialId)
    var count = 0
    for try await _ in client.history() { count += 1 }
    #expect(count == 1)
  }

  @Test func exportReplacesFile() async throws {
    let file = try temporaryFolder().appendingPathComponent("serials.csv")
    try Data("old".utf8).write(to: file)
    try await client.export(to: file, format: .csv, filter: SerialFilter(isValid: true))
    #expect(try String(contentsOf: file, encoding: .utf8).lowercased().contains("serial"))
    let sheet = file.deletingLastPathComponent().appendingPathComponent("serials.xlsx")
    try await client.export(to: sheet)
    #expect(try Data(contentsOf: sheet).prefix(2) == Data("PK".utf8))
    let error = await #expect(throws: SerialScanError.self) {
      try await client.export(to: file, filter: SerialFilter(dateFrom: "yesterday"))
    }
    #expect(error?.statusCode == 422)
  }

  @Test func confirmedSerialReplacesRead() async throws {
    let job = try await client.scan(image: .file(RunningServer.picture("etched_clean_1")))
    _ = try await job.result()
    let confirmation = try await client.confirm(jobId: job.id, serial: "G0NKP62BLGM1")
    #expect(confirmation.corrected)
    #expect(try await client.job(id: job.id).status().serial == "G0NKP62BLGM1")
  }

  @Test func unknownJobIsNotRetried() async throws {
    let error = await #expect(throws: SerialScanError.self) { try await client.job(id: "no/job").result() }
    #expect(error?.errorCode.rawValue.contains("NOT_FOUND") == true)
  }

  @Test func wrongKeyErrorSaysWhereToChangeIt() async throws {
    let server = try RunningServer(workers: 0)
    let open = SerialScanClient(baseURL: server.address)
    let body = #"{"name":"admin","scopes":["admin","scan","read"]}"#
    let answer = try await run(
      URL(fileURLWithPath: "/usr/bin/curl"),
      ["-s", "-H", "Content-Type: application/json", "-d", body, server.address.absoluteString + "/keys"]
    ).output
    let key = try #require(answer.firstMatch(of: /"key":"([^"]+)"/)?.1)
    let error = await #expect(throws: SerialScanError.self) { try await open.presets() }
    #expect(error?.errorCode == .unauthorized)
    #expect(error?.recoverySuggestion?.contains("API key") == true)
    #expect(try await open.health().isHealthy)
    #expect(try await SerialScanClient(baseURL: server.address, apiKey: String(key)).presets().count == 3)
  }

  /// The form is written to a file and streamed from it: 40 MB cost no more memory than a small photo.
  @Test func largePhotoIsStreamed() async throws {
    let server = try RunningServer("upload.max_bytes=67108864", workers: 0)
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let photo = folder.appendingPathComponent("large.jpg")
    var data = try Data(contentsOf: RunningServer.picture("etched_clean_1"))
    data.append(Data(count: 40_000_000))
    try data.write(to: photo)
    func peak(_ photo: URL) async throws -> Int {
      let (status, output) = try await run(
        builtProgram("OutboxSender"), [server.address.absoluteString, "--scan", "x", photo.path])
      #expect(status == 0, "\(output)")
      return try #require(Int(output.split(separator: " ").last?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""))
    }
    let (small, large) = (try await peak(RunningServer.picture("etched_clean_1")), try await peak(photo))
    print("peak memory: \(small) KB with a small photo, \(large) KB with 40 MB")
    #expect(large - small < 20_000)
  }
}
