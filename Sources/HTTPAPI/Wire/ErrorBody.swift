import Hummingbird
import JobStore

/// The body of every error.
struct ErrorBody: Codable {
  var detail: String
  var errorCode: ErrorCode
  var statusCode: Int
  var jobID: String?
  var serial: String?
  var confidence: Double?
  var lines: [LineProblem]?
  var moreLines: Int?

  private enum CodingKeys: String, CodingKey {
    case detail
    case errorCode = "error_code"
    case statusCode = "status_code"
    case jobID = "job_id"
    case serial
    case confidence
    case lines
    case moreLines = "more_lines"
  }

  init(_ error: APIError) {
    detail = error.detail
    errorCode = error.code
    statusCode = error.status.code
    jobID = error.jobID
    serial = error.serial
    confidence = error.confidence
    lines = error.lines
    moreLines = error.moreLines
  }
}

extension ErrorBody: WireObject {
  static let wireName = "Error"
  static let wireNotes: [String: Schema] = [
    "": .about("The body of every error."),
    "detail": .about("What is wrong and what to do, for a person."),
    "status_code": .about("The status of the answer."),
    "job_id": .uuid.about("The job that continues, or that the error is about."),
    "serial": .about("The read that was below `min_confidence`; with `LOW_CONFIDENCE` only."),
    "confidence": .share.about("Confidence of `serial`; with `LOW_CONFIDENCE` only."),
    "lines": .mostItems(DeviceList.mostProblems).about("The lines that are wrong; with `IMPORT_INVALID` only."),
    "more_lines": .about("How many more lines are wrong; with `IMPORT_INVALID` only."),
  ]
}

extension Response {
  /// Creates the response for an error.
  init(_ error: APIError) {
    self = .json(ErrorBody(error), status: error.status)
    if let seconds = error.retryAfter { headers[.retryAfter] = String(seconds) }
    if !error.allowedMethods.isEmpty { headers[.allow] = error.allowedMethods.joined(separator: ", ") }
    if error.status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
  }
}
