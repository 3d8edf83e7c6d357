import Foundation

/// Waiting for jobs and for their changes without asking the database again and again.
///
/// A store makes changes known wherever they are made; see `JobChanges`.
public protocol JobWatching: JobStore {
  /// The job once it has ended, or as it stands at `deadline`; nil where there is no such job. A waiting call costs
  /// a few hundred bytes and no reads. Throws `CancellationError` where the task is cancelled.
  func waitForEnd(id: String, until deadline: ContinuousClock.Instant) async throws -> Job?

  /// The job as it stands, then after each change, until it has ended; only the latest change is kept for a slow
  /// consumer. Empty where there is no such job.
  func changes(of id: String) async throws -> AsyncStream<Job>

  /// The changes of all jobs that `isWanted` admits, from now on: claims, progress, ends, wherever they are made.
  /// The stream ends if its consumer falls too far behind.
  func changes(where isWanted: @escaping @Sendable (Job) -> Bool) -> AsyncStream<Job>

  /// Claims the next job like `claimNext(worker:lease:)`, and waits up to `timeout` for one where none is due.
  func claimNext(worker: String, lease: TimeInterval, waiting timeout: Duration) async throws -> ClaimedJob?
}

extension JobWatching {
  /// Waits for a job's end up to `timeout` from now; see `waitForEnd(id:until:)`.
  public func waitForEnd(id: String, timeout: Duration) async throws -> Job? {
    try await waitForEnd(id: id, until: .now + timeout)
  }
}

/// A store that knows its changes from a `JobChanges`, as all of them do.
package protocol ChangeAnnouncing: JobWatching {
  /// Who waits within this process.
  var changes: JobChanges { get }

  /// Called before a client waits for the end of a job.
  func willWait(for job: Job) async throws
}

extension ChangeAnnouncing {
  /// Nothing: there is no other process whose clients could wait.
  package func willWait(for job: Job) async throws {}

  /// See `JobWatching`.
  public func waitForEnd(id: String, until deadline: ContinuousClock.Instant) async throws -> Job? {
    // Watching begins before the look at the job, so that no end falls in between.
    let watch = changes.watch(id)
    defer { changes.unwatch(watch) }
    guard let job = try await job(id: id) else { return nil }
    if job.state.isEnd { return job }
    try await willWait(for: job)
    if let ended = try await changes.end(of: watch, until: deadline) { return ended }
    return try await self.job(id: id)
  }

  /// See `JobWatching`.
  public func changes(of id: String) async throws -> AsyncStream<Job> {
    let (stream, continuation) = AsyncStream.makeStream(of: Job.self, bufferingPolicy: .bufferingNewest(1))
    let listener = changes.listen(id, continuation)
    continuation.onTermination = { [changes] _ in changes.unlisten(listener) }
    do {
      guard let job = try await job(id: id) else {
        continuation.finish()
        return stream
      }
      changes.begin(listener, with: job)
      return stream
    } catch {
      continuation.finish()
      throw error
    }
  }

  /// See `JobWatching`.
  public func changes(where isWanted: @escaping @Sendable (Job) -> Bool) -> AsyncStream<Job> {
    changes.follow(isWanted)
  }

  /// See `JobWatching`.
  public func claimNext(worker: String, lease: TimeInterval, waiting timeout: Duration) async throws -> ClaimedJob? {
    let deadline = ContinuousClock.now + timeout
    var wasWoken = false
    while true {
      let seen = changes.arrivals
      if let claimed = try await claimNext(worker: worker, lease: lease) { return claimed }
      if wasWoken { changes.noteSpuriousWakeup() }
      wasWoken = true
      guard try await changes.arrival(after: seen, until: deadline) else { return nil }
    }
  }
}
