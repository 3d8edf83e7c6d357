import Foundation
import Hummingbird
import JobStore
import Support

/// `GET /queue/status`: how many photos wait, for how long, and which workers read them.
struct QueueReport: Sendable {
  struct Answer: Codable {
    var queued: Int
    var processing: Int
    var completed: Int
    var failed: Int
    var maxWaiting: Int
    var workers: Int
    @ExplicitNull var oldestWaitingSeconds: Double?
    @ExplicitNull var secondsPerPhoto: Double?
    var estimatedWaitTime: String
    var machines: [MachineAnswer]

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
      case machines
    }
  }

  struct MachineAnswer: Codable {
    var name: String
    @ExplicitNull var workers: Int?
    var reading: Int
    @ExplicitNull var version: String?
    var secondsSinceBeat: Double

    init(_ machine: Machine) {
      (name, reading, secondsSinceBeat) = (machine.name, machine.reading, machine.silence)
      workers = machine.workers
      version = machine.version
    }

    private enum CodingKeys: String, CodingKey {
      case name
      case workers
      case reading
      case version
      case secondsSinceBeat = "seconds_since_beat"
    }
  }

  let store: any ServerStore
  let configuration: APIConfiguration

  var endpoint: Endpoint {
    Endpoint(
      .get, "/queue/status", "AskForTheQueue", "Get the queue's status", "How many photos wait, and for how long.",
      topic: .jobs, access: .any, answers: [.json(Answer.self)]
    ) { _, _ in
      let status = try await store.queueStatus()
      func count(_ state: Job.State) -> Int { status.counts[state] ?? 0 }
      return .json(
        Answer(
          queued: count(.queued), processing: count(.processing), completed: count(.completed), failed: count(.failed),
          maxWaiting: configuration.settings.queue.maxWaiting, workers: configuration.settings.workers,
          oldestWaitingSeconds: status.longestWait,
          secondsPerPhoto: status.throughput?.secondsPerReading,
          estimatedWaitTime: WaitEstimate.text(seconds: status.estimatedWait),
          machines: status.machines.map(MachineAnswer.init)))
    }
  }
}

extension QueueReport.Answer: WireObject {
  static let wireName = "QueueStatus"
  static let wireNotes: [String: Schema] = [
    "machines": .about(
      "The processes that serve or read for this store and sent a heartbeat within a minute, by name; with SQLite "
        + "this server.")
  ]
}

extension QueueReport.MachineAnswer: WireObject {
  static let wireName = "Machine"
  static let wireNotes: [String: Schema] = [
    "workers": .about("Photos it reads at a time; null if its version does not say."),
    "reading": .about("Photos it reads now."),
    "seconds_since_beat": .about("Since its last heartbeat; after three, others take over its jobs."),
  ]
}
