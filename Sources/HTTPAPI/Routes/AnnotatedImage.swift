import Foundation
import Hummingbird
import JobStore
import NIOCore
import ReaderProtocol

/// `GET /result/{job_id}/image`: the photo with the reads drawn in. What `debug=true` has asked for is kept; every other is
/// drawn anew by a reader when it is asked for.
struct AnnotatedImage: Sendable {
  let store: any ServerStore
  let configuration: APIConfiguration
  let draw: @Sendable (_ photo: [UInt8], ReadRequest) async throws -> [UInt8]?

  var endpoint: Endpoint { Endpoint(.get, "/result/{job_id}/image", access: .own, handler: answer) }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let id = try context.jobID()
    guard let job = try await store.job(id: id), context.caller.sees(whatCameWith: job.request.origin.keyID) else {
      throw APIError.jobNotFound(id)
    }
    if let file = try await FileAnswer(.annotation(ofJob: job.id), in: store.blobs) {
      return file.response(contentType: "image/png")
    }
    guard job.state.isEnd else { throw APIError.jobNotEnded }
    let name = BlobName(.photo, job.request.photo)
    guard let photo = try await store.blobs.bytes(of: name, limit: configuration.maxUploadBytes) else {
      throw APIError.photoGone
    }
    let question = ReadRequest(
      preset: job.request.preset, timeBudget: configuration.timeBudget, pixelLimit: configuration.maxPixels,
      wantsAnnotation: true)
    guard let picture = try await drawn(photo, question, context) else { throw APIError.notDrawable }
    return Response(
      status: .ok, headers: [.contentType: "image/png", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture)))
  }

  /// Nil where the photo can't be decoded.
  private func drawn(_ photo: [UInt8], _ question: ReadRequest, _ context: APIContext) async throws -> [UInt8]? {
    do {
      return try await context.whileConnected { [draw] in try await draw(photo, question) }
    } catch is ReadFailure {
      return nil
    }
  }
}

extension APIError {
  static let notDrawable = APIError(
    .imageNotFound,
    "The photo can't be decoded, so nothing can be drawn into it. /result/{job_id}/photo has it as it is.")
}
