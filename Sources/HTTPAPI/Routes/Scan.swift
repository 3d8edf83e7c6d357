import Hummingbird
import JobStore
import ReaderProtocol

/// `POST /scan`: takes a photo, answers once photo and job are durable.
struct Scan: Sendable {
  let upload: PhotoUpload
  let intake: Intake
  let store: any ServerStore

  var endpoint: Endpoint { Endpoint(.post, "/scan", scope: .scan, handler: answer) }

  private func answer(_ request: Request, _ context: APIContext) async throws -> Response {
    let job = try await intake.accept(request, context, upload: upload, priority: 0, persist: true, annotate: false)
    return .json(
      ScanAnswer(
        jobID: job.id, status: Job.State.queued.rawValue, message: "Scan received and added to processing queue",
        // An earlier job that answers for this key has perhaps left the queue.
        queuePosition: max(1, job.queuePosition),
        estimatedWaitTime: WaitEstimate.text(seconds: store.throughput?.wait(position: job.queuePosition)),
        checkStatusURL: "/result/\(job.id)"))
  }
}
