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

  var endpoint: Endpoint {
    Endpoint(
      .get, "/result/{job_id}/image", access: .own, head: { _, context in try await head(context) },
      handler: { _, context in try await answer(context) })
  }

  /// What the picture is made of.
  private enum Source {
    /// A picture that was kept.
    case kept(FileAnswer)
    /// A photo that the reads are drawn into.
    case photo(BlobName, preset: Preset?)
  }

  private func source(_ context: APIContext) async throws -> Source {
    let id = try context.jobID()
    guard let job = try await store.job(id: id), context.caller.sees(whatCameWith: job.request.origin.keyID) else {
      throw APIError.jobNotFound(id)
    }
    if let file = try await FileAnswer(.annotation(ofJob: job.id), in: store.blobs) { return .kept(file) }
    guard job.state.isEnd else { throw APIError.jobNotEnded }
    return .photo(BlobName(.photo, job.request.photo), preset: job.request.preset)
  }

  /// Says whether there is something to draw into, and draws nothing.
  private func head(_ context: APIContext) async throws -> Response {
    switch try await source(context) {
    case .kept(let file): return file.response(contentType: "image/png")
    case .photo(let name, _):
      guard try await FileAnswer(name, in: store.blobs) != nil else { throw APIError.photoGone }
      return Response(status: .ok, headers: [.contentType: "image/png", .cacheControl: "no-store"])
    }
  }

  private func answer(_ context: APIContext) async throws -> Response {
    switch try await source(context) {
    case .kept(let file): return file.response(contentType: "image/png")
    case .photo(let name, let preset):
      guard let photo = try await store.blobs.bytes(of: name, limit: configuration.maxUploadBytes) else {
        throw APIError.photoGone
      }
      let question = ReadRequest(
        preset: preset, timeBudget: configuration.timeBudget, pixelLimit: configuration.maxPixels,
        wantsAnnotation: true)
      guard let picture = try await drawn(photo, question, context) else { throw APIError.notDrawable }
      return Response(
        status: .ok, headers: [.contentType: "image/png", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: picture)))
    }
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
