import Hummingbird
import JobStore
import NIOCore
import ScanModel

/// `GET /result/{job_id}/explanation`: a page that shows how the photo is read. It is read again for each page.
struct ReadExplanation: Sendable {
  /// The page comes from the process that decodes strangers' photos, so a browser runs nothing in it and gives it no
  /// access to this server.
  private static let policy = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"

  let store: any ServerStore
  let rereading: Rereading

  var endpoint: Endpoint {
    Endpoint(
      .get, "/result/{job_id}/explanation", "ExplainHowAPhotoIsRead", "Get a page that shows how a photo is read",
      "Its strokes, lines, cuts, candidates and judgement, as `serialscan scan --explain` writes them. The photo is read again "
        + "with the current settings, which takes as long as reading it did. 503 while too many others are being read.",
      topic: .photos, access: .own, parameters: [CommonParameters.jobID],
      answers: [.content(.file("text/html"))], errors: Rereading.errors
    ) { _, context in try await answer(context) }
  }

  private func answer(_ context: APIContext) async throws -> Response {
    let job = try await context.job(in: store)
    guard job.state.isEnd else { throw APIError.jobNotEnded(job.id) }
    let page = try await context.whileConnected { [self] in
      try await rereading.file(named: "explanation \(job.id)") {
        let answer = try await rereading.answer(on: job) { $0.explainedAs = job.request.filename ?? job.id }
        guard let page = answer.explanation else { throw APIError.notDecodable(job.id) }
        return page
      }
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .contentSecurityPolicy: Self.policy,
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: page)))
  }
}
