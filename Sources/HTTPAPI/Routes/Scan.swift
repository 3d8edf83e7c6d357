import Hummingbird
import JobStore
import ScanModel

/// `POST /scan`: accepts a photo, and responds once photo and job are durable.
struct Scan: Sendable {
  let upload: PhotoUpload
  let intake: Intake
  let store: any ServerStore

  var endpoint: Endpoint {
    Endpoint(
      .post, "/scan", "SendAPhoto", "Send a photo",
      "Answers once photo and job are on disk; poll /result/{job_id} for what was read.", topic: .photos,
      access: .scan, parameters: Intake.parameters + [Intake.callback, CommonParameters.idempotencyKey],
      bodies: [.form(Intake.ScanForm.self)],
      answers: [.json(ScanAnswer.self)], errors: Intake.errors, handler: answer)
  }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let job = try await intake.accept(request, context, upload: upload, isAwaited: false)
    return .json(ScanAnswer(job, throughput: try? await store.throughput()))
  }
}
