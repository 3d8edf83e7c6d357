import AppleSerial
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
  private let everySerial: Bool

  /// Creates the reader.
  ///
  /// - Parameters:
  ///   - preset: The name of a preset; nil to auto-detect it.
  ///   - everySerial: Whether to ask for every serial of a photo, even if the server's settings ask for the device's one only.
  init(address: URL, key: String?, preset: String?, deviceType: String?, everySerial: Bool) {
    // Few attempts, because the caller also retries, and reports why it waits.
    client = SerialScanClient(baseURL: address, apiKey: key, retries: RetryPolicy(attempts: 3))
    (self.preset, self.deviceType, self.everySerial) = (preset, deviceType, everySerial)
  }

  func read(_ file: WatchedFile, bytes: [UInt8], key: String) async throws -> WatchAnswer {
    do {
      let job = try await client.scan(
        image: .data(Data(bytes), filename: file.name), deviceType: deviceType,
        preset: preset.flatMap { Preset(rawValue: $0) }, multiple: everySerial, idempotencyKey: key)
      WatchPoint.watchSubmitted.reached()
      // Poll by id, so that a job found again continues where this program stopped.
      let result = try await client.job(id: job.id).result()
      return try answer(result, file.name)
    } catch let error as SerialScanError {
      if Self.refusals.contains(error.errorCode) { return .unreadable(error.detail) }
      if error.errorCode == .unauthorized {
        throw WatchProblem(
          .surroundings,
          "The server requires a valid API key. Set it with --key or the environment variable SERIALSCAN_API_KEY.")
      }
      let more = [error.detail, error.recoverySuggestion].compactMap { $0 }.joined(separator: " ")
      throw WatchProblem(
        [.jobNotFound, .jobDeleted].contains(error.errorCode) ? .photo : .surroundings,
        "The server can't read photos at the moment: \(more)")
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

  private func answer(_ result: JobResult, _ name: String) throws -> WatchAnswer {
    let reason = result.error ?? result.message
    if let code = result.errorCode, Self.transient.contains(code) {
      throw WatchProblem(.photo, "\(name): \(reason)")
    }
    if result.status == .failed, let code = result.errorCode, code != .noTextDetected {
      var answer = WatchAnswer.unreadable(reason)
      answer.jobID = result.jobId
      return answer
    }
    var answer = WatchAnswer(
      reads: told(result), fields: Self.fields(result.results?.fields ?? result.refusal?.fields),
      preset: (result.results?.preset ?? result.refusal?.preset).flatMap { .init(rawValue: $0) },
      jobID: result.jobId)
    answer.note(result.results?.notes ?? result.refusal?.notes ?? [], withoutSerial: reason)
    return answer
  }

  /// Returns the reported serials: the device's one, or every one.
  ///
  /// A server reads every serial also by its own setting. A photo read for one serial has further ones only as
  /// candidates, which are never accepted.
  private func told(_ result: JobResult) -> [WatchAnswer.Read] {
    (result.results?.serials ?? []).enumerated().compactMap { index, serial in
      let verdict = index == 0 ? result.verdict : serial.verdict
      guard index == 0 || everySerial || verdict == .accepted else { return nil }
      return WatchAnswer.Read(
        serial: serial.serial, confidence: serial.confidence,
        verdict: verdict.flatMap { WatchAnswer.Verdict(rawValue: $0.rawValue) } ?? .uncertain, method: serial.method,
        isValid: serial.isValid ?? false, fields: Self.fields(serial.fields))
    }
  }

  private static func fields(_ fields: [String: SerialField]?) -> [WatchAnswer.Field]? {
    fields.map { fields in
      DeviceField.Kind.allCases.compactMap { kind in
        fields[kind.rawValue].map {
          WatchAnswer.Field(kind: kind, text: $0.text, confidence: $0.confidence ?? 0, check: $0.check)
        }
      }
    }
  }
}
