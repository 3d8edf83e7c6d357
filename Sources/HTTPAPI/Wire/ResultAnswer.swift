import Exports
import Foundation
import JobStore
import ScanModel
import Support

/// The response of `GET /result/{job_id}`.
struct ResultAnswer: Codable {
  struct TopResult: Codable {
    var serial: String
    var confidence: Double

    init(_ top: SerialAnswer) { (serial, confidence) = (top.serial, top.confidence) }
  }

  struct Results: Codable {
    var serials: [SerialAnswer]
    var refused: [SerialAnswer]
    var topResult: TopResult
    var totalDetected: Int
    var processingTime: Double
    var fallbackUsed: Bool
    var strategyUsed: String
    var savedToDatabase: Bool
    var verdict: Reading.Verdict
    var preset: Preset
    var presetWasDetected: Bool
    var photoWidth: Int
    var photoHeight: Int
    var notes: [String]
    var trace: [Strategy]
    /// The fields that belong to none of the serials.
    @ExplicitNull var fields: FieldsAnswer?

    private enum CodingKeys: String, CodingKey {
      case fields
      case serials
      case refused
      case topResult = "top_result"
      case totalDetected = "total_detected"
      case processingTime = "processing_time"
      case fallbackUsed = "fallback_used"
      case strategyUsed = "strategy_used"
      case savedToDatabase = "saved_to_database"
      case verdict
      case preset
      case presetWasDetected = "preset_was_detected"
      case photoWidth = "photo_width"
      case photoHeight = "photo_height"
      case notes
      case trace
    }
  }

  /// The strategies tried on a photo without a serial, and what was detected in it.
  struct Refusal: Codable {
    var refused: [SerialAnswer]
    @ExplicitNull var fields: FieldsAnswer?
    var processingTime: Double
    var preset: Preset
    var presetWasDetected: Bool
    var photoWidth: Int
    var photoHeight: Int
    var notes: [String]
    var trace: [Strategy]

    private enum CodingKeys: String, CodingKey {
      case refused
      case fields
      case processingTime = "processing_time"
      case preset
      case presetWasDetected = "preset_was_detected"
      case photoWidth = "photo_width"
      case photoHeight = "photo_height"
      case notes
      case trace
    }
  }

  var jobID: String
  var status: Job.State
  var progress: Int
  var message: String
  var createdAt: Date
  var updatedAt: Date
  @ExplicitNull var filename: String?
  @ExplicitNull var deviceType: String?
  @ExplicitNull var verdict: Reading.Verdict?
  @ExplicitNull var confirmedSerial: String?
  @ExplicitNull var review: Review?
  @ExplicitNull var seenBefore: Date?
  @ExplicitNull var error: String?
  @ExplicitNull var errorCode: ErrorCode?
  @ExplicitNull var flaw: PhotoFlaw?
  @ExplicitNull var batchID: String?
  @ExplicitNull var thumbnailURL: String?
  @ExplicitNull var results: Results?
  @ExplicitNull var refusal: Refusal?
  @ExplicitNull var duplicateOf: String?
  var custom: [String: String]
  var canChange: Bool

  private enum CodingKeys: String, CodingKey {
    case jobID = "job_id"
    case status
    case progress
    case message
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case filename
    case deviceType = "device_type"
    case verdict
    case confirmedSerial = "confirmed_serial"
    case review
    case seenBefore = "seen_before"
    case error
    case errorCode = "error_code"
    case flaw
    case batchID = "batch_id"
    case thumbnailURL = "thumbnail_url"
    case results
    case refusal
    case duplicateOf = "duplicate_of"
    case custom
    case canChange = "can_change"
  }
}

extension ResultAnswer: WireObject {
  static let wireName = "Result"
  static let wireNotes: [String: Schema] = [
    "job_id": .uuid, "progress": .within(0...100).about("Never decreases; 100 at the end."),
    "filename": .about("The file name that the client gave the photo."),
    "verdict": .about("The photo's verdict; null before the end."),
    "confirmed_serial": .about("The serial that a person confirmed."),
    "review": .about("What a person decided about a photo without a saved serial; null without a decision."),
    "seen_before": .about("When the same serial was last read before; null if it is new."), "batch_id": .batchID,
    "thumbnail_url": ThumbnailAddress.note,
    "error": .about("Why the job failed, for a person; null unless it failed."),
    "error_code": .about(
      "Why the job failed; null unless it failed. One of "
        + ErrorCode.ofFailedJobs.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."
    ).merging(Schema(["x-error-codes": .array(ErrorCode.ofFailedJobs.map { .text($0.rawValue) })])),
    "flaw": JobNotes.flaw,
    "results": .about("What was read; null if there is no serial."),
    "refusal": .about("What was tried on a photo without a serial; null if one was found."),
    "duplicate_of": JobNotes.duplicate, "custom": JobNotes.codes,
    "can_change": .about("Whether the key of the request may confirm, correct, review and delete it."),
  ]
}

