import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a request failed, what to do, and whether to retry.
public struct SerialScanError: LocalizedError, Sendable, Equatable {
  /// The error code for programs.
  public var errorCode: ErrorCode
  /// The reason, as text for people.
  public var detail: String
  /// The HTTP status; nil without a response.
  public var statusCode: Int?
  /// Seconds that the server asks to wait before the next attempt.
  public var retryAfter: Double?
  /// The id of the job, which may continue after the request failed.
  public var jobId: String?
  /// The read below the requested confidence (``ErrorCode/lowConfidence``).
  public var serial: String?
  /// Confidence of ``serial``, 0 to 1.
  public var confidence: Double?
  /// What plainly kept the photo from being read (``JobResult/flaw``).
  public var flaw: PhotoFlaw?
  /// What was read in place of a device's serial, as the code of a ``Doubt``: `other_maker`, `part` or `placeholder`. Nil if
  /// nothing says so.
  public var insteadOfSerial: String?

  /// Creates an error.
  public init(_ errorCode: ErrorCode, _ detail: String, statusCode: Int? = nil, retryAfter: Double? = nil) {
    self.errorCode = errorCode
    self.detail = detail
    self.statusCode = statusCode
    self.retryAfter = retryAfter
  }

  /// The error's ``detail``.
  public var errorDescription: String? { detail }

  /// Whether sending the same request again later may succeed.
  public var isRetryable: Bool {
    switch errorCode {
    case .connectionLost, .deadlineExceeded, .unreadableAnswer, .cancelled, .readerCrashed, .readerTimedOut,
      .photoMissing, .fileNotWritten, .badRequest, .malformedMultipart:
      // The last two: a form truncated by a broken connection arrives as a malformed one.
      true
    case .storageFull, .processingTimeout: true
    default: statusCode.map { $0 == 408 || $0 == 429 || (500...504).contains($0) } ?? false
    }
  }

  /// Whether the photo or its batch caused the error, so that a different photo may succeed.
  public var concernsPhoto: Bool {
    if errorCode == .batchNotFound { return true }
    guard !isRetryable, let statusCode else { return errorCode == .fileUnreadable }
    // A response without one of the server's error codes comes from an intermediary.
    return statusCode == 413 || ([400, 409, 415, 422].contains(statusCode) && !errorCode.rawValue.hasPrefix("HTTP_"))
  }

  /// What to do, as a sentence for people.
  public var recoverySuggestion: String? {
    switch errorCode {
    case .noTextDetected where flaw == .tooDark: "Take the photo again with more light."
    case .noTextDetected where flaw == .tooSmall: "Send the original photo, not a preview."
    case .noTextDetected where insteadOfSerial == "other_maker":
      "If the device is Apple's, take the photo again with only its label in view."
    case .noTextDetected where insteadOfSerial != nil:
      "Take the photo again with the device's own label in view."
    case .noTextDetected, .lowConfidence:
      "Take the photo again: closer, in focus, without glare."
    case .connectionLost: "Check the connection and try again."
    case .deadlineExceeded, .processingTimeout, .readerTimedOut: "Try again; the server or the connection is slow."
    case .unauthorized: "Check the API key in the settings."
    case .forbidden: "Ask for an API key that has the needed scope."
    case .bodyTooLarge, .imageTooLarge: "Send a smaller photo."
    case .unsupportedImage, .damagedImage, .emptyImage, .fileUnreadable: "Choose another photo."
    case .fileNotWritten: "Free some storage on this device."
    case .sessionNotFound: "Begin the tracking session again."
    case .idempotencyConflict: "Send the photo with a new Idempotency-Key."
    case .photoMissing, .cancelled: "Send the photo again."
    case .outboxFull: "Connect to the server, or remove photos from the outbox."
    case .outboxInUse: "Use one `Outbox` for each folder."
    case .expired: "Take the photo again, or retry it."
    default:
      isRetryable
        ? "Try again\(retryAfter.map { " in \(Int(exactly: $0.rounded(.up)) ?? 60) seconds" } ?? " later")."
        : "Correct the request; the server rejects it as it is."
    }
  }
}

