import Foundation
import JobStore

/// The changes of other machines' jobs already reported to followers of all jobs, so that each poll reports only new
/// ones.
struct Followed {
  /// Maximum microseconds between the date of a job's end and its commit.
  private static let longestCommit: Int64 = 30_000_000
  /// Microseconds that the first poll looks back, for changes committed while following began.
  static let firstLook: Int64 = 3_000_000

  /// The time from which ends are searched; nil before the first poll.
  private(set) var since: Int64?
  private var told: Set<String> = []
  private var progress: [String: Date] = [:]

  /// Records reported ends. Before the first poll there are no followers to report to.
  mutating func note(told ids: [String]) {
    if since != nil { told.formUnion(ids) }
  }

  /// Forgets ends that could not be reported.
  mutating func forget(_ ids: [String]) { told.subtract(ids) }

  /// Records a poll's results: `ended` since the time, and `held` by others. Returns the new ends and changed jobs.
  mutating func note(ended: Set<String>, held: [Job], at now: Int64) -> (ended: [String], changed: [Job]) {
    let new = ended.subtracting(told)
    let changed = held.filter { progress[$0.id] != $0.updatedAt }
    // Ends outside the window are never found again.
    told = ended
    progress = Dictionary(held.map { ($0.id, $0.updatedAt) }) { $1 }
    since = max(since ?? now - Self.firstLook, now - Self.longestCommit)
    return (Array(new), changed)
  }
}
