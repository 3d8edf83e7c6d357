import HTTPTypes
import Hummingbird
import JobStore
import NIOCore

/// `GET /result/{job_id}/thumbnail`: a small upright picture of the photo, made when it was read.
struct JobThumbnail: Sendable {
  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(
      .get, "/result/{job_id}/thumbnail", "FetchTheThumbnail", "Get a thumbnail",
      "A JPEG of a few KB, upright, its longer side at most 160 pixels: made when the photo was read, also if it has no serial. It "
        + "is deleted with the photo. 404 if the photo has not been read, or could not be decoded.",
      topic: .photos, access: .own, parameters: [CommonParameters.jobID],
      answers: [.content(.file("image/jpeg"))], errors: [.jobNotFound, .imageNotFound, .photoGone], handler: answer)
  }

  /// It never changes. Limited to a day, so that browsers don't keep thumbnails of deleted photos for long.
  private static let caching = "private, max-age=86400, immutable"

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let job = try await context.job(in: store)
    guard job.hasPhoto else { throw APIError.photoGone }
    guard job.hasThumbnail, let jpeg = try await store.thumbnail(ofJob: job.id) else { throw APIError.noThumbnail }
    return Response(
      status: .ok, headers: [.contentType: "image/jpeg", .cacheControl: Self.caching],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: jpeg)))
  }
}

extension APIError {
  fileprivate static let noThumbnail = APIError(
    .imageNotFound,
    "There is no thumbnail of this photo: it has not been read yet, could not be decoded, or was read by an earlier version."
  )
}

/// The paths of thumbnails in responses.
enum ThumbnailAddress {
  /// The schema of a path.
  static let note = Schema.about("The path of its thumbnail; null if it has none or the thumbnail was deleted.")

  /// Returns the path of a job's thumbnail.
  static func path(ofJob id: String) -> String { "/result/\(id)/thumbnail" }
}

extension Job {
  /// The path of its thumbnail; nil if there is none, or it was deleted.
  var thumbnailPath: String? { hasThumbnail ? ThumbnailAddress.path(ofJob: id) : nil }
}
