import JobStore
import Support

/// The response of `POST /scan`.
struct ScanAnswer: Codable {
  var jobID: String
  var status: Job.State
  var message: String
  var queuePosition: Int
  var estimatedWaitTime: String
  /// The estimated wait in seconds, to the millisecond; nil before anything was measured.
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

extension ScanAnswer: WireObject {
  static let wireName = "Scan"
  static let wireNotes: [String: Schema] = [
    "job_id": .uuid,
    "status": .about("`queued`, except for a repeated Idempotency-Key: then the status of its job."),
    "queue_position": .atLeast(0).about(
      "1 is next; 0 for a job that no longer waits, such as that of a repeated Idempotency-Key."),
    "estimated_wait_time": .about("Estimated from the measured throughput; `not known yet` before anything was read."),
    "estimated_wait_seconds": .atLeast(0).about("The estimated wait in seconds; null before anything was read."),
  ]
}

extension ScanAnswer {
  /// Creates the response for a new job, or for the earlier one with the same idempotency key.
  init(_ job: EnqueuedJob, throughput: Throughput?) {
    jobID = job.id
    status = job.state
    message =
      job.isDuplicate
      ? "This photo was received before; this is the state of its job" : "Scan received and added to processing queue"
    queuePosition = job.queuePosition
    let wait = throughput?.wait(position: job.queuePosition)
    estimatedWaitTime = job.state.isEnd ? "0 seconds" : WaitEstimate.text(seconds: wait)
    estimatedWaitSeconds = job.state.isEnd ? 0 : wait?.rounded(toPlaces: 3)
    checkStatusURL = "/result/\(job.id)"
  }
}
