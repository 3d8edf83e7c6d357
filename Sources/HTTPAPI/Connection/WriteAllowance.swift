import NIOCore

/// The time that a client has left to read more of its response.
///
/// It starts at `most` and runs down; every byte read adds its share of a second, up to `most` in total. A client that
/// reads nothing is disconnected after `most`, one that reads below the minimum rate not much later, and one that keeps
/// the rate never, however large the response. Bytes buffered by the system count as read; the upper bound compensates
/// for that.
struct WriteAllowance {
  private let most: TimeAmount
  private let nanosecondsPerByte: Double
  /// The time at which the allowance runs out.
  private(set) var end: NIODeadline

  /// Creates an allowance that starts at `now`; `leastRate` is in bytes per second.
  init(most: TimeAmount, leastRate: Double, now: NIODeadline) {
    self.most = most
    nanosecondsPerByte = 1e9 / max(leastRate, 1)
    end = now + most
  }

  /// Adds the time for bytes that were read.
  mutating func add(bytes: Int, now: NIODeadline) {
    let earned = TimeAmount.nanoseconds(
      min(Int64(exactly: (Double(bytes) * nanosecondsPerByte).rounded()) ?? .max, most.nanoseconds))
    end = min(end + earned, now + most)
  }

  /// Restarts the allowance, because no output was pending.
  mutating func restart(now: NIODeadline) { end = now + most }
}
