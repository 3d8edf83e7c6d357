import Hummingbird
import JobStore
import Logging
import NIOCore
import ScanModel

/// `GET /result/{job_id}/image`: the photo with the reads drawn in. A reader draws it on first request, or earlier
/// because of `debug=true`; it is then stored with the job.
struct AnnotatedImage: Sendable {
  let store: any ServerStore
  let rereading: Rereading
  let logger: Logger

  var endpoint: Endpoint {
    Endpoint(
      .get, "/result/{job_id}/image", "FetchThePhotoWithTheReadsDrawnIn", "Get the photo with the reads drawn in",
      "Drawn when it is first requested, unless `debug=true` requested it before, and kept with the job. 503 while too many "
        + "others are being drawn.",
      topic: .photos, access: .own, parameters: [CommonParameters.jobID],
      answers: [.content(.file("image/png"))], errors: Rereading.errors
    ) { _, context in try await answer(context) }
  }

  private func answer(_ context: APIContext) async throws -> Response {
    let job = try await context.job(in: store)
    if let file = try await keptPicture(of: job) { return file }
    guard job.state.isEnd else { throw APIError.jobNotEnded(job.id) }
    let picture = try await context.whileConnected { [self] in
      try await rereading.file(named: "image \(job.id)") { try await drawn(job) }
    }
    return Response(
      status: .ok, headers: [.contentType: "image/png", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture)))
  }

  private func keptPicture(of job: Job) async throws -> Response? {
    try await FileAnswer(.annotation(ofJob: job.id), in: store.blobs)?.response(contentType: "image/png")
  }

  /// Draws a job's picture and stores it.
  private func drawn(_ job: Job) async throws -> [UInt8] {
    let answer = try await rereading.answer(on: job) { $0.wantsAnnotation = true }
    guard let picture = answer.annotation else { throw APIError.notDecodable(job.id) }
    await keep(picture, of: job)
    return picture
  }

  /// Stores a picture, unless its photo has been deleted: a picture never outlives its photo.
  private func keep(_ picture: [UInt8], of job: Job) async {
    let name = BlobName.annotation(ofJob: job.id)
    do {
      try await store.blobs.store(picture, as: name)
      let photo = BlobName(.photo, job.request.photo)
      if try await store.job(id: job.id) != nil, try await store.blobs.open(photo) != nil { return }
      try await store.blobs.delete(name)
    } catch {
      logger.warning(
        "an annotated photo could not be stored; it is drawn again next time",
        metadata: ["job": "\(job.id)", "error": "\(error)"])
    }
  }
}
