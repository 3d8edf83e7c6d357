/// The answer of `POST /scan`.
struct ScanAnswer: Encodable {
  var jobID: String
  var status: String
  var message: String
  var queuePosition: Int
  var estimatedWaitTime: String
  var checkStatusURL: String

  private enum CodingKeys: String, CodingKey {
    case jobID = "job_id"
    case status
    case message
    case queuePosition = "queue_position"
    case estimatedWaitTime = "estimated_wait_time"
    case checkStatusURL = "check_status_url"
  }
}
