/// Prometheus's text format (version 0.0.4).
public enum PrometheusText {
  /// Formats samples, grouped by metric.
  public static func text(_ samples: [MetricSample]) -> String {
    var order: [String] = []
    var groups: [String: [MetricSample]] = [:]
    for sample in samples {
      if groups[sample.name] == nil { order.append(sample.name) }
      groups[sample.name, default: []].append(sample)
    }
    return order.map { name in
      let group = groups[name] ?? []
      let head = "# HELP \(name) \(group.first?.help ?? "")\n# TYPE \(name) \(group.first?.kind ?? "untyped")\n"
      return head + group.map(lines).joined()
    }.joined()
  }

  private static func lines(_ sample: MetricSample) -> String {
    func line(_ ending: String, _ labels: [String: String], _ value: Double) -> String {
      "\(sample.name)\(ending)\(text(labels)) \(text(value))\n"
    }
    switch sample.value {
    case .counter(let value), .gauge(let value): return line("", sample.labels, value)
    case .histogram(let times):
      let bounds = DurationHistogram.bounds.map { "\($0)" } + ["+Inf"]
      let buckets = zip(bounds, times.counts + [times.count]).map { bound, count in
        line("_bucket", sample.labels.merging(["le": bound]) { $1 }, Double(count))
      }
      return buckets.joined() + line("_sum", sample.labels, times.sum)
        + line("_count", sample.labels, Double(times.count))
    }
  }

  /// Formats a number. Swift and Prometheus differ only for infinities and NaN.
  private static func text(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
    return abs(value) < 1e15 ? Int64(exactly: value).map { "\($0)" } ?? "\(value)" : "\(value)"
  }

  private static func text(_ labels: [String: String]) -> String {
    if labels.isEmpty { return "" }
    let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value))\"" }
    return "{\(pairs.joined(separator: ","))}"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

extension MetricSample {
  fileprivate var kind: String {
    switch value {
    case .counter: "counter"
    case .gauge: "gauge"
    case .histogram: "histogram"
    }
  }
}
