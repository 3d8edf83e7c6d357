import Foundation
import JobStore
import ScanModel
import Support

/// A queue in memory, for tests of what works on a queue.
///
/// It passes the conformance checks of the queue. Nothing is durable, and photos and annotations are dropped.
public final class InMemoryJobStore: ChangeAnnouncing {
  private struct Entry {
    var job: Job
    var sequence: Int
    var claim: Held?
    var dueTick: Int64?
    var startedAt: Date?
    var idempotencyKey: String?
    var photoDigest: String?
  }

  private struct Held {
    var token: String
    var worker: String
    var leaseTick: Int64
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var lastSequence = 0
    var serials: [String: [SerialRead]] = [:]
  }

  private let limits: QueueLimits
  private let clock: StoreClock
  private let state = Locked(State())
  package let changes = JobChanges()

  /// Creates an empty store.
  public init(limits: QueueLimits = .none, clock: StoreClock = .system) {
    self.limits = limits
    self.clock = clock
  }

  /// The saved serials by the job that read them.
  public var savedSerials: [String: [SerialRead]] { state.withLock { $0.serials } }

  /// See `JobStore`.
  public func enqueue(_ new: NewJob, photo: any StagedBlob) async throws -> EnqueuedJob {
    // This store keeps no photos.
    await photo.discard()
    let now = clock.now()
    let enqueued = try state.withLock { state throws(StoreError) -> EnqueuedJob in
      if let key = new.idempotencyKey, let earlier = state.entries.values.first(where: { $0.idempotencyKey == key }) {
        guard earlier.photoDigest == new.photoDigest else {
          throw .idempotencyConflict(jobID: earlier.job.id)
        }
        guard earlier.job.error?.code.isTransient == true else {
          let position = Self.position(of: earlier, in: state) ?? 0
          return EnqueuedJob(
            id: earlier.job.id, queuePosition: position, isDuplicate: true, state: earlier.job.state)
        }
        state.entries[earlier.job.id]?.idempotencyKey = nil
      }
      let waiting = state.entries.values.count { $0.job.state == .queued }
      guard limits.admit(priority: new.priority, beside: waiting) else { throw .queueFull(waiting: waiting) }
      state.lastSequence += 1
      let job = Job(
        id: new.id, state: .queued, progress: 0, message: JobMessage.queued, priority: new.priority, attempts: 0,
        createdAt: now, updatedAt: now, request: new.request, reading: nil, error: nil, savedToDatabase: false)
      let entry = Entry(
        job: job, sequence: state.lastSequence, idempotencyKey: new.idempotencyKey, photoDigest: new.photoDigest)
      state.entries[new.id] = entry
      return EnqueuedJob(id: new.id, queuePosition: Self.position(of: entry, in: state) ?? 0, isDuplicate: false)
    }
    if !enqueued.isDuplicate { changes.announceArrivals(1) }
    return enqueued
  }

  /// See `JobStore`.
  public func claimNext(worker: String, lease: TimeInterval) async throws -> ClaimedJob? {
    let (now, tick) = (clock.now(), clock.tick())
    let claimed = state.withLock { state -> ClaimedJob? in
      let due = state.entries.values.filter { $0.job.state == .queued && ($0.dueTick ?? tick) <= tick }
      guard var entry = due.min(by: { Self.goesBefore($0, $1) }) else { return nil }
      let token = UUID().uuidString.lowercased()
      entry.claim = Held(token: token, worker: worker, leaseTick: tick + lease.microseconds)
      entry.dueTick = nil
      entry.startedAt = now
      entry.job.state = .processing
      entry.job.attempts += 1
      entry.job.message = JobMessage.processing
      entry.job.updatedAt = max(entry.job.updatedAt, now)
      state.entries[entry.job.id] = entry
      return ClaimedJob(claim: Claim(jobID: entry.job.id, token: token), job: entry.job)
    }
    if let claimed { changes.publish(claimed.job) }
    return claimed
  }

