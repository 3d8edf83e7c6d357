import GRDB
import JobStore
import SQLStore
import Support

// Rescues the jobs of workers that are gone: returns them to the queue, or fails them.

extension SQLiteJobStore {
  /// See `JobStore`. On a server, jobs held by another instance are rescued immediately, because that process is gone.
  ///
  /// Their reading does not count as an attempt (see `LeaseExpiry`).
  @discardableResult
  public func rescueExpired(maxAttempts: Int) async throws -> [String] {
    let (boot, tick, now) = (clock.boot, clock.tick(), clock.now().microseconds)
    let (holder, isServer) = (holder, options.isServer)
    let jobs = try await changing { database in
      try Self.rescueAbandoned(by: holder, isServer: isServer, boot: boot, tick: tick, now: now, in: database)
        + Self.rescueExpired(maxAttempts: maxAttempts, boot: boot, tick: tick, now: now, in: database)
    }
    if !jobs.isEmpty { FaultPoint.rescued.reached() }
    for job in jobs { changes.publish(job) }
    changes.announceArrivals(jobs.count { $0.state == .queued })
    return jobs.map(\.id)
  }
}

// MARK: - Statements

extension SQLiteJobStore {
  /// Returns the jobs of dead processes to the queue.
  package static let rescueAbandonedStatement = """
    UPDATE jobs INDEXED BY jobs_held SET state = 'queued', message = :message, updated_at = max(updated_at, :now),
      attempts = max(0, attempts - 1), abandonments = abandonments + 1, boot = :boot,
      token = NULL, holder = NULL, lease_tick = NULL
    WHERE state = 'processing' AND holder IS NOT :holder
    RETURNING seq, abandonments
    """

  /// Returns jobs whose lease expired to the queue, or fails them.
  package static let rescueExpiredStatement = """
    UPDATE jobs INDEXED BY jobs_held SET
      state = iif(attempts >= :maxAttempts, 'failed', 'queued'),
      message = iif(attempts >= :maxAttempts, :failedMessage, :message),
      progress = iif(attempts >= :maxAttempts, 100, progress),
      error_code = iif(attempts >= :maxAttempts, :code, NULL),
      error_detail = iif(attempts >= :maxAttempts, :failedMessage, NULL),
      ended_at = iif(attempts >= :maxAttempts, :now, NULL),
      updated_at = max(updated_at, :now), token = NULL, holder = NULL, lease_tick = NULL, due_tick = NULL
    WHERE state = 'processing' AND (lease_tick <= :tick OR boot IS NOT :boot)
    RETURNING \(Job.columns)
    """

  static func rescueAbandoned(
    by holder: String, isServer: Bool, boot: String, tick: Int64, now: Int64, in database: Database
  ) throws -> [Job] {
    guard isServer else { return [] }
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: rescueAbandonedStatement),
      arguments: ["message": JobMessage.rescued, "now": now, "boot": boot, "holder": holder])
    if !rows.isEmpty { FaultPoint.reclaiming.reached() }
    return try rows.compactMap { row in
      let (seq, abandonments): (Int64, Int) = (row["seq"], row["abandonments"])
      return try settleAbandoned(seq, after: abandonments, tick: tick, now: now, in: database)
    }
  }

  private static func settleAbandoned(
    _ seq: Int64, after abandonments: Int, tick: Int64, now: Int64, in database: Database
  ) throws -> Job? {
    if abandonments >= LeaseExpiry.most {
      let failure = JobError.attemptsUsedUp
      let statement = try database.cachedStatement(
        sql: """
          UPDATE jobs SET state = 'failed', progress = 100, message = ?, error_code = ?, error_detail = ?, ended_at = ?
          WHERE seq = ? RETURNING \(Job.columns)
          """)
      let row = try Row.fetchOne(
        statement, arguments: [failure.detail, failure.code.rawValue, failure.detail, now, seq])
      FaultPoint.givingUp.reached()
      return try row.map(Job.init(row:))
    }
    let delay = LeaseExpiry.delay(after: abandonments)
    let statement = try database.cachedStatement(
      sql: "UPDATE jobs SET due_tick = ? WHERE seq = ? RETURNING \(Job.columns)")
    return try Row.fetchOne(statement, arguments: [delay > 0 ? tick + delay.microseconds : nil, seq])
      .map(Job.init(row:))
  }

  static func rescueExpired(
    maxAttempts: Int, boot: String, tick: Int64, now: Int64, in database: Database
  ) throws -> [Job] {
    let failure = JobError.attemptsUsedUp
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: rescueExpiredStatement),
      arguments: [
        "maxAttempts": maxAttempts, "failedMessage": failure.detail, "code": failure.code.rawValue,
        "message": JobMessage.rescued, "now": now, "tick": tick, "boot": boot,
      ])
    if !rows.isEmpty { FaultPoint.rescuing.reached() }
    return try rows.map(Job.init(row:))
  }
}
