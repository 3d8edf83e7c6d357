import Hummingbird

/// The body of every error.
struct ErrorBody: Encodable {
  var detail: String
  var errorCode: String
  var statusCode: Int
  var jobID: String?
  var serial: String?
  var confidence: Double?

  private enum CodingKeys: String, CodingKey {
    case detail
    case errorCode = "error_code"
    case statusCode = "status_code"
    case jobID = "job_id"
    case serial
    case confidence
  }

  init(_ error: APIError) {
    detail = error.detail
    errorCode = error.code.rawValue
    statusCode = error.status.code
    jobID = error.jobID
    serial = error.serial
    confidence = error.confidence
  }
}

extension Response {
  /// The answer that tells an error.
  init(_ error: APIError) {
    self = .json(ErrorBody(error), status: error.status)
    if let seconds = error.retryAfter { headers[.retryAfter] = String(seconds) }
    if !error.allowedMethods.isEmpty { headers[.allow] = error.allowedMethods.joined(separator: ", ") }
    if error.status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
  }
}