  /// See `JobStore`.
  public func heartbeat(_ claim: Claim, lease: TimeInterval, progress: ReadProgress?) async throws {
    let tick = clock.tick()
    let job = try change(claim) { entry in
      entry.claim?.leaseTick = tick + lease.microseconds
      guard let progress else { return }
      entry.job.progress = advanced(entry.job.progress, to: progress.fraction)
      entry.job.message = progress.message
    }
    changes.publish(job)
  }

  /// See `JobStore`.
  @discardableResult
  public func finish(_ claim: Claim, with outcome: JobOutcome, pictures: JobPictures) async throws -> Job {
    let end = JobEnd(outcome)
    let job = try change(claim, saving: end.saved) { entry in
      entry.claim = nil
      entry.job.state = end.state
      entry.job.progress = 100
      entry.job.message = end.message
      entry.job.reading = end.reading
      entry.job.error = end.error
      entry.job.savedToDatabase = !end.saved.isEmpty
    }
    changes.publish(job)
    return job
  }

  /// See `JobStore`.
  public func giveBack(_ claim: Claim, delay: TimeInterval, countsAsAttempt: Bool) async throws {
    let tick = clock.tick()
    let job = try change(claim) { entry in
      entry.claim = nil
      entry.dueTick = delay > 0 ? tick + delay.microseconds : nil
      entry.job.state = .queued
      entry.job.message = countsAsAttempt ? JobMessage.givenBack : JobMessage.queued
      if !countsAsAttempt { entry.job.attempts = max(0, entry.job.attempts - 1) }
    }
    changes.publish(job)
    if delay <= 0 { changes.announceArrivals(1) }
  }

  /// See `JobStore`.
  @discardableResult
  public func rescueExpired(maxAttempts: Int) async throws -> [String] {
    let (now, tick) = (clock.now(), clock.tick())
    let jobs = state.withLock { state in
      let expired = state.entries.values.filter { entry in entry.claim.map { $0.leaseTick <= tick } ?? false }
      return expired.map { expired in
        var entry = expired
        entry.claim = nil
        entry.job.updatedAt = max(entry.job.updatedAt, now)
        if entry.job.attempts >= maxAttempts {
          entry.job.state = .failed
          entry.job.progress = 100
          entry.job.error = .attemptsUsedUp
          entry.job.message = JobError.attemptsUsedUp.detail
        } else {
          entry.job.state = .queued
          entry.job.message = JobMessage.rescued
        }
        state.entries[entry.job.id] = entry
        return entry.job
      }
    }
    for job in jobs { changes.publish(job) }
    changes.announceArrivals(jobs.count { $0.state == .queued })
    return jobs.map(\.id)
  }

  /// See `JobStore`.
  public func job(id: String) async throws -> Job? {
    state.withLock { $0.entries[id]?.job }
  }

  /// See `JobStore`.
  public func queuePosition(of id: String) async throws -> Int? {
    state.withLock { state in state.entries[id].flatMap { Self.position(of: $0, in: state) } }
  }

  /// Changes the job that the claim holds, or throws `claimLost`.
  private func change(
    _ claim: Claim, saving saved: [SerialRead] = [], _ body: (inout Entry) -> Void
  ) throws -> Job {
    let now = clock.now()
    return try state.withLock { state in
      guard var entry = state.entries[claim.jobID], entry.claim?.token == claim.token else {
        throw StoreError.claimLost(jobID: claim.jobID)
      }
      body(&entry)
      entry.job.updatedAt = max(entry.job.updatedAt, now)
      state.entries[claim.jobID] = entry
      if !saved.isEmpty { state.serials[claim.jobID] = saved }
      return entry.job
    }
  }

  private static func goesBefore(_ one: Entry, _ other: Entry) -> Bool {
    (-one.job.priority, one.sequence) < (-other.job.priority, other.sequence)
  }

  private static func position(of entry: Entry, in state: State) -> Int? {
    guard entry.job.state == .queued else { return nil }
    return 1 + state.entries.values.count { $0.job.state == .queued && goesBefore($0, entry) }
  }
}
