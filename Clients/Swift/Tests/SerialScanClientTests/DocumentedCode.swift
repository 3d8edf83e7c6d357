import Foundation
import SerialScanClient

/// The code of the documentation, compiled and run: `DocumentTests` finds every `swift` block here, character by character.
enum DocumentedCode {
  static func scanPhoto(server: URL, key: String?, photo: URL) async throws -> JobResult {
    let client = SerialScanClient(baseURL: server, apiKey: key)
    let job = try await client.scan(image: .file(photo), deviceType: "MacBook Pro")
    let result = try await job.result()
    print(result.serial ?? "no serial", result.verdict ?? .refused)
    return result
  }

  static func verifyWebhook(secret: String, headers: [String: String], body: Data) throws -> JobResult {
    let verifier = WebhookVerifier(secret: secret)
    let result = try verifier.result(headers: headers, body: body)
    print(result.jobId, result.serial ?? "no serial")
    return result
  }

  static func showProgress(client: SerialScanClient, photo: URL, show: (Int, String) -> Void) async throws {
    let job = try await client.scan(image: .file(photo))
    for try await state in job.progress {
      show(state.progress, state.message)
    }
  }

  static func explainFailure(client: SerialScanClient, photo: URL, show: (String, String?) -> Void) async throws {
    do {
      _ = try await client.scan(image: .file(photo))
    } catch let error as SerialScanError {
      show(error.detail, error.recoverySuggestion)
      if error.isRetryable {
        show("Trying again later may help.", nil)
      }
    }
  }

  static func workOffline(
    client: SerialScanClient, folder: URL, photo: URL, show: ([OutboxItem]) -> Bool
  ) async throws -> Outbox {
    let outbox = try Outbox(folder: folder, client: client)
    await outbox.start()
    try await outbox.add(image: .file(photo), deviceType: "MacBook Pro")
    for await items in await outbox.updates() {
      if show(items) { break }
    }
    return outbox
  }

  static func leaveAndReturn(outbox: Outbox) async throws -> BackgroundUploads {
    let uploads = BackgroundUploads(identifier: "photos", outbox: outbox)
    // When the app leaves the screen:
    await outbox.stop()
    try await uploads.begin()
    // When it is back:
    await outbox.start()
    return uploads
  }

  static func showSent(outbox: Outbox, client: SerialScanClient, show: (JobResult) -> Void) async throws {
    for item in await outbox.photos {
      if case .sent(let jobId) = item.state {
        show(try await client.job(id: jobId).result())
        try await outbox.remove(item.id)
      }
    }
  }

  static func review(
    client: SerialScanClient, result: JobResult, ask: (SerialResult) async -> String
  ) async throws -> ConfirmedSerial? {
    guard result.verdict == .uncertain, let read = result.results?.serials.first else { return nil }
    for doubt in read.doubts ?? [] {
      print(doubt.sentence)
    }
    for character in read.characters ?? [] where character.confidence < 0.9 {
      print(character.character, character.alternatives?.map(\.character) ?? [])
    }
    let confirmed = await ask(read)
    return try await client.confirm(jobId: result.jobId, serial: confirmed)
  }

  static func scanBatch(
    client: SerialScanClient, name: String, photos: [URL], grade: (Device) -> String,
    decide: (JobItem) async throws -> Void
  ) async throws -> Batch {
    let batch = try await client.beginBatch(name: name)
    for photo in photos {
      let job = try await client.scan(image: .file(photo), batch: batch.id)
      _ = try await job.result()
    }
    for try await photo in client.jobs(filter: .needingReview(batch: batch.id)) {
      try await decide(photo)
    }
    for try await device in client.devices(filter: DeviceFilter(SerialFilter(batch: batch.id))) {
      try await client.changeDevice(serial: device.serial, custom: ["grade": grade(device)])
    }
    let ended = try await client.changeBatch(id: batch.id, ended: true)
    print(ended.tally.devices, ended.tally.needsReview)
    return ended
  }

  static func follow(
    client: SerialScanClient, frames: [Data], box: Box, show: (TrackedFrame) -> Void
  ) async throws {
    let session = TrackingSession(client: client, readsSerials: true)
    try await session.begin(frame: frames[0], boxes: [box])
    for jpeg in frames.dropFirst() {
      if let frame = try await session.track(frame: jpeg) { show(frame) }
    }
    try await session.end()
  }
}
