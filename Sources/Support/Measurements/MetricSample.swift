/// One value for Prometheus, or one histogram.
public struct MetricSample: Sendable, Equatable {
  /// What was measured.
  public enum Value: Sendable, Equatable {
    /// Only grows.
    case counter(Double)
    /// Goes up and down.
    case gauge(Double)
    /// How long something took each time.
    case histogram(DurationHistogram)
  }

  /// The metric's name, `serialscan_...`; ends with the unit.
  public var name: String
  /// What it says, for people.
  public var help: String
  /// Labels by name.
  public var labels: [String: String]
  /// What was measured.
  public var value: Value

  /// Creates a sample.
  public init(_ name: String, help: String, labels: [String: String] = [:], _ value: Value) {
    self.name = name
    self.help = help
    self.labels = labels
    self.value = value
  }
}
