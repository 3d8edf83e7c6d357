import HTTPTypes
import NIOConcurrencyHelpers

/// One value for Prometheus.
public struct MetricSample: Sendable, Equatable {
  /// Whether a value only grows.
  public enum Kind: String, Sendable {
    case counter
    case gauge
  }

  /// The metric's name, `serialscan_...`.
  public var name: String
  /// What it says, for people.
  public var help: String
  /// Whether it only grows.
  public var kind: Kind
  /// Labels by name.
  public var labels: [String: String]
  /// The value, in the unit that the name ends with.
  public var value: Double

  /// Creates a sample.
  public init(_ name: String, help: String, kind: Kind, labels: [String: String] = [:], value: Double) {
    self.name = name
    self.help = help
    self.kind = kind
    self.labels = labels
    self.value = value
  }
}

/// What requests came and how long they took.
final class RequestMetrics: Sendable {
  /// Upper bounds in seconds, about a doubling each.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  private struct Key: Hashable {
    var method: String
    var route: String
    var status: Int
  }

  private struct Durations {
    var counts = [Int](repeating: 0, count: RequestMetrics.bounds.count)
    var count = 0
    var sum = 0.0
  }

  private struct State {
    var requests: [Key: Int] = [:]
    var durations: [String: Durations] = [:]
  }

  private let state = NIOLockedValueBox(State())

  func count(method: HTTPRequest.Method, route: String, status: Int, seconds: Double) {
    // Only methods that exist become labels: a stranger must not be able to fill the memory with new ones.
    let known = ["GET", "HEAD", "POST", "DELETE", "OPTIONS"].contains(method.rawValue) ? method.rawValue : "other"
    state.withLockedValue { state in
      state.requests[Key(method: known, route: route, status: status), default: 0] += 1
      var durations = state.durations[route] ?? Durations()
      durations.count += 1
      durations.sum += seconds
      for (index, bound) in Self.bounds.enumerated() where seconds <= bound { durations.counts[index] += 1 }
      state.durations[route] = durations
    }
  }

  /// The request metrics in Prometheus' text form (version 0.0.4).
  func text() -> String {
    let state = self.state.withLockedValue { $0 }
    var lines = [
      "# HELP serialscan_http_requests_total Requests answered.", "# TYPE serialscan_http_requests_total counter",
    ]
    for (key, count) in state.requests.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }) {
      let labels = PrometheusText.labels(["method": key.method, "route": key.route, "status": "\(key.status)"])
      lines.append("serialscan_http_requests_total\(labels) \(count)")
    }
    lines.append("# HELP serialscan_http_request_seconds Time to an answer.")
    lines.append("# TYPE serialscan_http_request_seconds histogram")
    for (route, durations) in state.durations.sorted(by: { $0.key < $1.key }) {
      for (bound, count) in zip(Self.bounds, durations.counts) {
        let labels = PrometheusText.labels(["route": route, "le": "\(bound)"])
        lines.append("serialscan_http_request_seconds_bucket\(labels) \(count)")
      }
      let labels = PrometheusText.labels(["route": route])
      lines.append(
        "serialscan_http_request_seconds_bucket\(PrometheusText.labels(["route": route, "le": "+Inf"])) \(durations.count)"
      )
      lines.append("serialscan_http_request_seconds_sum\(labels) \(durations.sum)")
      lines.append("serialscan_http_request_seconds_count\(labels) \(durations.count)")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Prometheus' text form.
enum PrometheusText {
  /// Samples of other parts, those of one metric together.
  static func text(_ samples: [MetricSample]) -> String {
    var order: [String] = []
    var groups: [String: [MetricSample]] = [:]
    for sample in samples {
      if groups[sample.name] == nil { order.append(sample.name) }
      groups[sample.name, default: []].append(sample)
    }
    return order.map { name in
      let group = groups[name] ?? []
      let head = "# HELP \(name) \(group.first?.help ?? "")\n# TYPE \(name) \(group.first?.kind.rawValue ?? "gauge")\n"
      return head + group.map { "\(name)\(labels($0.labels)) \($0.value)\n" }.joined()
    }.joined()
  }

  static func labels(_ labels: [String: String]) -> String {
    if labels.isEmpty { return "" }
    let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value))\"" }
    return "{\(pairs.joined(separator: ","))}"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
