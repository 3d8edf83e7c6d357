import Evaluations
import Exports
import Foundation
import HTTPTypes
import Hummingbird
import JobStore
import MultipartParsing
import NIOHTTP1
import PictureHeader
import ScanModel
import Support

/// An error response: one status, one code, one sentence.
public struct APIError: Error, Sendable, Equatable {
  /// The code, for programs.
  public var code: ErrorCode
  /// A sentence that explains the error and what to do.
  public var detail: String
  /// Seconds after which to retry, for `Retry-After`.
  public var retryAfter: Int?
  /// The methods that the path supports, for `Allow`.
  public var allowedMethods: [String] = []
  /// The id of a job that continues although the request ends.
  public var jobID: String?
  /// The serial that was read with less confidence than requested.
  public var serial: String?
  /// The confidence of `serial`, 0...1.
  public var confidence: Double?

  /// The invalid lines of an imported list, and how many more there are; nil for other errors.
  var lines: [LineProblem]?
  var moreLines: Int?

  /// The status of the response.
  public var status: HTTPResponse.Status { code.status }

  /// Creates an error.
  public init(_ code: ErrorCode, _ detail: String, retryAfter: Int? = nil) {
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
  }
}

extension APIError {
  static func badRequest(_ detail: String) -> APIError { APIError(.badRequest, detail) }

  static func invalidParameter(_ name: String, _ rule: String) -> APIError {
    APIError(.invalidParameter, "`\(name)` \(rule).")
  }

  static func repeatedParameter(_ name: String) -> APIError {
    invalidParameter(name, "was sent more than once: send each parameter and form field once")
  }

  /// Throws 422 if a field of a form or of a JSON object misspells a known one: ignoring it would ignore what the client
  /// wants. Other unknown fields are ignored.
  static func rejectMisspelled(_ names: [String], known: [String]) throws(APIError) {
    // Limits the work for a form of very many parts.
    for name in names.prefix(100) {
      guard let meant = Spelling.misspelled(name, among: known) else { continue }
      throw APIError(.invalidParameter, "There is no field `\(name.shown)`.\(Spelling.advice(meant))")
    }
  }

  static let notFound = APIError(.notFound, "There is nothing at this path. See /docs for the API.")

  static func jobNotFound(_ id: String) -> APIError {
    APIError(
      .jobNotFound,
      "There is no job with the id `\(id.shown)`: the id is mistyped, or the job was deleted or has expired.")
  }

  static func methodNotAllowed(_ method: String, allowed: [String]) -> APIError {
    var error = APIError(
      .methodNotAllowed,
      "\(method.shown) does not work here. Use \(allowed.joined(separator: " or ")).")
    error.allowedMethods = allowed
    return error
  }

  /// The client closed its side before the request was complete.
  static let endsInTheMiddle = APIError.badRequest("The request is incomplete.")

  static let requestTimedOut = APIError(
    .requestTimeout, "The request did not arrive in time. Check the connection and send it again.")

  static func bodyTooLarge(limit: Int) -> APIError {
    APIError(
      .bodyTooLarge,
      "The upload is larger than \(megabytes(limit)). Send a smaller or more strongly compressed picture.")
  }

  static let notMultipart = APIError(
    .unsupportedMediaType,
    "Send the photo as multipart/form-data with the picture in a field called `image`, as `curl -F image=@photo.jpg` "
      + "does.")

  static let notJSON = APIError(
    .unsupportedMediaType, "Send JSON with Content-Type: application/json.")

  static let encodedBody = APIError(
    .unsupportedMediaType, "The body is compressed (Content-Encoding). Send it uncompressed.")

  static let missingBoundary = APIError(
    .missingBoundary,
    "The Content-Type names no boundary. Let your HTTP library set this header: it knows the boundary.")

  static func missingImage(fieldNames: [String]) -> APIError {
    let sentence = "The picture must be in a field called `image`"
    if fieldNames.contains("file") {
      return APIError(
        .missingImage, "\(sentence), not `file`: send -F image=@photo.jpg.")
    }
    let seen = fieldNames.prefix(5).map { "`\($0.shown)`" }.joined(separator: ", ")
    return APIError(
      .missingImage,
      seen.isEmpty ? "\(sentence); the form is empty." : "\(sentence); the form has only \(seen).")
  }

  static let emptyImage = APIError(
    .emptyImage, "The field `image` is empty. Check that the file is there and has content.")

  static let severalImages = APIError(
    .severalImages, "The form has more than one `image`. Send one photo with each request.")

  static func unknownPreset(_ name: String) -> APIError {
    let known = Preset.allCases.map(\.rawValue).joined(separator: ", ")
    return APIError(
      .unknownPreset,
      "There is no preset `\(name.shown)`. Choose one of \(known), or leave it out to auto-detect.")
  }

  static let internalError = APIError(
    .internalError,
    "Something went wrong in the server. It is logged under the request id in X-Request-ID; please try again.")

  static let stopping = APIError(
    .serverStopping, "The server is shutting down. Try again in a moment.", retryAfter: 5)

  static let tooManyUploads = APIError(
    .tooManyUploads, "Too many uploads are in progress. Try again in a second.", retryAfter: 1)

