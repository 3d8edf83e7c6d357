import Foundation
import JobStore
import PostgresClient
import SQLStore
import Support

// Rescues jobs whose worker or whole server is gone.

extension PostgresStore {
  /// Seconds without a heartbeat after which a server counts as dead: three heartbeats. With a check every second, its
  /// jobs are back in the queue within five seconds of its death.
  package static let silence: TimeInterval = 3

  /// See `JobStore`. Jobs of servers without heartbeats are rescued without waiting for their leases, and that reading
  /// does not count as an attempt (see `LeaseExpiry`).
  ///
  /// An instance with a gap in its own heartbeats, as after an outage of the database, rescues none of them yet,
  /// because all others would look dead to it.
  @discardableResult
  public func rescueExpired(maxAttempts: Int) async throws -> [String] {
    let holder = holder
    let jobs = try await changing { connection -> [Job] in
      let row = try connection.run(
        """
        SELECT coalesce((SELECT since < store_now() - $2 AND beat_at >= store_now() - $2 FROM servers WHERE id = $1),
          false) AS may
        """, [.text(holder), .integer(Self.silence.microseconds)]
      ).first
      guard try row?.flag("may") == true else { return [] }
      return try Self.rescueAbandoned(in: connection) + Self.rescueLate(maxAttempts: maxAttempts, in: connection)
    }
    if !jobs.isEmpty {
      waiting.forget()
      FaultPoint.rescued.reached()
    }
    for job in jobs { job.state.isEnd ? tellEnd(of: job) : changes.publish(job) }
    feed.announceArrivals(jobs.count { $0.state == .queued })
    return jobs.map(\.id)
  }

  private static func rescueAbandoned(in connection: PostgresConnection) throws -> [Job] {
    let left = try connection.run(
      """
      WITH gone AS MATERIALIZED (
        SELECT seq FROM jobs WHERE state = 'processing' AND NOT EXISTS (
          SELECT 1 FROM servers WHERE servers.id = jobs.holder AND beat_at >= store_now() - $2)
        FOR UPDATE SKIP LOCKED)
      UPDATE jobs SET state = 'queued', message = $1, updated_at = greatest(updated_at, store_now()),
        attempts = greatest(0, attempts - 1), abandonments = abandonments + 1,
        token = NULL, holder = NULL, lease_until = NULL
      FROM gone WHERE jobs.seq = gone.seq RETURNING jobs.seq AS number, jobs.abandonments AS times
      """, [.text(JobMessage.rescued), .integer(silence.microseconds)])
    if left.count > 0 { FaultPoint.reclaiming.reached() }
    return try left.rows.compactMap { row in
      try settle(number: try row.integer("number"), after: try row.count("times"), in: connection)
    }
  }

  private static func settle(number: Int64, after times: Int, in connection: PostgresConnection) throws -> Job? {
    if times >= LeaseExpiry.most {
      let failure = JobError.attemptsUsedUp
      return try connection.run(
        """
        UPDATE jobs SET state = 'failed', progress = 100, message = $2, error_code = $3, error_detail = $2,
          verdict = 'refused', ended_at = store_now() WHERE seq = $1 RETURNING \(Job.columns)
        """, [.integer(number), .text(failure.detail), .text(failure.code.rawValue)]
      ).first.map(Job.init(row:))
    }
    return try connection.run(
      """
      UPDATE jobs SET due_at = CASE WHEN $2::bigint > 0 THEN store_now() + $2 END WHERE seq = $1
      RETURNING \(Job.columns)
      """, [.integer(number), .integer(LeaseExpiry.delay(after: times).microseconds)]
    ).first.map(Job.init(row:))
  }

  private static func rescueLate(maxAttempts: Int, in connection: PostgresConnection) throws -> [Job] {
    let failure = JobError.attemptsUsedUp
    let rescued = try connection.run(
      """
      WITH late AS MATERIALIZED (
        SELECT seq, attempts >= $1::int AS is_last FROM jobs WHERE state = 'processing' AND lease_until <= store_now()
        FOR UPDATE SKIP LOCKED)
      UPDATE jobs SET
        state = CASE WHEN is_last THEN 'failed' ELSE 'queued' END,
        message = CASE WHEN is_last THEN $2 ELSE $3 END,
        progress = CASE WHEN is_last THEN 100 ELSE progress END,
        error_code = CASE WHEN is_last THEN $4 END,
        error_detail = CASE WHEN is_last THEN $2 END,
        ended_at = CASE WHEN is_last THEN store_now() END,
        verdict = CASE WHEN is_last THEN 'refused' END,
        updated_at = greatest(updated_at, store_now()), token = NULL, holder = NULL, lease_until = NULL, due_at = NULL
      FROM late WHERE jobs.seq = late.seq RETURNING \(Job.qualifiedColumns)
      """, [.init(maxAttempts), .text(failure.detail), .text(JobMessage.rescued), .text(failure.code.rawValue)])
    if rescued.count > 0 { FaultPoint.rescuing.reached() }
    return try rescued.rows.map(Job.init(row:))
  }
}
