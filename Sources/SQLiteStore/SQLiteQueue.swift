import Foundation
import GRDB
import JobStore
import SQLStore
import ScanModel
import Support

// The queue's transitions except job ends: enqueuing, claiming, extending, giving back.

extension SQLiteJobStore {
  /// See `JobStore`. The photo is durable before its row, so that no row lacks its photo.
  ///
  /// If the process dies in between, the photo belongs to no job and is deleted by `removeOrphans`.
  public func enqueue(_ job: NewJob, photo: any StagedBlob) async throws -> EnqueuedJob {
    let name = BlobName(.photo, job.request.photo)
    try await files.commit(photo, as: name)
    do {
      let enqueued = try await enqueue(job)
      if enqueued.isDuplicate { await giveUp(name) }
      return enqueued
    } catch {
      await giveUp(name)
      throw error
    }
  }

  private func enqueue(_ job: NewJob) async throws -> EnqueuedJob {
    let limits = options.limits
    let now = clock.now().microseconds
    let enqueued = try await changing { database in
      if let earlier = try Self.earlier(job, in: database) { return earlier }
      if let batch = job.request.batchID { try Self.requireOpen(batch: batch, in: database) }
      let waiting = try Self.waiting(in: database)
      guard limits.admit(priority: job.priority, beside: waiting.total) else {
        throw StoreError.queueFull(waiting: waiting.total)
      }
      try Self.insert(job, now: now, into: database)
      FaultPoint.enqueuing.reached()
      return EnqueuedJob(id: job.id, queuePosition: waiting.ahead(of: job.priority) + 1, isDuplicate: false)
    }
    guard !enqueued.isDuplicate else { return enqueued }
    FaultPoint.enqueued.reached()
    changes.announceArrivals(1)
    return enqueued
  }

  /// See `JobStore`.
  public func claimNext(worker: String, lease: TimeInterval) async throws -> ClaimedJob? {
    let token = UUID().uuidString.lowercased()
    let arguments: StatementArguments = [
      "boot": clock.boot, "tick": clock.tick(), "lease": lease.microseconds, "token": token, "worker": worker,
      "holder": holder, "now": clock.now().microseconds, "message": JobMessage.processing,
    ]
    let job = try await changing { database in
      let job = try Self.claim(arguments, in: database)
      if job != nil { FaultPoint.claiming.reached() }
      return job
    }
    guard let job else { return nil }
    FaultPoint.claimed.reached()
    changes.publish(job)
    return ClaimedJob(claim: Claim(jobID: job.id, token: token), job: job)
  }

  /// See `JobStore`.
  public func heartbeat(_ claim: Claim, lease: TimeInterval, progress: ReadProgress?) async throws {
    let (boot, tick, now) = (clock.boot, clock.tick(), clock.now().microseconds)
    let isListenedTo = changes.isListenedTo(claim.jobID)
    let job = try await changing { database -> Job? in
      let held = try Row.fetchOne(
        database.cachedStatement(sql: "SELECT progress, message FROM jobs WHERE \(Self.isHeld)"),
        arguments: [claim.jobID, claim.token])
      guard let held else { throw StoreError.claimLost(jobID: claim.jobID) }
      let before: Int = held["progress"]
      let message: String = held["message"]
      let statement = try database.cachedStatement(
        sql: """
          UPDATE jobs SET lease_tick = ?, boot = ?, progress = ?, message = ?, updated_at = max(updated_at, ?)
          WHERE \(Self.isHeld)
          """)
      try statement.execute(arguments: [
        tick + lease.microseconds, boot, progress.map { advanced(before, to: $0.fraction) } ?? before,
        progress?.message ?? message, now, claim.jobID, claim.token,
      ])
      FaultPoint.extending.reached()
      return isListenedTo ? try Self.job(id: claim.jobID, in: database) : nil
    }
    FaultPoint.extended.reached()
    if let job { changes.publish(job) }
  }

  /// See `JobStore`.
  public func giveBack(_ claim: Claim, delay: TimeInterval, countsAsAttempt: Bool) async throws {
    let (boot, due, now) = (clock.boot, clock.tick() + delay.microseconds, clock.now().microseconds)
    let job = try await changing { database in
      let statement = try database.cachedStatement(
        sql: """
          UPDATE jobs SET state = 'queued', message = ?, attempts = max(0, attempts - ?), due_tick = ?, boot = ?,
            updated_at = max(updated_at, ?), token = NULL, holder = NULL, lease_tick = NULL
          WHERE \(Self.isHeld)
          RETURNING \(Job.columns)
          """)
      let row = try Row.fetchOne(
        statement,
        arguments: [
          countsAsAttempt ? JobMessage.givenBack : JobMessage.queued, countsAsAttempt ? 0 : 1,
          delay > 0 ? due : nil, boot, now, claim.jobID, claim.token,
        ])
      guard let row else { throw StoreError.claimLost(jobID: claim.jobID) }
      (countsAsAttempt ? FaultPoint.retrying : .givingBack).reached()
      return try Job(row: row)
    }
    (countsAsAttempt ? FaultPoint.retried : .givenBack).reached()
    changes.publish(job)
    if delay <= 0 { changes.announceArrivals(1) }
  }