  /// The queue is full. Suggests a retry once a tenth of the waiting photos has been read, if the throughput is known.
  static func queueFull(waiting: Int, throughput: Throughput?) -> APIError {
    let wait = throughput.map { $0.wait(position: max(1, waiting / 10)) } ?? 10
    return APIError(
      .queueFull, "The queue is full: \(waiting) photos are waiting. The photo was not stored; try again later.",
      retryAfter: Int(exactly: min(600, max(1, wait.rounded(.up)))) ?? 600)
  }

  static let storageFull = APIError(
    .storageFull,
    "The server's disk is full. Nothing was stored; tell the operator.", retryAfter: 60)

  /// The error of a file to download that does not fit on the disk.
  static let exportFull = APIError(
    .storageFull, "The server's disk is full, so the file could not be written. Tell the operator.", retryAfter: 60)

  static let storageUnavailable = APIError(
    .storageUnavailable,
    "The server can't store anything right now. Nothing was stored; try again.",
    retryAfter: 5)

  /// The error of a request that stores nothing.
  static let storageUnreadable = APIError(
    .storageUnavailable, "The server can't read its data right now. Try again in a moment.", retryAfter: 5)

  static let storageLost = APIError(
    .storageUnavailable,
    "The server's database was removed, replaced or damaged while it ran. Tell the operator to restore the database "
      + "and restart the server.", retryAfter: 60)

  static func megabytes(_ bytes: Int) -> String {
    bytes % (1024 * 1024) == 0 ? "\(bytes / 1024 / 1024) MB" : "\(bytes) bytes"
  }
}

extension APIError {
  /// Creates the API error for an error of the lower layers; nil for internal errors.
  ///
  /// - Parameter isReading: Whether the request stores nothing.
  init?(_ error: any Error, isReading: Bool = false) {
    switch error {
    case let error as APIError: self = error
    // The client's input was validated before, so the fault is the server's; the message goes to the log.
    case StoreError.refused: return nil
    case let error as StoreError: self.init(error, isReading: isReading)
    case let error as BatchError: self.init(error)
    case let error as MultipartError: self.init(error)
    case let error as PictureHeaderError: self.init(error)
    case ExportError.diskFull: self = .exportFull
    case _ where FileRefusal(error)?.isFullDisk == true: self = .exportFull
    case is InvalidCursor:
      self = .invalidParameter("cursor", "must be the `next_cursor` of an earlier response to the same query")
    // The client disconnected or sent invalid HTTP; nobody reads this response.
    case is HTTPParserError: self = .endsInTheMiddle
    case let error as HTTPError where error.status == .notFound: self = .notFound
    case let error as HTTPError where error.status.kind == .clientError:
      self = .badRequest(error.body ?? "The request can't be understood.")
    default:
      guard let problem = JobError(ofDataset: error) else { return nil }
      self.init(problem.code, problem.detail)
    }
  }

  private init(_ error: StoreError, isReading: Bool) {
    switch error {
    case .queueFull(let waiting): self = .queueFull(waiting: waiting, throughput: nil)
    case .serialTaken:
      self.init(.invalidParameter, "`serial` is already saved as another serial of the same photo.")
    case .idempotencyConflict(let jobID):
      self.init(
        .idempotencyConflict,
        "This Idempotency-Key was used with another photo or other options. Use a new key for each photo.")
      self.jobID = jobID
    case .saveConflict(let serialID):
      self.init(
        .idempotencyConflict,
        "This Idempotency-Key saved serial \(serialID) with other fields. Use a new key for each serial.")
    case .diskFull: self = .storageFull
    // Only workers hold claims.
    case .claimLost: self = .internalError
    case .unavailable, .unreadable: self = isReading ? .storageUnreadable : .storageUnavailable
    case .refused: self = .internalError
    case .lost: self = .storageLost
    }
  }

  private init(_ error: MultipartError) {
    let explanation: String
    var code = ErrorCode.malformedMultipart
    switch error {
    case .noBoundary: explanation = "the boundary named in the Content-Type is not in the body"
    case .incomplete: explanation = "it ends before its last boundary"
    case .headersTooLong(let limit):
      explanation = "the headers of a part are longer than \(limit) bytes"
      code = .partHeadersTooLarge
    case .tooManyParts(let limit): explanation = "it has more than \(limit) parts"
    case .malformed(let what): explanation = what
    }
    self.init(code, "The form can't be read: \(explanation).")
  }

  private init(_ error: PictureHeaderError) {
    switch error {
    case .empty: self = .emptyImage
    case .unsupported(let name):
      let what = name.map { "looks like \($0)" } ?? "isn't a readable image"
      self.init(
        .unsupportedImage,
        "The file in `image` \(what). Send a JPEG, PNG, WebP, TIFF or HEIC photo.")
    case .truncated:
      self.init(
        .damagedImage,
        "The picture ends too early: part of the file is missing. Send it again, or retake the photo.")
    case .damaged(let what):
      self.init(
        .damagedImage,
        "The picture is damaged: \(what). Send another photo.")
    case .unreadable: self = .storageUnavailable
    }
  }
}
