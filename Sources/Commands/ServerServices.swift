import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Settings
import Support
import TrackingSessions
import Webhooks

extension APIServices {
  /// Creates the API's services from the store, the workers and the reader for evaluations.
  init(
    store: any ServerStore, runner: JobRunner, evaluationReader: EvaluationReader, settings: Settings,
    tracking: TrackingSessions, webhooks: WebhookFigures
  ) {
    let workers = settings.workers
    let installation = InstallationFigures(folder: DataFolder(path: settings.data))
    self.init(
      store: store,
      workerStatus: {
        WorkerStatus(
          configured: workers,
          running: runner.status.readers.count { [.ready, .starting, .working].contains($0.state) })
      },
      read: { try await evaluationReader.read(path: $0, $1).reading },
      reread: { try await evaluationReader.read($0, $1) },
      metrics: {
        installation.samples + Self.samples(of: runner) + Self.samples(of: store) + webhooks.samples
      }, tracking: tracking)
  }

  private static func samples(of store: any ServerStore) -> [MetricSample] {
    guard let changes = (store as? any ChangeAnnouncing)?.changes else { return [] }
    return [
      MetricSample(
        "serialscan_spurious_wakeups_total", help: "Times a worker woke for a photo that another worker had claimed.",
        .counter(Double(changes.spuriousWakeups)))
    ]
  }

  private static func samples(of runner: JobRunner) -> [MetricSample] {
    let status = runner.status
    let counters: [(String, String, Int)] = [
      ("serialscan_attempts_total", "Reads begun.", status.attempts),
      ("serialscan_jobs_completed_total", "Jobs ended with a serial.", status.completed),
      ("serialscan_jobs_failed_total", "Jobs ended without one.", status.failed),
      ("serialscan_retries_total", "Jobs given back after their reader died.", status.retries),
      ("serialscan_jobs_rescued_total", "Jobs queued again after their lease expired.", status.rescued),
      ("serialscan_log_lines_dropped_total", "Log lines that could not be written.", StandardError.shared.dropped),
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
      (
        "serialscan_reader_restarts_total", "Reader processes started after the first of each worker.",
        status.readers.reduce(0) { $0 + max(0, $1.starts - 1) }
      ),
    ]
    return counters.map { MetricSample($0.0, help: $0.1, .counter(Double($0.2))) }
      + [
        MetricSample(
          "serialscan_workers_busy", help: "Workers that are reading a photo.", .gauge(Double(status.busyWorkers)))
      ]
      + samples(of: runner.figures)
  }

  private static func samples(of figures: ReadingFigures) -> [MetricSample] {
    let endings = figures.endings.sorted { ($0.key.preset, $0.key.verdict) < ($1.key.preset, $1.key.verdict) }.map {
      MetricSample(
        "serialscan_readings_total", help: "Photos read, by preset and verdict.",
        labels: ["preset": $0.key.preset, "verdict": $0.key.verdict], .counter(Double($0.value)))
    }
    let stages = ReadingFigures.Stage.allCases.compactMap { stage in
      figures.stages[stage].map {
        MetricSample(
          "serialscan_stage_seconds", help: "Time per photo in each stage, from upload to stored result.",
          labels: ["stage": stage.rawValue], .histogram($0))
      }
    }
    let strategies = figures.strategies.sorted { $0.key < $1.key }.map {
      MetricSample(
        "serialscan_strategy_seconds", help: "Time per strategy within the stage `reading`.",
        labels: ["strategy": $0.key], .histogram($0.value))
    }
    return endings + stages + strategies
  }
}
