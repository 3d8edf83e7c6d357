import JobStore
import Support

/// The ended jobs that were asked for lately. Nothing changes them any more until they are deleted, so that a client who
/// asks again costs no look into the database.
final class EndedJobs: Sendable {
  /// Half as many as are kept: some megabytes.
  static let half = 1_024

  private struct State {
    var recent: [String: Job] = [:]
    /// What was recent before the latest change of guard; what is asked for again goes back among the recent.
    var earlier: [String: Job] = [:]
    /// Counts deletions, so that a look which began before one brings nothing back.
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

  /// The job where it is known, and the number of deletions so far, which `keep` is to be told.
  func job(_ id: String) -> (job: Job?, deletions: UInt64) {
    state.withLock { state in
      if let job = state.recent[id] { return (job, state.deletions) }
      guard let job = state.earlier.removeValue(forKey: id) else { return (nil, state.deletions) }
      state.put(job)
      return (job, state.deletions)
    }
  }

  /// Keeps a job, if it has ended, that was looked up after so many deletions.
  func keep(_ job: Job, deletions: UInt64) {
    guard job.state.isEnd else { return }
    state.withLock { state in
      if state.deletions == deletions { state.put(job) }
    }
  }

  /// Forgets jobs whose deletion has been committed.
  func forget(_ ids: some Sequence<String>) {
    state.withLock { state in
      state.deletions += 1
      for id in ids {
        state.recent[id] = nil
        state.earlier[id] = nil
      }
    }
  }
}
