import HTTPTypes
import NIOConcurrencyHelpers
import Support

/// Counts requests and measures their duration.
final class RequestMetrics: Sendable {
  private struct Key: Hashable {
    var method: String
    var route: String
    var status: Int
  }

  private struct State {
    var requests: [Key: Int] = [:]
    var times: [String: DurationHistogram] = [:]
  }

  private let state = NIOLockedValueBox(State())

  /// Counts a response. The method and the time are nil if the request's head never arrived.
  func count(method: HTTPRequest.Method?, route: String, status: Int, seconds: Double?) {
    // Only known methods become labels, so that clients can't exhaust the memory with new ones.
    let known: String? = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"].first { $0 == method?.rawValue }
    state.withLockedValue { state in
      state.requests[Key(method: known ?? "other", route: route, status: status), default: 0] += 1
      if let seconds { state.times[route, default: DurationHistogram()].add(seconds: seconds) }
    }
  }

  /// Requests by method, route and status, and durations by route.
  var samples: [MetricSample] {
    let state = self.state.withLockedValue { $0 }
    let counts = state.requests.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }.map {
      MetricSample(
        "serialscan_http_requests_total", help: "Requests answered.",
        labels: ["method": $0.key.method, "route": $0.key.route, "status": "\($0.key.status)"],
        .counter(Double($0.value)))
    }
    let times = state.times.sorted { $0.key < $1.key }.map {
      MetricSample(
        "serialscan_http_request_seconds", help: "Time to an answer.", labels: ["route": $0.key], .histogram($0.value))
    }
    return counts + times
  }
}