extension ResultAnswer.TopResult: WireObject {
  static let wireName = "TopResult"
  static let wireNotes: [String: Schema] = ["confidence": .share]
}

extension ResultAnswer.Results: WireObject {
  static let wireName = "Results"
  static let wireNotes: [String: Schema] = [
    "refused": .mostItems(5).about("What was read with too little confidence to be shown, with its doubts."),
    "processing_time": .about("Seconds."),
    "fields": .about("Fields that belong to none of the serials."),
  ]
}

extension ResultAnswer.Refusal: WireObject {
  static let wireName = "Refusal"
  static let wireNotes: [String: Schema] = [
    "": .about("What was tried on a photo without a serial, and what was read in it."),
    "refused": .mostItems(5).about("What was read with too little confidence to be shown, with its doubts."),
    "processing_time": .about("Seconds."),
    "fields": .about("What was read in the photo."),
  ]
}

extension ResultAnswer {
  /// Creates the response for a job, to a client that may change it or not.
  init(_ job: Job, seenBefore: Date?, _ models: ModelNames, canChange: Bool = true) {
    jobID = job.id
    status = job.state
    progress = job.progress
    message = job.message
    createdAt = job.createdAt
    updatedAt = job.updatedAt
    filename = job.request.filename
    deviceType = job.request.deviceType
    verdict = job.verdict
    confirmedSerial = job.confirmedSerial
    review = job.review
    self.seenBefore = seenBefore
    error = job.error?.detail
    errorCode = job.error?.code
    flaw = job.reading?.flaw
    batchID = job.request.batchID
    thumbnailURL = job.thumbnailPath
    results = job.reading.flatMap { Results($0, saved: job.savedToDatabase, models) }
    refusal = job.reading.flatMap { Refusal($0, models) }
    duplicateOf = job.duplicateOf
    custom = job.reading?.custom ?? [:]
    self.canChange = canChange
  }
}

extension ResultAnswer.Results {
  /// Creates the results; nil if nothing was read, so that `results` is null.
  init?(_ reading: Reading, saved: Bool, _ models: ModelNames) {
    guard let top = reading.topSerial else { return nil }
    serials = reading.serials.map { SerialAnswer($0, models) }
    refused = (reading.refused ?? []).map { SerialAnswer($0, models) }
    topResult = ResultAnswer.TopResult(SerialAnswer(top, models))
    totalDetected = reading.serials.count
    processingTime = reading.processingTime
    fallbackUsed = reading.fallbackUsed
    strategyUsed = reading.strategyUsed
    savedToDatabase = saved
    verdict = reading.verdict
    preset = reading.preset
    presetWasDetected = reading.presetWasDetected
    photoWidth = reading.photoSize.width
    photoHeight = reading.photoSize.height
    notes = reading.notes
    trace = reading.trace.map(ResultAnswer.Strategy.init)
    fields = reading.fields.map(FieldsAnswer.init)
  }
}

extension ResultAnswer.Refusal {
  /// Creates the details of a photo without a serial; nil if a serial was read.
  init?(_ reading: Reading, _ models: ModelNames) {
    guard reading.serials.isEmpty else { return nil }
    refused = (reading.refused ?? []).map { SerialAnswer($0, models) }
    fields = reading.fields.map(FieldsAnswer.init)
    processingTime = reading.processingTime
    preset = reading.preset
    presetWasDetected = reading.presetWasDetected
    photoWidth = reading.photoSize.width
    photoHeight = reading.photoSize.height
    notes = reading.notes
    trace = reading.trace.map(ResultAnswer.Strategy.init)
  }
}

extension Job {
  /// Returns the JSON of `GET /result/{job_id}` for this job, for programs that read without a server.
  public func resultJSON() throws -> String {
    String(decoding: try WireFormat.encode(ResultAnswer(self, seenBefore: nil, .shared)), as: UTF8.self)
  }
}
