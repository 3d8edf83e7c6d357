/// A histogram of durations with Prometheus buckets.
public struct DurationHistogram: Sendable, Equatable {
  /// Upper bounds of the buckets in seconds, about doubling.
  public static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  /// For each bound, the number of durations at or below it.
  public private(set) var counts = [Int](repeating: 0, count: bounds.count)
  /// Number of durations.
  public private(set) var count = 0
  /// Sum of the durations in seconds.
  public private(set) var sum = 0.0

  /// Creates an empty histogram.
  public init() {}

  /// Adds a duration in seconds. A negative one, as after a clock adjustment, counts as 0.
  public mutating func add(seconds: Double) {
    let seconds = seconds.isFinite ? max(0, seconds) : 0
    count += 1
    sum += seconds
    for (index, bound) in Self.bounds.enumerated() where seconds <= bound { counts[index] += 1 }
  }
}
