import Foundation
import Hummingbird
import JobStore
import WireJSON

/// `GET /queue/status`: how many photos wait, and for how long.
struct QueueReport: Sendable {
  struct Answer: Encodable {
    var queued: Int
    var processing: Int
    var completed: Int
    var failed: Int
    var maxWaiting: Int
    var workers: Int
    @ExplicitNull var oldestWaitingSeconds: Double?
    @ExplicitNull var secondsPerPhoto: Double?
    var estimatedWaitTime: String

    private enum CodingKeys: String, CodingKey {
      case queued
      case processing
      case completed
      case failed
      case maxWaiting = "max_waiting"
      case workers
      case oldestWaitingSeconds = "oldest_waiting_seconds"
      case secondsPerPhoto = "seconds_per_photo"
      case estimatedWaitTime = "estimated_wait_time"
    }
  }

  let store: any ServerStore
  let configuration: APIConfiguration

  var endpoint: Endpoint {
    Endpoint(.get, "/queue/status", access: .any) { _, _ in
      let status = try await store.queueStatus()
      func count(_ state: Job.State) -> Int { status.counts[state] ?? 0 }
      return .json(
        Answer(
          queued: count(.queued), processing: count(.processing), completed: count(.completed), failed: count(.failed),
          maxWaiting: configuration.maxWaiting, workers: configuration.workers,
          oldestWaitingSeconds: status.oldestWaiting.map { max(0, Date().timeIntervalSince($0)) },
          secondsPerPhoto: status.throughput?.secondsPerReading,
          estimatedWaitTime: WaitEstimate.text(seconds: status.estimatedWait)))
    }
  }
}
