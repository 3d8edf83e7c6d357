import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Settings

extension APIServices {
  /// What the API asks of the store and the workers.
  init(store: SQLiteJobStore, runner: JobRunner, settings: Settings) {
    let workers = settings.workers
    self.init(
      store: store,
      waitForEnd: { try await store.waitForEnd(id: $0, timeout: $1) },
      secondsPerPhoto: { store.throughput?.secondsPerReading },
      workerStatus: {
        WorkerStatus(
          configured: workers,
          running: runner.status.readers.count { [.ready, .starting, .reading].contains($0.state) })
      },
      queueDepth: { try await store.queueStatus().waiting },
      cancel: { _ = try await store.deleteJob(id: $0, alsoSerial: false) })
    keys = { try await store.keys(includingRevoked: false).map(AccessKey.Stored.init) }
    countKeyUses = { try? await store.countKeyUses($0) }
    metrics = { try await Self.samples(of: store, runner) }
  }

  private static func samples(of store: SQLiteJobStore, _ runner: JobRunner) async throws -> [MetricSample] {
    let queue = try await store.queueStatus()
    let status = runner.status
    let age = queue.oldestWaiting.map { Date().timeIntervalSince($0) } ?? 0
    let counters: [(String, String, Int)] = [
      ("serialscan_attempts_total", "Reads begun.", status.attempts),
      ("serialscan_jobs_completed_total", "Jobs ended with a serial.", status.completed),
      ("serialscan_jobs_failed_total", "Jobs ended without one.", status.failed),
      ("serialscan_retries_total", "Jobs given back after their reader died.", status.retries),
      ("serialscan_jobs_rescued_total", "Jobs put back whose lease had run out.", status.rescued),
      ("serialscan_store_errors_total", "Calls that the store refused.", status.storeErrors),
      ("serialscan_reader_starts_total", "Reader processes started.", status.readers.reduce(0) { $0 + $1.starts }),
      (
        "serialscan_reader_crashes_total", "Readers that died on a photo.", status.readers.reduce(0) { $0 + $1.crashes }
      ),
      (
        "serialscan_reader_timeouts_total", "Readers killed at the deadline.",
        status.readers.reduce(0) { $0 + $1.timeouts }
      ),
      (
        "serialscan_reader_memory_kills_total", "Readers killed for memory.",
        status.readers.reduce(0) { $0 + $1.memoryKills }
      ),
    ]
    let gauges: [(String, String, Double)] = [
      ("serialscan_queue_depth", "Jobs that wait.", Double(queue.waiting)),
      ("serialscan_queue_oldest_seconds", "Age of the oldest job that waits.", age),
      ("serialscan_workers_busy", "Workers that read.", Double(status.busyWorkers)),
    ]
    return counters.map { MetricSample($0.0, help: $0.1, kind: .counter, value: Double($0.2)) }
      + gauges.map { MetricSample($0.0, help: $0.1, kind: .gauge, value: $0.2) }
  }
}

extension AccessKey.Stored {
  /// Takes a key as the database holds it; scopes that this version does not know grant nothing.
  fileprivate init(_ key: StoredKey) {
    self.init(id: key.id, name: key.name, hash: key.hash, scopes: Set(key.scopes.compactMap(AccessKey.Scope.init)))
  }
}
