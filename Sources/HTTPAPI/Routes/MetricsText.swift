import Foundation
import Hummingbird
import JobStore
import Support

/// `GET /metrics`: the metrics in Prometheus' text format.
struct MetricsText: Sendable {
  let requests: RequestMetrics
  let services: APIServices
  let countsWebhooks: Bool

  var endpoint: Endpoint {
    Endpoint(
      .get, "/metrics", "CollectMetrics", "Get metrics", "In Prometheus' text format.", topic: .operation,
      access: .read,
      answers: [.content(.text("text/plain"))]
    ) { _, _ in
      let text = PrometheusText.text(
        try await requests.samples + queueSamples() + webhookSamples() + services.metrics())
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
  }

  private func queueSamples() async throws -> [MetricSample] {
    let status = try await services.store.queueStatus()
    return Job.State.allCases.map { state in
      MetricSample(
        "serialscan_jobs", help: "Jobs by state.", labels: ["state": state.rawValue],
        .gauge(Double(status.counts[state] ?? 0)))
    } + [
      MetricSample("serialscan_queue_depth", help: "Waiting jobs.", .gauge(Double(status.waiting))),
      MetricSample(
        "serialscan_queue_oldest_seconds", help: "Seconds the oldest waiting job has waited.",
        .gauge(status.longestWait ?? 0)),
      MetricSample(
        "serialscan_seconds_per_photo", help: "Average time of the latest reads.",
        .gauge(status.throughput?.secondsPerReading ?? 0)),
      MetricSample(
        "serialscan_machines", help: "Processes that serve or read for this store, on all machines.",
        .gauge(Double(status.machines.count))),
      MetricSample(
        "serialscan_machines_workers", help: "Workers on all machines.",
        .gauge(status.machines.reduce(0) { $0 + Double($1.workers ?? 0) })),
    ]
  }

  private func webhookSamples() async throws -> [MetricSample] {
    guard countsWebhooks else { return [] }
    return try await services.store.webhookCounts().sorted { $0.key.rawValue < $1.key.rawValue }.map { state, count in
      MetricSample(
        "serialscan_webhooks", help: "Waiting and failed webhooks.", labels: ["state": state.rawValue],
        .gauge(Double(count)))
    }
  }
}
