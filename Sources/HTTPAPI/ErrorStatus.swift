import HTTPTypes
import JobStore

extension ErrorCode {
  /// The status of an answer with this code.
  public var status: HTTPResponse.Status {
    switch self {
    case .badRequest, .missingBoundary, .malformedMultipart, .partHeadersTooLarge: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden, .originRefused: .forbidden
    case .notFound, .jobNotFound, .serialNotFound, .keyNotFound, .imageNotFound, .datasetNotFound, .reportNotFound,
      .sessionNotFound:
      .notFound
    case .jobDeleted, .photoGone: .gone
    case .methodNotAllowed: .methodNotAllowed
    case .requestTimeout: .requestTimeout
    case .idempotencyConflict, .jobNotEnded, .nameTaken: .conflict
    case .bodyTooLarge: .contentTooLarge
    case .unsupportedMediaType: .unsupportedMediaType
    case .missingImage, .emptyImage, .severalImages, .unsupportedImage, .damagedImage, .imageTooLarge,
      .invalidBoundingBox, .tooManyObjects, .unknownPreset, .invalidParameter, .invalidJSON, .badLabels,
      .noTextDetected, .lowConfidence, .readerCrashed,
      .readerOutOfMemory, .cancelled:
      .unprocessableContent
    case .frameInProgress, .rateLimited: .tooManyRequests
    case .headersTooLarge: .requestHeaderFieldsTooLarge
    case .internalError, .photoMissing: .internalServerError
    case .queueFull, .tooManyUploads, .storageUnavailable, .serverStopping, .readerUnavailable, .tooManySessions,
      .trackerLost, .trackerUnavailable:
      .serviceUnavailable
    case .processingTimeout, .readerTimedOut: .gatewayTimeout
    case .storageFull: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
    }
  }
}
