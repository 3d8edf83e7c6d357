import HTTPTypes

/// Every `error_code` there is, each with the status that it comes with. The description of the API and `docs/api.md` list
/// them too, and tests hold all three against each other.
public enum ErrorCode: String, Sendable, CaseIterable {
  case badRequest = "BAD_REQUEST"
  case missingBoundary = "MISSING_BOUNDARY"
  case malformedMultipart = "MALFORMED_MULTIPART"
  case partHeadersTooLarge = "PART_HEADERS_TOO_LARGE"
  case unauthorized = "UNAUTHORIZED"
  case forbidden = "FORBIDDEN"
  case notFound = "NOT_FOUND"
  case jobNotFound = "JOB_NOT_FOUND"
  case serialNotFound = "SERIAL_NOT_FOUND"
  case imageNotFound = "IMAGE_NOT_FOUND"
  case datasetNotFound = "DATASET_NOT_FOUND"
  case reportNotFound = "REPORT_NOT_FOUND"
  case methodNotAllowed = "METHOD_NOT_ALLOWED"
  case requestTimeout = "REQUEST_TIMEOUT"
  case jobNotEnded = "JOB_NOT_ENDED"
  case photoGone = "PHOTO_GONE"
  case idempotencyConflict = "IDEMPOTENCY_CONFLICT"
  case bodyTooLarge = "BODY_TOO_LARGE"
  case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
  case missingImage = "MISSING_IMAGE"
  case emptyImage = "EMPTY_IMAGE"
  case severalImages = "SEVERAL_IMAGES"
  case unsupportedImage = "UNSUPPORTED_IMAGE"
  case damagedImage = "DAMAGED_IMAGE"
  case imageTooLarge = "IMAGE_TOO_LARGE"
  case unknownPreset = "UNKNOWN_PRESET"
  case invalidParameter = "INVALID_PARAMETER"
  case invalidJSON = "INVALID_JSON"
  case badLabels = "BAD_LABELS"
  case noTextDetected = "NO_TEXT_DETECTED"
  case lowConfidence = "LOW_CONFIDENCE"
  case readerCrashed = "READER_CRASHED"
  case readerOutOfMemory = "READER_OUT_OF_MEMORY"
  case cancelled = "CANCELLED"
  case rateLimited = "RATE_LIMITED"
  case headersTooLarge = "HEADERS_TOO_LARGE"
  case internalError = "INTERNAL_ERROR"
  case queueFull = "QUEUE_FULL"
  case tooManyUploads = "TOO_MANY_UPLOADS"
  case storageUnavailable = "STORAGE_UNAVAILABLE"
  case readerUnavailable = "READER_UNAVAILABLE"
  case photoMissing = "PHOTO_MISSING"
  case processingTimeout = "PROCESSING_TIMEOUT"
  case readerTimedOut = "READER_TIMED_OUT"
  case storageFull = "STORAGE_FULL"

  /// The status of an answer with this code.
  public var status: HTTPResponse.Status {
    switch self {
    case .badRequest, .missingBoundary, .malformedMultipart, .partHeadersTooLarge: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden: .forbidden
    case .notFound, .jobNotFound, .serialNotFound, .imageNotFound, .datasetNotFound, .reportNotFound: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .requestTimeout: .requestTimeout
    case .idempotencyConflict, .jobNotEnded: .conflict
    case .photoGone: .gone
    case .bodyTooLarge: .contentTooLarge
    case .unsupportedMediaType: .unsupportedMediaType
    case .missingImage, .emptyImage, .severalImages, .unsupportedImage, .damagedImage, .imageTooLarge,
      .unknownPreset, .invalidParameter, .invalidJSON, .badLabels, .noTextDetected, .lowConfidence, .readerCrashed,
      .readerOutOfMemory, .cancelled:
      .unprocessableContent
    case .rateLimited: .tooManyRequests
    case .headersTooLarge: .requestHeaderFieldsTooLarge
    case .internalError: .internalServerError
    case .queueFull, .tooManyUploads, .storageUnavailable, .readerUnavailable, .photoMissing: .serviceUnavailable
    case .processingTimeout, .readerTimedOut: .gatewayTimeout
    case .storageFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    }
  }
}
