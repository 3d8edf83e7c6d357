import Foundation
import Hummingbird

/// `GET /health`, `/livez` and `/readyz`: whether the server can do its job. No key needed.
struct Health: Sendable {
  struct Answer: Encodable {
    var status: String
    var timestamp: Date
    var version: String
    var gpuAvailable = false
    var database: String
    var photos: String
    var workers: Workers
    @ExplicitNull var queueDepth: Int?
    var uptimeSeconds: Int

    struct Workers: Encodable {
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
    }
  }

  let services: APIServices
  let storage: PhotoStorage
  let version: String
  let startedAt: Date

  var endpoints: [Endpoint] {
    [
      Endpoint(.get, "/health", scope: nil) { _, _ in await answer() },
      Endpoint(.get, "/readyz", scope: nil) { _, _ in await answer() },
      Endpoint(.get, "/livez", scope: nil) { _, _ in .json(["status": "alive"]) },
    ]
  }

  /// Why nothing new could be stored now, nil where it could.
  private func problem(_ check: () async throws -> Void) async -> String? {
    do {
      try await check()
      return nil
    } catch {
      return APIError(error)?.code == .storageFull ? "the disk is full" : "can't be written"
    }
  }

  private func answer() async -> Response {
    let workers = await services.workerStatus()
    let database = await problem { try await services.store.checkWritable() }
    let photos = await problem { try await storage.checkWritable() }
    let depth = try? await services.store.queueStatus().waiting
    let isHealthy = database == nil && photos == nil && depth != nil && workers.running > 0
    return .json(
      Answer(
        status: isHealthy ? "healthy" : "unhealthy", timestamp: Date(), version: version,
        database: database ?? (depth == nil ? "can't be read" : "ok"), photos: photos ?? "ok",
        workers: Answer.Workers(configured: workers.configured, running: workers.running), queueDepth: depth,
        uptimeSeconds: Int(Date().timeIntervalSince(startedAt))),
      status: isHealthy ? .ok : .serviceUnavailable)
  }
}
