import Foundation
import Support

/// Distributes job changes to the waiters of this process: those waiting for the end of one job, for every change of
/// one, or for any job to arrive.
///
/// A store reports every change here: its own and, if other machines share the store, theirs. It calls `publish` for a
/// job, and `announceArrivals` for jobs that can be claimed. Waiters can't tell which machine made a change.
package final class JobChanges: Sendable {
  /// A registration for the changes of one job.
  package struct Watch: Hashable, Sendable {
    let jobID: String
    let number: UInt64
  }

  private enum Waiting {
    case notYet
    case suspended(CheckedContinuation<Job?, any Error>)
    case ended(Job)
  }

  private struct Listener {
    let continuation: AsyncStream<Job>.Continuation
    /// Progress and time of the latest change passed on, so that an older snapshot of the job never follows a newer
    /// one.
    var latest: Date?
  }

  private struct Follower {
    let isWanted: @Sendable (JobChange) -> Bool
    let continuation: AsyncStream<JobChange>.Continuation
  }

  private struct State {
    var lastNumber: UInt64 = 0
    var watches: [String: [UInt64: Waiting]] = [:]
    var listeners: [String: [UInt64: Listener]] = [:]
    var followers: [UInt64: Follower] = [:]
    var arrivals: UInt64 = 0
    var idle: [UInt64: CheckedContinuation<Bool, any Error>] = [:]
    var spuriousWakeups = 0

    mutating func nextNumber() -> UInt64 {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state = Locked(State())

  /// Creates an instance without waiters.
  package init() {}

  // MARK: The end of one job

  /// Starts watching a job. Its end is not missed from now on.
  package func watch(_ jobID: String) -> Watch {
    state.withLock { state in
      let watch = Watch(jobID: jobID, number: state.nextNumber())
      state.watches[jobID, default: [:]][watch.number] = .notYet
      return watch
    }
  }

  /// The jobs whose end is awaited.
  package var watched: Set<String> { state.withLock { Set($0.watches.keys) } }

  /// Ends a watch.
  package func unwatch(_ watch: Watch) {
    resume(watch, with: .success(nil), keeping: false)
  }

  /// Waits for the job's end and returns the job; nil at the deadline.
  package func end(of watch: Watch, until deadline: ContinuousClock.Instant) async throws -> Job? {
    let timer = Task { [weak self] in
      try await Task.sleep(until: deadline, clock: .continuous)
      self?.resume(watch, with: .success(nil), keeping: true)
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let already: Result<Job?, any Error>? = state.withLock { state in
          if case .ended(let job)? = state.watches[watch.jobID]?[watch.number] { return .success(job) }
          if Task.isCancelled { return .failure(CancellationError()) }
          if deadline <= .now { return .success(nil) }
          state.watches[watch.jobID]?[watch.number] = .suspended(continuation)
          return nil
        }
        if let already { continuation.resume(with: already) }
      }
    } onCancel: {
      resume(watch, with: .failure(CancellationError()), keeping: true)
    }
  }

  private func resume(_ watch: Watch, with result: Result<Job?, any Error>, keeping: Bool) {
    let waiting = state.withLock { state in
      let waiting = state.watches[watch.jobID]?[watch.number]
      if keeping {
        if case .suspended? = waiting { state.watches[watch.jobID]?[watch.number] = .notYet }
      } else {
        state.watches[watch.jobID]?[watch.number] = nil
        if state.watches[watch.jobID]?.isEmpty == true { state.watches[watch.jobID] = nil }
      }
      return waiting
    }
    if case .suspended(let continuation)? = waiting { continuation.resume(with: result) }
  }

  // MARK: Every change of one job

  /// Starts listening to a job's changes.
  package func listen(_ jobID: String, _ continuation: AsyncStream<Job>.Continuation) -> Watch {
    state.withLock { state in
      let watch = Watch(jobID: jobID, number: state.nextNumber())
      state.listeners[jobID, default: [:]][watch.number] = Listener(continuation: continuation)
      return watch
    }
  }

  /// Delivers the initial snapshot of the job unless a later change was delivered first.
  package func begin(_ watch: Watch, with job: Job) {
    let continuation = state.withLock { state -> AsyncStream<Job>.Continuation? in
      guard let listener = state.listeners[watch.jobID]?[watch.number], listener.latest == nil else { return nil }
      state.listeners[watch.jobID]?[watch.number]?.latest = job.updatedAt
      return listener.continuation
    }
    continuation?.yield(job)
    if job.state.isEnd { continuation?.finish() }
  }

  /// Removes a listener.
  package func unlisten(_ watch: Watch) {
    state.withLock { state in
      state.listeners[watch.jobID]?[watch.number] = nil
      if state.listeners[watch.jobID]?.isEmpty == true { state.listeners[watch.jobID] = nil }
    }
  }

  /// Whether there is a listener for changes of this job before its end.
  package func isListenedTo(_ jobID: String) -> Bool {
    state.withLock { $0.listeners[jobID] != nil || !$0.followers.isEmpty }
  }

  /// The jobs whose end or changes are awaited.
  ///
  /// A store that is notified of changes made elsewhere, or has to poll for them, looks up only these.
  package var awaited: Set<String> { state.withLock { Set($0.watches.keys).union($0.listeners.keys) } }

  /// Delivers a change to all waiters.
  package func publish(_ job: Job) {
    let (listeners, waiters) = state.withLock { state in
      var listeners: [AsyncStream<Job>.Continuation] = []
      for number in state.listeners[job.id, default: [:]].keys {
        state.listeners[job.id]?[number]?.latest = job.updatedAt
        if let listener = state.listeners[job.id]?[number] { listeners.append(listener.continuation) }
      }
      var waiters: [CheckedContinuation<Job?, any Error>] = []
      if job.state.isEnd {
        for (number, waiting) in state.watches[job.id, default: [:]] {
          if case .suspended(let continuation) = waiting { waiters.append(continuation) }
          state.watches[job.id]?[number] = .ended(job)
        }
      }
      return (listeners, waiters)
    }
    for waiter in waiters { waiter.resume(returning: job) }
    for listener in listeners {
      listener.yield(job)
      if job.state.isEnd { listener.finish() }
    }
    tellFollowers(of: .advanced(job))
  }

  // MARK: Every change of every job

  /// Number of changes buffered for a slow follower before its stream ends.
  private static let mostUntaken = 1024

  /// Delivers a change only to followers of all jobs, because waiters for a single job never wait beyond its end.
  package func tellFollowers(of change: JobChange) {
    for follower in state.withLock({ Array($0.followers.values) }) where follower.isWanted(change) {
      // A stream with a gap would look complete, so it ends instead.
      if case .dropped = follower.continuation.yield(change) { follower.continuation.finish() }
    }
  }

  /// Streams the changes of all jobs accepted by `isWanted`, starting now. The stream ends if its consumer falls too
  /// far behind.
  package func follow(_ isWanted: @escaping @Sendable (JobChange) -> Bool) -> AsyncStream<JobChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: JobChange.self, bufferingPolicy: .bufferingOldest(Self.mostUntaken))
    let number = state.withLock { state in
      let number = state.nextNumber()
      state.followers[number] = Follower(isWanted: isWanted, continuation: continuation)
      return number
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.followers[number] = nil } }
    return stream
  }

  /// Whether there are followers of all jobs.
  package var isFollowed: Bool { state.withLock { !$0.followers.isEmpty } }

  // MARK: Arrivals

  /// Number of arrivals so far.
  package var arrivals: UInt64 { state.withLock { $0.arrivals } }

  /// Wakes one idle worker for each of `count` jobs that can be claimed now. Returns the number of workers woken.
  @discardableResult
  package func announceArrivals(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    let woken = state.withLock { state in
      state.arrivals += UInt64(clamping: count)
      // The worker that has been idle longest comes first.
      let numbers = state.idle.keys.sorted().prefix(count)
      return numbers.compactMap { state.idle.removeValue(forKey: $0) }
    }
    for continuation in woken { continuation.resume(returning: true) }
    return woken.count
  }

  /// Number of times a worker was woken for a job that another worker had already claimed.
  package var spuriousWakeups: Int { state.withLock { $0.spuriousWakeups } }

  /// Counts a spurious wakeup.
  package func noteSpuriousWakeup() { state.withLock { $0.spuriousWakeups += 1 } }

  /// Waits until more jobs have arrived than `seen`; returns false at the deadline.
  package func arrival(after seen: UInt64, until deadline: ContinuousClock.Instant) async throws -> Bool {
    let number = state.withLock { $0.nextNumber() }
    let timer = Task { [weak self] in
      try await Task.sleep(until: deadline, clock: .continuous)
      self?.resumeIdle(number, with: .success(false))
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let already: Result<Bool, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.arrivals > seen { return .success(true) }
          if deadline <= .now { return .success(false) }
          state.idle[number] = continuation
          return nil
        }
        if let already { continuation.resume(with: already) }
      }
    } onCancel: {
      resumeIdle(number, with: .failure(CancellationError()))
    }
  }

  /// Ends the waits of all idle workers, as at their deadlines.
  package func endIdleWaits() {
    let waiting = state.withLock { state in
      defer { state.idle = [:] }
      return Array(state.idle.values)
    }
    for continuation in waiting { continuation.resume(returning: false) }
  }

  private func resumeIdle(_ number: UInt64, with result: Result<Bool, any Error>) {
    let continuation = state.withLock { $0.idle.removeValue(forKey: number) }
    continuation?.resume(with: result)
  }
}
