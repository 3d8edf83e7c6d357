import JobStore
import Support

/// The answer of `POST /scan`.
struct ScanAnswer: Encodable {
  var jobID: String
  var status: String
  var message: String
  var queuePosition: Int
  var estimatedWaitTime: String
  /// The same as a number, unrounded; nil before anything was measured.
  @ExplicitNull var estimatedWaitSeconds: Double?
  var checkStatusURL: String

  private enum CodingKeys: String, CodingKey {
    case jobID = "job_id"
    case status
    case message
    case queuePosition = "queue_position"
    case estimatedWaitTime = "estimated_wait_time"
    case estimatedWaitSeconds = "estimated_wait_seconds"
    case checkStatusURL = "check_status_url"
  }
}

extension ScanAnswer {
  /// What the wire says of a job that was just stored, or of an earlier one that answers for its idempotency key.
  init(_ job: EnqueuedJob, throughput: Throughput?) {
    jobID = job.id
    status = job.state.rawValue
    message =
      job.isDuplicate
      ? "This photo was received before; this is the state of its job" : "Scan received and added to processing queue"
    queuePosition = job.queuePosition
    let wait = throughput?.wait(position: job.queuePosition)
    estimatedWaitTime = job.state.isEnd ? "0 seconds" : WaitEstimate.text(seconds: wait)
    estimatedWaitSeconds = job.state.isEnd ? 0 : wait
    checkStatusURL = "/result/\(job.id)"
  }
}
