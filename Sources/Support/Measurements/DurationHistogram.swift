/// How often something took how long, in buckets as Prometheus wants them.
public struct DurationHistogram: Sendable, Equatable {
  /// Upper bounds of the buckets in seconds, about a doubling each.
  public static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  /// For each bound, how many took at most so long.
  public private(set) var counts = [Int](repeating: 0, count: bounds.count)
  /// How many there were.
  public private(set) var count = 0
  /// Seconds all of them took together.
  public private(set) var sum = 0.0

  /// Creates an empty histogram.
  public init() {}

  /// Adds one that took so many seconds; less than none, as after a jump of the clock, counts as none.
  public mutating func add(seconds: Double) {
    let seconds = seconds.isFinite ? max(0, seconds) : 0
    count += 1
    sum += seconds
    for (index, bound) in Self.bounds.enumerated() where seconds <= bound { counts[index] += 1 }
  }
}
