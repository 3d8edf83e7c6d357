import JobStore
import Support

/// A cache of recently requested ended jobs.
///
/// They never change until they are deleted, so repeated requests need no database access.
final class EndedJobs: Sendable {
  /// Half the number of cached jobs, which take a few megabytes in total.
  static let half = 1_024

  private struct State {
    var recent: [String: Job] = [:]
    /// The older half. A job requested again moves back to the recent half.
    var earlier: [String: Job] = [:]
    /// Counts deletions, so that a lookup started before a deletion does not restore the job.
    var deletions: UInt64 = 0

    mutating func put(_ job: Job) {
      if recent.count >= EndedJobs.half {
        earlier = recent
        recent = [:]
      }
      recent[job.id] = job
    }
  }

  private let state = Locked(State())

  /// Returns the job if it is cached, and the number of deletions so far, to be passed to `keep`.
  func job(_ id: String) -> (job: Job?, deletions: UInt64) {
    state.withLock { state in
      if let job = state.recent[id] { return (job, state.deletions) }
      guard let job = state.earlier.removeValue(forKey: id) else { return (nil, state.deletions) }
      state.put(job)
      return (job, state.deletions)
    }
  }

  /// Caches an ended job, unless jobs were deleted since it was looked up.
  func keep(_ job: Job, deletions: UInt64) {
    guard job.state.isEnd else { return }
    state.withLock { state in
      if state.deletions == deletions { state.put(job) }
    }
  }

  /// Removes jobs whose deletion or change has been committed, and jobs that refer to them as the first of the same
  /// photo.
  func forget(_ ids: some Sequence<String>) {
    let gone = Set(ids)
    func isKept(_ job: Job) -> Bool { !gone.contains(job.id) && !(job.duplicateOf.map(gone.contains) ?? false) }
    state.withLock { state in
      state.deletions += 1
      state.recent = state.recent.filter { isKept($0.value) }
      state.earlier = state.earlier.filter { isKept($0.value) }
    }
  }
}
