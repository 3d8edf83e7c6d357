import Hummingbird
import JobStore
import PictureHeader

/// `GET /result/{job_id}/photo`: the photo as uploaded, until retention deletes it.
struct JobPhoto: Sendable {
  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(
      .get, "/result/{job_id}/photo", "FetchThePhoto", "Get the photo",
      "As it was uploaded, with its own Content-Type, until it expires.", topic: .photos, access: .own,
      parameters: [CommonParameters.jobID], answers: [.photo], errors: [.jobNotFound, .photoGone], handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let name = try await context.job(in: store).request.photo
    guard let file = try await FileAnswer(BlobName(.photo, name), in: store.blobs) else {
      throw APIError.photoGone
    }
    return file.response(contentType: Self.mediaType(of: name))
  }

  /// Returns the media type of a stored photo. Its extension reflects the format detected in its header.
  private static func mediaType(of name: String) -> String {
    let suffix = name.pieces(between: ".").last.map(String.init)
    return PictureHeader.Format.allCases.first { $0.fileExtension == suffix }?.mediaType ?? "application/octet-stream"
  }
}

extension APIError {
  static let photoGone = APIError(
    .photoGone,
    "The photo is no longer stored: it has expired (see retention.photos), or its file was removed. Its result is kept."
  )
}
