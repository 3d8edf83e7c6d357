import Exports
import Foundation
import HTTPTypes
import Hummingbird
import JobStore
import NIOConcurrencyHelpers
import ScanModel
import Support

/// `POST /process-serial`: like `/scan`, but ahead of the queue and with the result in the response.
///
/// If the client disconnects, its job is cancelled. After the deadline the job continues, and the 504 response contains
/// its id, so that no work is repeated.
struct ProcessSerial: Sendable {
  struct Answer: Codable {
    var serial: String
    var confidence: Double
    @ExplicitNull var deviceType: String?
    var isValid: Bool
    @ExplicitNull var debugImagePath: String?
    var jobID: String
    var verdict: Reading.Verdict
    var method: String
    var notes: [String]
    @ExplicitNull var fields: FieldsAnswer?
    @ExplicitNull var meaning: MeaningAnswer?
    /// All serials, if every serial was requested.
    var serials: [SerialAnswer]?

    private enum CodingKeys: String, CodingKey {
      case serial
      case confidence
      case deviceType = "device_type"
      case isValid = "is_valid"
      case debugImagePath = "debug_image_path"
      case jobID = "job_id"
      case verdict
      case method
      case notes
      case fields
      case meaning
      case serials
    }

    init(_ read: SerialRead, of job: Job, _ reading: Reading, _ models: ModelNames) {
      let top = SerialAnswer(read, models)
      (serial, confidence, isValid, method) = (top.serial, top.confidence, top.isValid, top.method)
      deviceType = job.request.deviceType
      debugImagePath = job.request.annotate ? "/result/\(job.id)/image" : nil
      jobID = job.id
      verdict = reading.verdict
      notes = reading.notes
      fields = top.fields
      meaning = top.meaning
      serials = job.request.everySerial ? reading.serials.map { SerialAnswer($0, models) } : nil
    }
  }

  /// How long a stopping server waits for a photo being read. Then it responds with the job's id, as after the
  /// deadline.
  private static let stopGrace = Duration.seconds(5)
  private static let hangUp = JobError(
    code: .cancelled,
    detail: "The client that waited for the result disconnected before the photo was read.")

  let upload: PhotoUpload
  let intake: Intake
  let store: any ServerStore
  let timeout: Double
  let held: HeldAnswers
  let codes: StoreCodes
  private let waiting = WaitingClients()

  init(
    upload: PhotoUpload, intake: Intake, store: any ServerStore, timeout: Double, held: HeldAnswers, codes: StoreCodes
  ) {
    self.upload = upload
    self.intake = intake
    self.store = store
    self.timeout = timeout
    self.held = held
    self.codes = codes
  }

  var endpoint: Endpoint {
    Endpoint(
      .post, "/process-serial", "SendAPhotoAndWait", "Send a photo and wait",
      "Like /scan, but ahead of the queue. If the client disconnects, the job is cancelled. No serial: 422 `NO_TEXT_DETECTED`.",
      topic: .photos, access: .scan,
      parameters: Intake.parameters + Intake.awaitedParameters + [CommonParameters.idempotencyKey],
      bodies: [.photo], answers: [.json(Answer.self)],
      errors: ErrorCode.ofFailedJobs + Intake.errors + [.lowConfidence, .jobNotFound, .jobDeleted, .processingTimeout],
      handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let enqueued = try await intake.accept(request, context, upload: upload, isAwaited: true)
    let job = try await waitForEnd(enqueued, context)
    guard job.state.isEnd else { throw APIError.processingTimeout(job.id) }
    guard let reading = job.reading, let top = reading.topSerial else { throw APIError(failureOf: job) }
    if let minConfidence = job.request.minConfidence, top.confidence < minConfidence {
      throw APIError.lowConfidence(top, least: minConfidence, job: job.id)
    }
    return .json(Answer(top, of: job, reading, await codes.modelNames()))
  }

  private func waitForEnd(_ enqueued: EnqueuedJob, _ context: APIContext) async throws -> Job {
    waiting.begin(enqueued)
    do {
      let ended = try await held.hold(context, grace: Self.stopGrace) { [store, timeout] in
        try await store.waitForEnd(id: enqueued.id, timeout: .seconds(timeout))
      }
      let job = if let ended { ended } else { try await store.job(id: enqueued.id) }
      _ = waiting.end(enqueued.id)
      return try APIError.requireKept(job)
    } catch {
      let wasLast = waiting.end(enqueued.id)
      if wasLast, error is CancellationError { try await store.cancel(id: enqueued.id, because: Self.hangUp) }
      throw error
    }
  }
}

extension ProcessSerial.Answer: WireObject {
  static let wireName = "ProcessedSerial"
  static let wireNotes: [String: Schema] = [
    "confidence": .share, "job_id": .uuid,
    "debug_image_path": .about("The picture with the reads drawn in; null unless `debug` is true."),
    "notes": .about("What to check, such as another device's serial in the photo."),
    "serials": .about("Every serial, the most probable first; only if `multiple` is true."),
  ]
}

/// Tracks which clients wait for which job. A job is cancelled only once the last of several clients with the same
/// idempotency key has disconnected. A job created by `/scan` is never cancelled, because no client needs to wait for
/// it.
private final class WaitingClients: Sendable {
  private struct Entry {
    var count = 0
    /// Whether one of the clients created the job.
    var isTheirs = false
  }

  private let entries = NIOLockedValueBox<[String: Entry]>([:])

  func begin(_ job: EnqueuedJob) {
    entries.withLockedValue { entries in
      entries[job.id, default: Entry()].count += 1
      if !job.isDuplicate { entries[job.id]?.isTheirs = true }
    }
  }

  /// Whether this was the last client waiting for a job that one of them created.
  func end(_ id: String) -> Bool {
    entries.withLockedValue { entries in
      guard var entry = entries[id] else { return false }
      entry.count -= 1
      entries[id] = entry.count > 0 ? entry : nil
      return entry.count == 0 && entry.isTheirs
    }
  }
}

extension APIError {
  /// Returns a job that was waited for. Throws `JOB_DELETED` if it was deleted meanwhile.
  static func requireKept(_ job: Job?) throws(APIError) -> Job {
    guard let job, job.error?.code != .jobDeleted else {
      throw APIError(.jobDeleted, "The job was deleted before its photo was read.")
    }
    return job
  }

  static func processingTimeout(_ id: String) -> APIError {
    var error = APIError(
      .processingTimeout,
      "The photo has not been read yet, but it stays queued. Poll /result/\(id) instead of sending it again.",
      retryAfter: 5)
    error.jobID = id
    return error
  }

  static func lowConfidence(_ read: SerialRead, least: Double, job: String) -> APIError {
    func plain(_ share: Double) -> String {
      share.formatted(.number.precision(.fractionLength(0...6)).locale(Locale(identifier: "en_US_POSIX")))
    }
    let confidence = Confidence.displayed(read.confidence)
    var error = APIError(
      .lowConfidence,
      "The best read has a confidence of \(plain(confidence)), below the requested \(plain(least)), and is not saved. Take the photo closer, "
        + "sharper and without glare.")
    error.jobID = job
    error.serial = read.serial
    error.confidence = confidence
    return error
  }

  /// Creates the error for a job that ended without a serial.
  init(failureOf job: Job) {
    let failure = job.error ?? .noSerial
    self.init(failure.code, failure.detail, retryAfter: failure.code.status == .serviceUnavailable ? 5 : nil)
    jobID = job.id
  }
}
