import Foundation
import JobStore

/// What those who follow all jobs have been told of jobs of other machines, so that each look tells only what is new.
struct Followed {
  /// A transaction that ends a job may commit so many microseconds after its date.
  private static let longestCommit: Int64 = 30_000_000
  /// Microseconds that the first look goes back: what was committed while following began.
  static let firstLook: Int64 = 3_000_000

  /// From when on ends are looked for; nil before the first look.
  private(set) var since: Int64?
  private var told: Set<String> = []
  private var progress: [String: Date] = [:]

  /// Notes ends that were told. Before the first look there is nobody to tell.
  mutating func note(told ids: [String]) {
    if since != nil { told.formUnion(ids) }
  }

  /// Forgets ends that could not be told.
  mutating func forget(_ ids: [String]) { told.subtract(ids) }

  /// Takes a look: `ended` since the date, and `held` by others. Returns the ends and the jobs that are new.
  mutating func note(ended: Set<String>, held: [Job], at now: Int64) -> (ended: [String], changed: [Job]) {
    let new = ended.subtracting(told)
    let changed = held.filter { progress[$0.id] != $0.updatedAt }
    // What has left the window is never found again.
    told = ended
    progress = Dictionary(held.map { ($0.id, $0.updatedAt) }) { $1 }
    since = max(since ?? now - Self.firstLook, now - Self.longestCommit)
    return (Array(new), changed)
  }
}
