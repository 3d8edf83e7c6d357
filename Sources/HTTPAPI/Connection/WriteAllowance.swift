import NIOCore

/// The time that a client still has to take more of its answer.
///
/// It begins with `most`, runs off, and every byte taken adds its share of a second to it, but never beyond `most`: who
/// takes nothing is cut off after it, who takes less than the least rate not much later, and who keeps to the rate never,
/// however large the answer. What the system buffers counts as taken, which the bound makes good.
struct WriteAllowance {
  private let most: TimeAmount
  private let nanosecondsPerByte: Double
  /// When it will have run off.
  private(set) var end: NIODeadline

  /// Begins at `now`; `leastRate` is in bytes a second.
  init(most: TimeAmount, leastRate: Double, now: NIODeadline) {
    self.most = most
    nanosecondsPerByte = 1e9 / max(leastRate, 1)
    end = now + most
  }

  /// Adds the share of bytes that were taken.
  mutating func add(bytes: Int, now: NIODeadline) {
    let earned = TimeAmount.nanoseconds(
      min(Int64(exactly: (Double(bytes) * nanosecondsPerByte).rounded()) ?? .max, most.nanoseconds))
    end = min(end + earned, now + most)
  }

  /// Begins anew: nothing waited to be taken.
  mutating func restart(now: NIODeadline) { end = now + most }
}
