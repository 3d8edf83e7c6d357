import JobStore
import Support

/// The attempts of this process, counted by outcome.
public final class WebhookFigures: Sendable {
  private let counts = Locked<[String: Int]>(["delivered": 0, "failed": 0])

  func count(_ outcome: WebhookOutcome) {
    switch outcome {
    case .delivered: counts.withLock { $0["delivered", default: 0] += 1 }
    case .failed, .refused: counts.withLock { $0["failed", default: 0] += 1 }
    case .interrupted: break
    }
  }

  /// The counters as metric samples.
  public var samples: [MetricSample] {
    counts.withLock { $0 }.sorted { $0.key < $1.key }.map { outcome, count in
      MetricSample(
        "serialscan_webhook_attempts_total", help: "Attempts to send a webhook, by outcome.",
        labels: ["outcome": outcome], .counter(Double(count)))
    }
  }
}
