import Hummingbird
import JobStore
import Logging
import NIOCore
import ScanModel

/// `GET /result/{job_id}/image`: the photo with the reads drawn in. A reader draws it on first request, or earlier
/// because of `debug=true`; it is then stored with the job.
struct AnnotatedImage: Sendable {
  let store: any ServerStore
  let configuration: APIConfiguration
  let draw: @Sendable (_ photo: [UInt8], ReadRequest) async throws -> [UInt8]?
  let logger: Logger
  private let drawings = Drawings()

  init(
    store: any ServerStore, configuration: APIConfiguration,
    draw: @escaping @Sendable (_ photo: [UInt8], ReadRequest) async throws -> [UInt8]?, logger: Logger
  ) {
    (self.store, self.configuration, self.draw, self.logger) = (store, configuration, draw, logger)
  }

  var endpoint: Endpoint {
    Endpoint(
      .get, "/result/{job_id}/image", "FetchThePhotoWithTheReadsDrawnIn", "Get the photo with the reads drawn in",
      "Drawn when it is first requested, unless `debug=true` requested it before, and kept with the job. 503 while too many "
        + "others are being drawn.",
      topic: .photos, access: .own, parameters: [CommonParameters.jobID],
      answers: [.content(.file("image/png"))],
      errors: [
        .jobNotFound, .jobNotEnded, .imageNotFound, .photoGone, .readerUnavailable, .readerCrashed, .readerTimedOut,
        .readerOutOfMemory,
      ]
    ) { _, context in try await answer(context) }
  }

  private func answer(_ context: APIContext) async throws -> Response {
    let id = try context.jobID()
    guard let job = try await store.job(id: id), context.caller.canAccess(job) else {
      throw APIError.jobNotFound(id)
    }
    if let file = try await keptDrawing(of: job) { return file }
    guard job.state.isEnd else { throw APIError.jobNotEnded }
    let outcome = try await context.whileConnected { [self] in
      try await drawings.outcome(ofJob: job.id) { try await drawing(of: job) }
    }
    switch outcome {
    case .kept:
      guard let file = try await keptDrawing(of: job) else { throw APIError.photoGone }
      return file
    case .unkept(let picture):
      return Response(
        status: .ok, headers: [.contentType: "image/png", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture)))
    case .photoGone: throw APIError.photoGone
    case .notDrawable: throw APIError.notDrawable
    }
  }

  private func keptDrawing(of job: Job) async throws -> Response? {
    try await FileAnswer(.annotation(ofJob: job.id), in: store.blobs)?.response(contentType: "image/png")
  }

  /// Draws a job's picture and stores it.
  private func drawing(of job: Job) async throws -> Drawings.Outcome {
    let photo = BlobName(.photo, job.request.photo)
    guard let bytes = try await store.blobs.bytes(of: photo, limit: configuration.settings.upload.maxBytes) else {
      return .photoGone
    }
    var question = configuration.settings.readRequest
    (question.preset, question.part) = (job.request.preset, job.request.part)
    (question.wantsAnnotation, question.wantsEverySerial) = (true, job.request.everySerial)
    let picture: [UInt8]
    do {
      guard let drawn = try await draw(bytes, question) else { return .notDrawable }
      picture = drawn
    } catch let failure as ReadFailure {
      switch failure.code {
      case .notAPicture, .damagedPicture, .tooManyPixels: return .notDrawable
      default: throw APIError(ErrorCode(failure.code), failure.detail, retryAfter: 5)
      }
    }
    return await keep(picture, job: job, photo: photo)
  }

  /// Stores a picture, unless its photo has been deleted: a picture never outlives its photo.
  private func keep(_ picture: [UInt8], job: Job, photo: BlobName) async -> Drawings.Outcome {
    let name = BlobName.annotation(ofJob: job.id)
    do {
      try await store.blobs.store(picture, as: name)
      if try await store.job(id: job.id) != nil, try await store.blobs.open(photo) != nil { return .kept }
      try await store.blobs.delete(name)
    } catch {
      logger.warning(
        "an annotated photo could not be stored; it is drawn again next time",
        metadata: ["job": "\(job.id)", "error": "\(error)"])
    }
    return .unkept(picture)
  }
}

extension APIError {
  static let notDrawable = APIError(
    .imageNotFound,
    "The photo can't be decoded, so nothing can be drawn on it. /result/{job_id}/photo returns the original.")
}
