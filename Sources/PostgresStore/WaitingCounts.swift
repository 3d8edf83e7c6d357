import Support

/// Recent counts of waiting jobs, adjusted by this instance's changes since.
///
/// Counting takes time proportional to the queue's length, so not every upload counts. Jobs that other machines store
/// or claim between two counts are not included.
package final class WaitingCounts: Sendable {
  /// The counts for uploads of one priority.
  private struct Count {
    var total: Int
    /// Waiting jobs of the same or a higher priority.
    var ahead: Int
    let at: ContinuousClock.Instant
    /// Whether a caller is counting.
    var isBeingRenewed = false
  }

  /// Age after which a count is renewed.
  private static let freshness = Duration.milliseconds(100)
  /// Age after which a count that was not renewed is no longer used.
  private static let usefulness = Duration.seconds(1)
  /// Free places below which every upload counts: more than one database accepts between two counts.
  private static let leastRoom: Int64 = 256

  private let counts = Locked<[Int: Count]>([:])

  /// Creates an instance without counts.
  package init() {}

  /// Takes a place for a job and returns how many are ahead of it. Returns nil if the caller must count: now and then,
  /// and always if the queue is nearly full.
  package func take(priority: Int, most: Int64, now: ContinuousClock.Instant = .now) -> Int? {
    counts.withLock { counts in
      guard let count = counts[priority], now - count.at < Self.usefulness else { return nil }
      guard most > 0, most - Int64(clamping: count.total) > max(Self.leastRoom, most / 10) else { return nil }
      if now - count.at >= Self.freshness, !count.isBeingRenewed {
        counts[priority]?.isBeingRenewed = true
        return nil
      }
      Self.change(&counts, by: 1, priority: priority)
      return count.ahead
    }
  }

  /// Records a count that includes the job just stored.
  package func renew(priority: Int, total: Int, ahead: Int, now: ContinuousClock.Instant = .now) {
    counts.withLock { counts in
      counts = counts.filter { now - $0.value.at < Self.usefulness }
      counts[priority] = Count(total: total, ahead: ahead, at: now)
      Self.change(&counts, by: 1, priority: priority)
    }
  }

  /// Adjusts the counts by `difference` waiting jobs.
  package func change(by difference: Int, priority: Int) {
    counts.withLock { Self.change(&$0, by: difference, priority: priority) }
  }

  /// Makes the next upload count.
  package func forget() {
    counts.withLock { $0 = [:] }
  }

  private static func change(_ counts: inout [Int: Count], by difference: Int, priority: Int) {
    for key in counts.keys {
      guard var count = counts[key] else { continue }
      count.total = Self.sum(count.total, difference)
      if priority >= key { count.ahead = Self.sum(count.ahead, difference) }
      counts[key] = count
    }
  }

  private static func sum(_ count: Int, _ difference: Int) -> Int {
    let (sum, overflow) = count.addingReportingOverflow(difference)
    return overflow ? count : max(0, sum)
  }
}
