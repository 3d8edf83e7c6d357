import Foundation
import JobStore
import PostgresClient
import SQLStore
import ScanModel
import Support

// Claiming, extending and giving back jobs. `PostgresEnding.swift` has their ends.

extension PostgresStore {
  /// See `JobStore`. After a claim whose result was lost, looks for that claim first, because its job would otherwise
  /// wait for the lease to expire.
  public func claimNext(worker: String, lease: TimeInterval) async throws -> ClaimedJob? {
    if let claimed = try await recallClaim(lease: lease) { return claimed }
    let (token, holder) = (UUID().uuidString.lowercased(), holder)
    let job = try await mapped {
      do {
        return try await self.pool.withConnection { connection in
          try connection.run(
            Self.claimStatement,
            [
              .text(token), .text(worker), .text(holder), .integer(lease.microseconds), .text(JobMessage.processing),
            ], changes: true
          ).first.map(Job.init(row:))
        }
      } catch let error as PostgresError where error.isOutcomeUnknown {
        // The database may still complete the statement until the statement timeout.
        let open = UnansweredClaim(token: token, until: .now + self.options.statementTimeout)
        self.unansweredClaims.withLock { $0.append(open) }
        throw error
      }
    }
    return job.map { claimed($0, token: token) }
  }

  /// Returns the job of a claim whose result was lost, if the claim was made and still holds.
  private func recallClaim(lease: TimeInterval) async throws -> ClaimedJob? {
    let open = unansweredClaims.withLock { claims in
      defer { claims = [] }
      return claims
    }
    for (index, claim) in open.enumerated() {
      let isLastLook = claim.until < .now
      do {
        let job = try await repeating { connection in
          try connection.run(Self.recallStatement, [.text(claim.token), .integer(lease.microseconds)]).first
            .map(Job.init(row:))
        }
        if let job {
          unansweredClaims.withLock { $0 += open[(index + 1)...] }
          return claimed(job, token: claim.token)
        }
        if !isLastLook { unansweredClaims.withLock { $0.append(claim) } }
      } catch {
        unansweredClaims.withLock { $0 += open[index...] }
        throw error
      }
    }
    return nil
  }

  private func claimed(_ job: Job, token: String) -> ClaimedJob {
    FaultPoint.claimed.reached()
    waiting.change(by: -1, priority: job.priority)
    changes.publish(job)
    return ClaimedJob(claim: Claim(jobID: job.id, token: token), job: job)
  }

  /// See `JobStore`.
  public func heartbeat(_ claim: Claim, lease: TimeInterval, progress: ReadProgress?) async throws {
    let job = try await repeating { connection in
      try connection.run(
        """
        UPDATE jobs SET lease_until = store_now() + $3, message = coalesce($5, message),
          progress = greatest(progress, coalesce($4::int, 0)), updated_at = greatest(updated_at, store_now())
        WHERE \(Self.isHeld) RETURNING \(Job.columns)
        """,
        [
          .text(claim.jobID), .text(claim.token), .integer(lease.microseconds),
          PostgresValue(progress.map { Int64(advanced(0, to: $0.fraction)) }), PostgresValue(progress?.message),
        ]
      ).first.map(Job.init(row:))
    }
    guard let job else { throw StoreError.claimLost(jobID: claim.jobID) }
    FaultPoint.extended.reached()
    changes.publish(job)
  }

  /// See `JobStore`.
  public func giveBack(_ claim: Claim, delay: TimeInterval, countsAsAttempt: Bool) async throws {
    let job = try await repeating { connection in
      try connection.run(
        """
        UPDATE jobs SET state = 'queued', message = $3, attempts = greatest(0, attempts - $4::int),
          due_at = CASE WHEN $5::bigint > 0 THEN store_now() + $5 END, updated_at = greatest(updated_at, store_now()),
          token = NULL, holder = NULL, lease_until = NULL
        WHERE \(Self.isHeld) RETURNING \(Job.columns)
        """,
        [
          .text(claim.jobID), .text(claim.token),
          .text(countsAsAttempt ? JobMessage.givenBack : JobMessage.queued), .init(countsAsAttempt ? 0 : 1),
          .integer(delay.microseconds),
        ]
      ).first.map(Job.init(row:))
    }
    guard let job else { throw StoreError.claimLost(jobID: claim.jobID) }
    (countsAsAttempt ? FaultPoint.retried : .givenBack).reached()
    waiting.change(by: 1, priority: job.priority)
    changes.publish(job)
    if delay <= 0 { feed.announceArrivals(1) }
  }
}

// MARK: - Statements

extension PostgresStore {
  /// The condition that the claim's id and token, `$1` and `$2`, hold the job.
  static let isHeld = "id = $1 AND token = $2 AND state = 'processing'"

  /// Claims the next job: highest priority, then the oldest one due that nobody else is claiming.
  package static let claimStatement = """
    WITH next AS MATERIALIZED (
      SELECT seq FROM jobs WHERE state = 'queued' AND (due_at IS NULL OR due_at <= store_now())
      ORDER BY priority DESC, seq LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE jobs SET state = 'processing', token = $1, worker = $2, holder = $3, lease_until = store_now() + $4,
      due_at = NULL, attempts = attempts + 1, started_at = store_now(),
      updated_at = greatest(updated_at, store_now()), message = $5
    FROM next WHERE jobs.seq = next.seq
    RETURNING \(Job.qualifiedColumns)
    """

  /// Extends the claim with this token, if it was made.
  package static let recallStatement = """
    UPDATE jobs SET lease_until = store_now() + $2 WHERE token = $1 AND state = 'processing' RETURNING \(Job.columns)
    """
}

/// A claim whose result was lost.
struct UnansweredClaim: Sendable {
  let token: String
  /// After this time the claim is either visible or was never made.
  let until: ContinuousClock.Instant
}