  /// See `JobStore`.
  public func job(id: String) async throws -> Job? {
    // Use the cache only on the server, because other programs may delete jobs.
    guard options.isServer else { return try await reading { try Self.job(id: id, in: $0) } }
    let known = ended.job(id)
    if let job = known.job { return job }
    let job = try await reading { try Self.job(id: id, in: $0) }
    if let job { ended.keep(job, deletions: known.deletions) }
    return job
  }

  /// See `JobStore`.
  public func queuePosition(of id: String) async throws -> Int? {
    try await reading { database in try Self.queuePosition(of: id, in: database) }
  }
}

// MARK: - Statements

extension SQLiteJobStore {
  /// The condition that the claim's id and token, in this order, hold the job.
  static let isHeld = "id = ? AND token = ? AND state = 'processing'"

  // `INDEXED BY`, because without statistics SQLite would use the index over all states and sort.

  /// Selects the next job: highest priority, then the oldest one due.
  package static let nextJob = """
    SELECT seq FROM jobs INDEXED BY jobs_waiting
    WHERE state = 'queued' AND (due_tick IS NULL OR due_tick <= :tick OR boot IS NOT :boot)
    ORDER BY priority DESC, seq LIMIT 1
    """

  /// Claims the next job in one statement.
  package static let claimStatement = """
    UPDATE jobs SET state = 'processing', token = :token, worker = :worker, holder = :holder, boot = :boot,
      lease_tick = :tick + :lease, due_tick = NULL, attempts = attempts + 1, started_at = :now,
      updated_at = max(updated_at, :now), message = :message
    WHERE seq = (\(nextJob)) AND state = 'queued'
    RETURNING \(Job.columns)
    """

  /// Counts the jobs that wait before a job. Parameters: its priority twice, then its number.
  package static let aheadStatement = """
    SELECT (SELECT count(*) FROM jobs INDEXED BY jobs_waiting WHERE state = 'queued' AND priority > ?)
      + (SELECT count(*) FROM jobs INDEXED BY jobs_waiting
        WHERE state = 'queued' AND priority = ? AND seq < ?)
    """

  struct Waiting {
    var byPriority: [Int: Int]
    var total: Int { byPriority.values.reduce(0, +) }
    /// Number of jobs ahead of a new job of this priority.
    func ahead(of priority: Int) -> Int {
      byPriority.reduce(0) { $0 + ($1.key >= priority ? $1.value : 0) }
    }
  }

  static func waiting(in database: Database) throws -> Waiting {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT priority, count FROM job_counts WHERE state = 'queued'"))
    return Waiting(byPriority: Dictionary(rows.map { ($0["priority"], $0["count"]) }) { $0 + $1 })
  }

  /// Returns the earlier job with the same idempotency key.
  ///
  /// A job that failed for a reason other than its photo releases its key, because the client wants the photo read.
  static func earlier(_ job: NewJob, in database: Database) throws -> EnqueuedJob? {
    guard let key = job.idempotencyKey else { return nil }
    let statement = try database.cachedStatement(
      sql: "SELECT id, photo_digest, state, error_code FROM jobs WHERE idempotency_key = ?")
    guard let row = try Row.fetchOne(statement, arguments: [key]) else { return nil }
    let id: String = row["id"]
    guard row["photo_digest"] == job.photoDigest else { throw StoreError.idempotencyConflict(jobID: id) }
    let error: String? = row["error_code"]
    if let error, ErrorCode(stored: error).isTransient {
      try database.execute(sql: "UPDATE jobs SET idempotency_key = NULL WHERE id = ?", arguments: [id])
      return nil
    }
    let state: String = row["state"]
    return EnqueuedJob(
      id: id, queuePosition: try queuePosition(of: id, in: database) ?? 0, isDuplicate: true,
      state: Job.State(rawValue: state) ?? .failed)
  }

  static func insert(_ job: NewJob, now: Int64, into database: Database) throws {
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO jobs (id, state, message, priority, created_at, updated_at, photo, photo_bytes, preset,
          device_type, persist, annotate, idempotency_key, photo_digest, filename, key_id, request_id,
          trace_id, region, multiple, callback_url, photo_hash, batch_id, min_confidence)
        VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    let request = job.request
    try statement.execute(arguments: [
      job.id, JobMessage.queued, job.priority, now, now, request.photo, request.photoBytes, request.preset?.rawValue,
      request.deviceType, request.persist, request.annotate, job.idempotencyKey,
      job.idempotencyKey == nil ? nil : job.photoDigest, request.filename, request.origin.keyID,
      request.origin.requestID, request.origin.traceID, request.part?.description, request.everySerial,
      job.callbackURL, job.photoHash, request.batchID, request.minConfidence,
    ])
  }

  static func claim(_ arguments: StatementArguments, in database: Database) throws -> Job? {
    try Row.fetchOne(database.cachedStatement(sql: claimStatement), arguments: arguments).map(Job.init(row:))
  }

  static func job(id: String, in database: Database) throws -> Job? {
    let statement = try database.cachedStatement(sql: "SELECT \(Job.columns) FROM jobs WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(Job.init(row:))
  }

  static func queuePosition(of id: String, in database: Database) throws -> Int? {
    let statement = try database.cachedStatement(
      sql: "SELECT seq, priority FROM jobs WHERE id = ? AND state = 'queued'")
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    let (seq, priority): (Int64, Int) = (row["seq"], row["priority"])
    let ahead = try Int.fetchOne(
      database.cachedStatement(sql: aheadStatement), arguments: [priority, priority, seq])
    return (ahead ?? 0) + 1
  }
}
