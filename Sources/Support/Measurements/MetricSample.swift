/// A value or histogram for Prometheus.
public struct MetricSample: Sendable, Equatable {
  /// The measured value.
  public enum Value: Sendable, Equatable {
    /// A value that only increases.
    case counter(Double)
    /// A value that increases and decreases.
    case gauge(Double)
    /// A distribution of durations.
    case histogram(DurationHistogram)
  }

  /// The metric's name, `serialscan_...`, ending in its unit.
  public var name: String
  /// A description for people.
  public var help: String
  /// Labels by name.
  public var labels: [String: String]
  /// The measured value.
  public var value: Value

  /// Creates a sample.
  public init(_ name: String, help: String, labels: [String: String] = [:], _ value: Value) {
    self.name = name
    self.help = help
    self.labels = labels
    self.value = value
  }
}
