import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Settings

extension APIServices {
  /// What the API asks of the store, the workers and the readers for evaluations.
  init(store: SQLiteJobStore, runner: JobRunner, evaluationReader: EvaluationReader, settings: Settings) {
    let workers = settings.workers
    self.init(
      store: store,
      checkStorage: { try await store.checkWritable() },
      workerStatus: {
        WorkerStatus(
          configured: workers,
          running: runner.status.readers.count { [.ready, .starting, .reading].contains($0.state) })
      },
      read: { try await evaluationReader.read($0) },
      metrics: { Self.samples(of: runner) })
  }

  private static func samples(of runner: JobRunner) -> [MetricSample] {
    let status = runner.status
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
      ("serialscan_workers_busy", "Workers that read.", Double(status.busyWorkers))
    ]
    return counters.map { MetricSample($0.0, help: $0.1, kind: .counter, value: Double($0.2)) }
      + gauges.map { MetricSample($0.0, help: $0.1, kind: .gauge, value: $0.2) }
  }
}
