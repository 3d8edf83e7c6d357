import HTTPTypes
import JobStore
import ScanModel

extension ErrorCode {
  /// The status of a response with this code.
  public var status: HTTPResponse.Status {
    switch self {
    case .badRequest, .missingBoundary, .malformedMultipart, .partHeadersTooLarge: .badRequest
    case .unauthorized: .unauthorized
    case .forbidden, .originRefused: .forbidden
    case .notFound, .jobNotFound, .serialNotFound, .deviceNotFound, .keyNotFound, .imageNotFound, .datasetNotFound,
      .reportNotFound, .sessionNotFound, .batchNotFound:
      .notFound
    case .jobDeleted, .photoGone: .gone
    case .methodNotAllowed: .methodNotAllowed
    case .requestTimeout: .requestTimeout
    case .idempotencyConflict, .jobNotEnded, .nameTaken, .lastAdminKey, .batchEnded, .batchNameTaken, .serialSaved:
      .conflict
    case .bodyTooLarge: .contentTooLarge
    case .unsupportedMediaType: .unsupportedMediaType
    case .missingImage, .emptyImage, .severalImages, .unsupportedImage, .damagedImage, .imageTooLarge,
      .invalidBoundingBox, .tooManyObjects, .unknownPreset, .invalidParameter, .invalidJSON, .importInvalid, .badLabels,
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

extension ErrorCode {
  /// The codes with which a job can fail.
  public static let ofFailedJobs = allCases.filter {
    ReadFailure.Code.allCases.map(ErrorCode.init).contains($0)
      || [.noTextDetected, .cancelled, .internalError].contains($0)
  }

  /// The meaning, as a sentence for the API description.
  var meaning: String {
    switch self {
    case .badRequest: "the request can't be understood."
    case .missingBoundary: "the Content-Type of a form names no boundary."
    case .malformedMultipart: "the form can't be read."
    case .partHeadersTooLarge: "the headers of a form's part are too large."
    case .unauthorized: "a key is missing, unknown or revoked."
    case .forbidden: "the key lacks the required scope."
    case .originRefused: "a browser sent the request for a page that is not allowed."
    case .notFound: "no such path."
    case .jobNotFound: "no such job, or it belongs to another key."
    case .serialNotFound: "no such saved serial."
    case .deviceNotFound: "no such device."
    case .keyNotFound: "no such key, or it was revoked."
    case .imageNotFound: "no such picture, or it can't be drawn."
    case .batchNotFound: "no such batch."
    case .datasetNotFound: "no such labelled folder."
    case .reportNotFound: "no such report, or it has expired."
    case .sessionNotFound: "no such session, or it has expired."
    case .methodNotAllowed: "the path does not have this method; see Allow."
    case .requestTimeout: "the request did not arrive in time."
    case .jobNotEnded: "the photo has not been read yet."
    case .serialSaved: "a serial of the photo is saved, so there is nothing to review."
    case .photoGone: "the photo has expired and was removed."
    case .nameTaken: "another valid key has this name."
    case .lastAdminKey: "the last valid key with the scope `admin` can't be revoked over HTTP."
    case .batchEnded: "the batch has ended and accepts nothing more."
    case .batchNameTaken: "another open batch has this name."
    case .idempotencyConflict: "the Idempotency-Key was used with another photo, other options or other fields."
    case .bodyTooLarge: "the body is too large; the connection is closed."
    case .unsupportedMediaType: "the body has an unsupported Content-Type, or is compressed."
    case .missingImage: "the form has no `image`."
    case .emptyImage: "`image` is empty."
    case .severalImages: "the form has more than one `image`."
    case .unsupportedImage: "`image` isn't a readable image."
    case .damagedImage: "the picture is damaged."
    case .imageTooLarge: "the picture has too many pixels."
    case .invalidBoundingBox: "a box or a point is empty, outside the frame, or missing."
    case .tooManyObjects: "a session tracks at most five objects."
    case .unknownPreset: "no such preset."
    case .invalidParameter: "a parameter or a field is unknown, missing or out of range."
    case .invalidJSON: "the body is not JSON with the expected fields."
    case .importInvalid: "lines of the list can't be imported; `lines` names them, and nothing was changed."
    case .badLabels: "`labels.csv` is missing or can't be read."
    case .noTextDetected: "no serial was found in the photo."
    case .lowConfidence: "the best read is below `min_confidence`."
    case .readerCrashed: "the reader crashed on this photo."
    case .readerOutOfMemory: "the photo needs more memory than a reader has."
    case .cancelled: "the job or the task was cancelled."
    case .jobDeleted: "the job was deleted during the wait."
    case .frameInProgress: "the session's previous frame is still being tracked."
    case .rateLimited: "too many requests, or too many open responses."
    case .headersTooLarge: "the headers are too large; the connection is closed."
    case .internalError: "an error in the server, logged under the id in `X-Request-ID`."
    case .queueFull: "the queue is full."
    case .tooManyUploads: "too many uploads are in progress."
    case .tooManySessions: "no room for another session."
    case .trackerLost: "the tracker failed on this frame; the session continues with the next one."
    case .trackerUnavailable: "no tracker is ready."
    case .storageUnavailable: "the server can't store or read anything at the moment."
    case .serverStopping: "the server is shutting down."
    case .readerUnavailable: "no reader is ready."
    case .photoMissing: "the photo is no longer on the server; send it again."
    case .processingTimeout: "not read in time; the job continues, and `job_id` names it."
    case .readerTimedOut: "reading the photo took too long."
    case .storageFull: "the disk is full; nothing was stored."
    }
  }
}