/// A stable error code: the server's `error_code`, or one of this client's own.
public struct ErrorCode: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The code, such as `QUEUE_FULL`.
  public var rawValue: String
  /// Creates a code from its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The code.
  public var description: String { rawValue }

  private init(_ rawValue: String) { self.rawValue = rawValue }

  // The server's codes; docs/api.md lists all of them.

  /// The photo has no serial.
  public static let noTextDetected = ErrorCode("NO_TEXT_DETECTED")
  /// The best read is below the requested confidence.
  public static let lowConfidence = ErrorCode("LOW_CONFIDENCE")
  /// The key is missing or wrong.
  public static let unauthorized = ErrorCode("UNAUTHORIZED")
  /// The key lacks a scope.
  public static let forbidden = ErrorCode("FORBIDDEN")
  /// The job is unknown, deleted or expired.
  public static let jobNotFound = ErrorCode("JOB_NOT_FOUND")
  /// The job was deleted during the wait.
  public static let jobDeleted = ErrorCode("JOB_DELETED")
  /// The device is unknown.
  public static let deviceNotFound = ErrorCode("DEVICE_NOT_FOUND")
  /// The batch is unknown or was deleted.
  public static let batchNotFound = ErrorCode("BATCH_NOT_FOUND")
  /// The batch has ended and accepts nothing more.
  public static let batchEnded = ErrorCode("BATCH_ENDED")
  /// Another open batch has this name.
  public static let batchNameTaken = ErrorCode("BATCH_NAME_TAKEN")
  /// A serial of the photo is saved, so there is nothing to review.
  public static let serialSaved = ErrorCode("SERIAL_SAVED")
  /// The photo has not been read yet.
  public static let jobNotEnded = ErrorCode("JOB_NOT_ENDED")
  /// The idempotency key was used with a different photo.
  public static let idempotencyConflict = ErrorCode("IDEMPOTENCY_CONFLICT")
  /// The upload is too large.
  public static let bodyTooLarge = ErrorCode("BODY_TOO_LARGE")
  /// The photo has too many pixels.
  public static let imageTooLarge = ErrorCode("IMAGE_TOO_LARGE")
  /// The file is not an image in a supported format.
  public static let unsupportedImage = ErrorCode("UNSUPPORTED_IMAGE")
  /// The image is damaged.
  public static let damagedImage = ErrorCode("DAMAGED_IMAGE")
  /// The image is empty.
  public static let emptyImage = ErrorCode("EMPTY_IMAGE")
  /// The request is malformed.
  public static let badRequest = ErrorCode("BAD_REQUEST")
  /// The form is malformed or truncated.
  public static let malformedMultipart = ErrorCode("MALFORMED_MULTIPART")
  /// Too many requests.
  public static let rateLimited = ErrorCode("RATE_LIMITED")
  /// The queue is full.
  public static let queueFull = ErrorCode("QUEUE_FULL")
  /// The server's disk is full.
  public static let storageFull = ErrorCode("STORAGE_FULL")
  /// The photo was not read in time; its job continues.
  public static let processingTimeout = ErrorCode("PROCESSING_TIMEOUT")
  /// The job was cancelled before it was read.
  public static let cancelled = ErrorCode("CANCELLED")
  /// The reader crashed.
  public static let readerCrashed = ErrorCode("READER_CRASHED")
  /// The reader took too long.
  public static let readerTimedOut = ErrorCode("READER_TIMED_OUT")
  /// The photo is no longer on the server.
  public static let photoMissing = ErrorCode("PHOTO_MISSING")
  /// The tracking session is unknown or expired.
  public static let sessionNotFound = ErrorCode("SESSION_NOT_FOUND")
  /// The session's previous frame is still being tracked.
  public static let frameInProgress = ErrorCode("FRAME_IN_PROGRESS")
  /// The tracker was lost on this frame.
  public static let trackerLost = ErrorCode("TRACKER_LOST")

  // The client's own codes.

  /// There was no connection, or it broke.
  public static let connectionLost = ErrorCode("CONNECTION_LOST")
  /// A deadline of ``Deadlines`` has passed.
  public static let deadlineExceeded = ErrorCode("DEADLINE_EXCEEDED")
  /// The response is truncated, or not from a SerialScan server.
  public static let unreadableAnswer = ErrorCode("UNREADABLE_ANSWER")
  /// A local file can't be read.
  public static let fileUnreadable = ErrorCode("FILE_UNREADABLE")
  /// A local file can't be written: the device's storage is full, or the folder is not writable.
  public static let fileNotWritten = ErrorCode("FILE_NOT_WRITTEN")
  /// The outbox has reached a limit.
  public static let outboxFull = ErrorCode("OUTBOX_FULL")
  /// Another `Outbox` has this folder open.
  public static let outboxInUse = ErrorCode("OUTBOX_IN_USE")
  /// A photo waited in the outbox for too long.
  public static let expired = ErrorCode("EXPIRED")
}

extension SerialScanError {
  /// The body of the server's error responses.
  private struct Body: Decodable {
    var detail: String
    var errorCode: String
    var jobId: String?
    var serial: String?
    var confidence: Double?
  }

  /// Creates the error for a response, including a proxy's, whose body has a different format.
  init(answer data: Data, status: Int, retryAfter: String?) {
    let seconds = retryAfter.flatMap(Double.init).map { min(max(0, $0), 3600) }
    guard let body = try? Wire.decoder().decode(Body.self, from: data) else {
      self.init(
        ErrorCode(rawValue: "HTTP_\(status)"), "The server answered with status \(status).", statusCode: status,
        retryAfter: seconds)
      return
    }
    self.init(ErrorCode(rawValue: body.errorCode), body.detail, statusCode: status, retryAfter: seconds)
    (jobId, serial, confidence) = (body.jobId, body.serial, body.confidence)
  }

  /// Creates the error for a request without a response.
  init(_ error: URLError) {
    if error.code == .timedOut {
      self = .deadlineExceeded
    } else {
      self.init(.connectionLost, "The server can't be reached (\(error.localizedDescription)).")
    }
  }

  static let deadlineExceeded = SerialScanError(.deadlineExceeded, "The server did not answer in time.")

  static func unreadable(answer what: String) -> SerialScanError {
    SerialScanError(.unreadableAnswer, "The server's answer can't be understood: \(what).")
  }

  static func unreadable(file url: URL, _ error: any Error) -> SerialScanError {
    SerialScanError(.fileUnreadable, "\(url.lastPathComponent) can't be read: \(error.localizedDescription)")
  }

  static func notWritten(_ url: URL, _ error: any Error) -> SerialScanError {
    SerialScanError(.fileNotWritten, "\(url.lastPathComponent) can't be written: \(error.localizedDescription)")
  }
}
