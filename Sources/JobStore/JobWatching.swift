import Foundation

/// A change of any job, for followers of all jobs.
public enum JobChange: Sendable, Equatable {
  /// The job was claimed, advanced or ended.
  case advanced(Job)
  /// After its end, a person confirmed, corrected or reviewed the job's photo, or deleted its saved serial.
  case changed(Job)
  /// The job was deleted.
  case deleted(DeletedJob)

  /// The job's id.
  public var jobID: String {
    switch self {
    case .advanced(let job), .changed(let job): job.id
    case .deleted(let job): job.id
    }
  }

  /// The key that sent the photo.
  public var keyID: String? {
    switch self {
    case .advanced(let job), .changed(let job): job.request.origin.keyID
    case .deleted(let job): job.keyID
    }
  }

  /// The batch that the photo belongs to.
  public var batchID: String? {
    switch self {
    case .advanced(let job), .changed(let job): job.request.batchID
    case .deleted(let job): job.batchID
    }
  }
}

/// The remaining information about a deleted job.
public struct DeletedJob: Codable, Sendable, Equatable {
  /// The job's id.
  public var id: String
  /// The key that sent its photo.
  public var keyID: String?
  /// The batch that its photo belonged to.
  public var batchID: String?

  /// Creates the description of a deleted job.
  public init(id: String, keyID: String?, batchID: String?) {
    (self.id, self.keyID, self.batchID) = (id, keyID, batchID)
  }

  package init(_ job: Job) { self.init(id: job.id, keyID: job.request.origin.keyID, batchID: job.request.batchID) }
}

/// Waits for jobs and their changes without polling the database.
///
/// A store reports changes regardless of which machine made them; see `JobChanges`.
public protocol JobWatching: JobStore {
  /// Waits for a job's end. Returns the job as it is at `deadline` if it has not ended; nil if it does not exist.
  ///
  /// A waiting call costs a few hundred bytes and no reads. Throws `CancellationError` if the task is cancelled.
  func waitForEnd(id: String, until deadline: ContinuousClock.Instant) async throws -> Job?

  /// Streams the job: its current state, then every change until its end. Empty if the job does not exist.
  ///
  /// Only the latest change is buffered for a slow consumer.
  func changes(of id: String) async throws -> AsyncStream<Job>

  /// Streams changes of all jobs accepted by `isWanted`, starting now, from every machine.
  ///
  /// The stream ends if its consumer falls too far behind.
  func changes(where isWanted: @escaping @Sendable (JobChange) -> Bool) -> AsyncStream<JobChange>

  /// Claims the next job like `claimNext(worker:lease:)`; waits up to `timeout` for one if none is due.
  func claimNext(worker: String, lease: TimeInterval, waiting timeout: Duration) async throws -> ClaimedJob?

  /// Makes every idle worker's `claimNext(worker:lease:waiting:)` return nil at once, because the workers stop.
  func endIdleWaits()
}

extension JobWatching {
  /// Waits up to `timeout` for a job's end; see `waitForEnd(id:until:)`.
  public func waitForEnd(id: String, timeout: Duration) async throws -> Job? {
    try await waitForEnd(id: id, until: .now + timeout)
  }
}

/// A store that reports its changes through a `JobChanges`, as all implementations do.
package protocol ChangeAnnouncing: JobWatching {
  /// The waiters of this process.
  var changes: JobChanges { get }

  /// Called before a client waits for the end of a job.
  func willWait(for job: Job) async throws
}

extension ChangeAnnouncing {
  /// Does nothing, because no other process has clients that wait.
  package func willWait(for job: Job) async throws {}

  /// See `JobWatching`.
  public func waitForEnd(id: String, until deadline: ContinuousClock.Instant) async throws -> Job? {
    // Start watching before reading the job, so that an end in between is not missed.
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
  public func changes(where isWanted: @escaping @Sendable (JobChange) -> Bool) -> AsyncStream<JobChange> {
    changes.follow(isWanted)
  }

  /// See `JobWatching`.
  public func endIdleWaits() { changes.endIdleWaits() }

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
