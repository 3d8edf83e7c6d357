import Foundation
import SerialScanClient
import Support

/// Sends watched photos to a server.
struct WatchServer: WatchReading {
  /// The number of concurrent photos: enough to keep a server busy while others are sent.
  let width = 4
  private let client: SerialScanClient
  private let preset: String?
  private let deviceType: String?

  /// Creates the reader.
  ///
  /// - Parameter preset: The name of a preset; nil to auto-detect it.
  init(address: URL, key: String?, preset: String?, deviceType: String?) {
    // Few attempts, because the caller also retries, and reports why it waits.
    client = SerialScanClient(baseURL: address, apiKey: key, retries: RetryPolicy(attempts: 3))
    (self.preset, self.deviceType) = (preset, deviceType)
  }

  func read(_ file: WatchedFile, bytes: [UInt8], key: String) async throws -> WatchAnswer {
    do {
      let job = try await client.scan(
        image: .data(Data(bytes), filename: file.name), deviceType: deviceType,
        preset: preset.flatMap { Preset(rawValue: $0) },
        idempotencyKey: key)
      WatchPoint.watchSubmitted.reached()
      // Poll by id, so that a job found again continues where this program stopped.
      let result = try await client.job(id: job.id).result()
      return try Self.answer(result, file.name)
    } catch let error as SerialScanError {
      if Self.refusals.contains(error.errorCode) { return .unreadable(error.detail) }
      let more = [error.detail, error.recoverySuggestion].compactMap { $0 }.joined(separator: " ")
      throw WatchProblem(
        error.errorCode == .jobNotFound ? .photo : .surroundings, "The server can't read photos at the moment: \(more)")
    }
  }

  /// Errors that a retry with the same file can't fix.
  private static let refusals: Set<ErrorCode> = [
    .unsupportedImage, .damagedImage, .imageTooLarge, .emptyImage, .bodyTooLarge,
  ]
  /// Job failures for reasons outside the photo.
  private static let transient: Set<ErrorCode> = [
    .cancelled, .readerCrashed, .readerTimedOut, .photoMissing, ErrorCode(rawValue: "READER_UNAVAILABLE"),
    ErrorCode(rawValue: "INTERNAL_ERROR"),
  ]

  private static func answer(_ result: JobResult, _ name: String) throws -> WatchAnswer {
    if let code = result.errorCode, transient.contains(code) {
      throw WatchProblem(.photo, "\(name): \(result.error ?? result.message)")
    }
    let top = result.results?.serials.first
    if result.status == .failed, let code = result.errorCode, code != .noTextDetected {
      var answer = WatchAnswer.unreadable(result.error ?? result.message)
      answer.jobID = result.jobId
      return answer
    }
    var notes = (result.results?.notes ?? result.refusal?.notes ?? []).joined(separator: " ")
    let missing = "No serial number was found."
    if top == nil { notes = notes.isEmpty ? missing : "\(missing) \(notes)" }
    return WatchAnswer(
      serial: top?.serial, confidence: top?.confidence ?? 0, verdict: (result.verdict ?? .refused).rawValue,
      preset: result.results?.preset ?? result.refusal?.preset, method: top?.method, isValid: top?.isValid ?? false,
      notes: notes.isEmpty ? nil : notes, jobID: result.jobId)
  }
}
