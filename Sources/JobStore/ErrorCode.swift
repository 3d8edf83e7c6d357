import ScanModel

/// Every `error_code` of the API: for refused requests, failed jobs and failed background tasks.
///
/// The API description and `docs/api.md` list them too; tests check all three against each other.
public enum ErrorCode: String, Sendable, Codable, CaseIterable {
  case badRequest = "BAD_REQUEST"
  case missingBoundary = "MISSING_BOUNDARY"
  case malformedMultipart = "MALFORMED_MULTIPART"
  case partHeadersTooLarge = "PART_HEADERS_TOO_LARGE"
  case unauthorized = "UNAUTHORIZED"
  case forbidden = "FORBIDDEN"
  case originRefused = "ORIGIN_REFUSED"
  case notFound = "NOT_FOUND"
  case jobNotFound = "JOB_NOT_FOUND"
  case serialNotFound = "SERIAL_NOT_FOUND"
  case deviceNotFound = "DEVICE_NOT_FOUND"
  case keyNotFound = "KEY_NOT_FOUND"
  case imageNotFound = "IMAGE_NOT_FOUND"
  case batchNotFound = "BATCH_NOT_FOUND"
  case datasetNotFound = "DATASET_NOT_FOUND"
  case reportNotFound = "REPORT_NOT_FOUND"
  case sessionNotFound = "SESSION_NOT_FOUND"
  case methodNotAllowed = "METHOD_NOT_ALLOWED"
  case requestTimeout = "REQUEST_TIMEOUT"
  case jobNotEnded = "JOB_NOT_ENDED"
  case serialSaved = "SERIAL_SAVED"
  case photoGone = "PHOTO_GONE"
  case nameTaken = "NAME_TAKEN"
  case lastAdminKey = "LAST_ADMIN_KEY"
  case batchEnded = "BATCH_ENDED"
  case batchNameTaken = "BATCH_NAME_TAKEN"
  case idempotencyConflict = "IDEMPOTENCY_CONFLICT"
  case bodyTooLarge = "BODY_TOO_LARGE"
  case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
  case missingImage = "MISSING_IMAGE"
  case emptyImage = "EMPTY_IMAGE"
  case severalImages = "SEVERAL_IMAGES"
  case unsupportedImage = "UNSUPPORTED_IMAGE"
  case damagedImage = "DAMAGED_IMAGE"
  case imageTooLarge = "IMAGE_TOO_LARGE"
  case invalidBoundingBox = "INVALID_BOUNDING_BOX"
  case tooManyObjects = "TOO_MANY_OBJECTS"
  case unknownPreset = "UNKNOWN_PRESET"
  case invalidParameter = "INVALID_PARAMETER"
  case invalidJSON = "INVALID_JSON"
  case importInvalid = "IMPORT_INVALID"
  case badLabels = "BAD_LABELS"
  case noTextDetected = "NO_TEXT_DETECTED"
  case lowConfidence = "LOW_CONFIDENCE"
  case readerCrashed = "READER_CRASHED"
  case readerOutOfMemory = "READER_OUT_OF_MEMORY"
  case cancelled = "CANCELLED"
  case jobDeleted = "JOB_DELETED"
  case frameInProgress = "FRAME_IN_PROGRESS"
  case rateLimited = "RATE_LIMITED"
  case headersTooLarge = "HEADERS_TOO_LARGE"
  case internalError = "INTERNAL_ERROR"
  case queueFull = "QUEUE_FULL"
  case tooManyUploads = "TOO_MANY_UPLOADS"
  case tooManySessions = "TOO_MANY_SESSIONS"
  case trackerLost = "TRACKER_LOST"
  case trackerUnavailable = "TRACKER_UNAVAILABLE"
  case storageUnavailable = "STORAGE_UNAVAILABLE"
  case serverStopping = "SERVER_STOPPING"
  case readerUnavailable = "READER_UNAVAILABLE"
  case photoMissing = "PHOTO_MISSING"
  case processingTimeout = "PROCESSING_TIMEOUT"
  case readerTimedOut = "READER_TIMED_OUT"
  case storageFull = "STORAGE_FULL"

  /// Decodes a stored code; a code unknown to this version becomes `internalError`.
  package init(stored text: String) { self = ErrorCode(rawValue: text) ?? .internalError }

  /// Whether sending the same photo again may succeed, because the failure was not caused by the photo.
  package var isTransient: Bool {
    switch self {
    case .cancelled, .readerCrashed, .readerTimedOut, .readerUnavailable, .photoMissing, .internalError: true
    default: false
    }
  }
}

extension ErrorCode {
  /// The code that reports a reader's failure.
  public init(_ code: ReadFailure.Code) {
    switch code {
    case .notAPicture: self = .unsupportedImage
    case .damagedPicture: self = .damagedImage
    case .tooManyPixels: self = .imageTooLarge
    case .photoMissing: self = .photoMissing
    case .readerCrashed: self = .readerCrashed
    case .readerTimedOut: self = .readerTimedOut
    case .outOfMemory: self = .readerOutOfMemory
    case .readerUnavailable: self = .readerUnavailable
    }
  }
}
