import Foundation
import JobStore
import ReaderProtocol

/// The answer of `GET /result/{job_id}`.
struct ResultAnswer: Encodable {
  struct Serial: Encodable {
    var serial: String
    var confidence: Double
    var method: String
    @ExplicitNull var roiIndex: Int?
    var strategy: String
    var isValid: Bool
    /// Four corners as [x, y] in pixels of the photo as uploaded.
    @ExplicitNull var region: [[Double]]?

    private enum CodingKeys: String, CodingKey {
      case serial
      case confidence
      case method
      case roiIndex = "roi_index"
      case strategy
      case isValid = "is_valid"
      case region
    }
  }

  struct TopResult: Encodable {
    var serial: String
    var confidence: Double
  }

  struct Strategy: Encodable {
    var strategy: String
    var seconds: Double
    var outcome: String
  }

  struct Results: Encodable {
    var serials: [Serial]
    var topResult: TopResult
    var totalDetected: Int
    var processingTime: Double
    var fallbackUsed: Bool
    var strategyUsed: String
    var savedToDatabase: Bool
    var verdict: String
    var preset: String
    var presetWasDetected: Bool
    var photoWidth: Int
    var photoHeight: Int
    var notes: [String]
    var trace: [Strategy]

    private enum CodingKeys: String, CodingKey {
      case serials
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

  var jobID: String
  var status: String
  var progress: Int
  var message: String
  var createdAt: Date
  var updatedAt: Date
  @ExplicitNull var filename: String?
  @ExplicitNull var deviceType: String?
  @ExplicitNull var verdict: String?
  @ExplicitNull var confirmedSerial: String?
  @ExplicitNull var seenBefore: Date?
  @ExplicitNull var error: String?
  @ExplicitNull var errorCode: String?
  @ExplicitNull var results: Results?

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
    case seenBefore = "seen_before"
    case error
    case errorCode = "error_code"
    case results
  }
}

extension ResultAnswer {
  /// What the wire says of a job.
  init(_ job: Job, seenBefore: Date?) {
    jobID = job.id
    status = job.state.rawValue
    progress = job.progress
    message = job.message
    createdAt = job.createdAt
    updatedAt = job.updatedAt
    filename = job.request.filename
    deviceType = job.request.deviceType
    verdict = job.verdict?.rawValue
    confirmedSerial = job.confirmedSerial
    self.seenBefore = seenBefore
    error = job.error?.detail
    errorCode = job.error?.code.rawValue
    results = job.reading.flatMap { Results($0, saved: job.savedToDatabase) }
  }
}

extension ResultAnswer.Results {
  /// Nil where nothing was read: the contract's `results` is null then.
  init?(_ reading: Reading, saved: Bool) {
    guard let top = reading.topSerial else { return nil }
    serials = reading.serials.map(ResultAnswer.Serial.init)
    topResult = ResultAnswer.TopResult(serial: top.serial, confidence: top.confidence)
    totalDetected = reading.serials.count
    processingTime = reading.processingTime
    fallbackUsed = reading.fallbackUsed
    strategyUsed = reading.strategyUsed
    savedToDatabase = saved
    verdict = reading.verdict.rawValue
    preset = reading.preset.rawValue
    presetWasDetected = reading.presetWasDetected
    photoWidth = reading.photoSize.width
    photoHeight = reading.photoSize.height
    notes = reading.notes
    trace = reading.trace.map { .init(strategy: $0.strategy, seconds: $0.seconds, outcome: $0.outcome) }
  }
}

extension ResultAnswer.Serial {
  init(_ read: SerialRead) {
    serial = read.serial
    confidence = read.confidence
    method = read.method
    roiIndex = read.roiIndex
    strategy = read.strategy
    isValid = read.isValid
    // To a tenth of a pixel: further digits say nothing.
    region = read.region?.corners.map { [($0.x * 10).rounded() / 10, ($0.y * 10).rounded() / 10] }
  }
}
