import Foundation
import Hummingbird
import JobStore
import Support

/// `GET /health`, `/livez` and `/readyz`: whether the server works. No key needed.
struct Health: Sendable {
  enum Status: String, Codable {
    case healthy
    case unhealthy
  }

  struct Answer: Codable {
    var status: Status
    var timestamp: Date
    var version: String
    var gpuAvailable = false
    var database: String
    var photos: String
    var workers: Workers
    @ExplicitNull var queueDepth: Int?
    var uptimeSeconds: Int
    /// Whether a tracker responds.
    var predictorLoaded: Bool

    struct Workers: Codable {
      var configured: Int
      var running: Int
    }

    private enum CodingKeys: String, CodingKey {
      case status
      case timestamp
      case version
      case gpuAvailable = "gpu_available"
      case database
      case photos
      case workers
      case queueDepth = "queue_depth"
      case uptimeSeconds = "uptime_seconds"
      case predictorLoaded = "predictor_loaded"
    }
  }

  struct Life: Codable {
    var status = "alive"
  }

  /// The results of a check: why the store can't be written, the state of the workers, and whether frames are tracked.
  private struct Findings: Sendable {
    var database: String?
    var photos: String?
    var workers: APIServices.WorkerStatus
    var depth: Int?
    var isTracking: Bool
  }

  let services: APIServices
  let version: String
  let startedAt: Date
  /// Writes and syncs the database and the photo folder, and queries the trackers. The result is shared, so that a
  /// thousand requests don't write a thousand times.
  private let check: FreshCheck<Findings>

  init(
    services: APIServices, queue: FreshCheck<QueueStatus?>, version: String, startedAt: Date
  ) {
    self.services = services
    self.version = version
    self.startedAt = startedAt
    check = FreshCheck(freshness: .seconds(1)) {
      Findings(
        database: await Self.problem { try await services.store.checkWritable() },
        photos: await Self.problem { try await services.store.blobs.checkWritable() },
        workers: await services.workerStatus(), depth: (try? await queue.outcome())??.waiting,
        isTracking: await services.tracking.answers())
    }
  }

  var endpoints: [Endpoint] {
    [
      Endpoint(
        .get, "/health", "AskForHealth", "Check the server's health", "503 if it can't do its job.",
        topic: .operation, access: .open, answers: Self.answers
      ) { _, _ in try await answer() },
      Endpoint(
        .get, "/readyz", "AskWhetherItIsReady", "Check whether the server is ready", "As /health, for orchestrators.",
        topic: .operation, access: .open, answers: Self.answers
      ) { _, _ in try await answer() },
      Endpoint(
        .get, "/livez", "AskWhetherItLives", "Check whether the server is alive",
        "200 as long as the process answers.", topic: .operation, access: .open, answers: [.json(Life.self)]
      ) { _, _ in .json(Life()) },
    ]
  }

  private static let answers: [WireAnswer] = [
    .json(Answer.self), .json(Answer.self, status: 503, "The server can't do its job."),
  ]

  /// Returns why storing fails; nil if it succeeds.
  private static func problem(_ check: () async throws -> Void) async -> String? {
    do {
      try await check()
      return nil
    } catch StoreError.lost {
      return "was removed, replaced or damaged while the server ran"
    } catch {
      return APIError(error)?.code == .storageFull ? "the disk is full" : "can't be written"
    }
  }

  private func answer() async throws -> Response {
    let findings = try await check.outcome()
    let (database, photos, workers) = (findings.database, findings.photos, findings.workers)
    let depth = findings.depth
    // A server without workers serves HTTP and leaves reading to others.
    let canRead = workers.configured == 0 || workers.running > 0
    let isHealthy = database == nil && photos == nil && depth != nil && canRead
    return .json(
      Answer(
        status: isHealthy ? .healthy : .unhealthy, timestamp: Date(), version: version,
        database: database ?? (depth == nil ? "can't be read" : "ok"), photos: photos ?? "ok",
        workers: Answer.Workers(configured: workers.configured, running: workers.running), queueDepth: depth,
        uptimeSeconds: Int(exactly: Date().timeIntervalSince(startedAt).rounded()) ?? 0,
        predictorLoaded: findings.isTracking),
      status: isHealthy ? .ok : .serviceUnavailable)
  }
}

extension Health.Status: WireWord {
  static let wireName = "HealthStatus"
}

extension Health.Answer: WireObject {
  static let wireName = "Health"
}

extension Health.Answer.Workers: WireObject {
  static let wireName = "HealthWorkers"
}

extension Health.Life: WireObject {
  static let wireName = "Life"
  static let wireNotes: [String: Schema] = ["status": .about("`alive`.")]
}
