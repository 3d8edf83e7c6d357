import Support

/// How many jobs waited a moment ago, with what this opening has changed since.
///
/// A count of what waits takes as long as the queue is: not every upload makes one. What other machines store or claim
/// between two counts is not in it.
package final class WaitingCounts: Sendable {
  /// What an upload of one priority wants to know.
  private struct Count {
    var total: Int
    /// Those of the same priority or a higher one.
    var ahead: Int
    let at: ContinuousClock.Instant
    /// Somebody counts anew.
    var isBeingRenewed = false
  }

  /// A count is made anew after this time.
  private static let freshness = Duration.milliseconds(100)
  /// A count that nobody has made anew until then is used no more.
  private static let usefulness = Duration.seconds(1)
  /// Places left from which on every upload counts: more than one database takes in between two counts.
  private static let leastRoom: Int64 = 256

  private let counts = Locked<[Int: Count]>([:])

  /// Knows nothing yet.
  package init() {}

  /// Takes a place for a job, and says how many are ahead of it. Nil where that has to be counted: now and then, and
  /// always where the queue is nearly full.
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

  /// Remembers what was counted, with the job that was stored thereby.
  package func renew(priority: Int, total: Int, ahead: Int, now: ContinuousClock.Instant = .now) {
    counts.withLock { counts in
      counts = counts.filter { now - $0.value.at < Self.usefulness }
      counts[priority] = Count(total: total, ahead: ahead, at: now)
      Self.change(&counts, by: 1, priority: priority)
    }
  }

  /// One more waits, or one less.
  package func change(by difference: Int, priority: Int) {
    counts.withLock { Self.change(&$0, by: difference, priority: priority) }
  }

  /// Has the next upload count.
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
