import Foundation
import JobStore
import PostgresClient

extension PostgresStore: WebhookStore {
  /// See `WebhookStore`. Webhooks of a server without heartbeats are due immediately. An instance with gaps in its own
  /// heartbeats does not judge others.
  public func claimWebhooks(limit: Int, lease: TimeInterval) async throws -> [ClaimedWebhook] {
    let (token, holder) = (UUID().uuidString.lowercased(), holder)
    return try await write { connection in
      try connection.run(Self.reclaimWebhooks, [.text(holder), .integer(Self.silence.microseconds)])
      return try connection.run(
        Self.claimWebhooks, [.text(token), .text(holder), .integer(lease.microseconds), .init(limit)]
      ).rows.map { ClaimedWebhook(webhook: try Webhook(row: $0), token: token) }
    }
  }

  /// See `WebhookStore`.
  public func endWebhook(_ claim: ClaimedWebhook, with outcome: WebhookOutcome) async throws {
    let id = claim.webhook.jobID
    var values: [PostgresValue] = [.text(id), .text(claim.token)]
    let changes: String
    switch outcome {
    case .delivered(let status):
      changes = "state = 'delivered', status = $3::int, error = NULL"
      values.append(.init(status))
    case .failed(let failure, let delay, let period):
      changes = """
        state = CASE WHEN store_now() >= begun_at + $6::bigint THEN 'failed' ELSE 'waiting' END, status = $3::int,
        error = $4, due_at = least(store_now() + $5::bigint, begun_at + $6::bigint)
        """
      values += [
        PostgresValue(failure.status.map { Int64(clamping: $0) }), .text(failure.reason), .integer(delay.microseconds),
        .integer(period.microseconds),
      ]
    case .refused(let failure):
      changes = "state = 'failed', status = $3::int, error = $4"
      values += [PostgresValue(failure.status.map { Int64(clamping: $0) }), .text(failure.reason)]
    case .interrupted:
      changes = "due_at = store_now(), attempts = greatest(0, attempts - 1)"
    }
    let parameters = values
    let isChanged = try await repeatable { connection in
      try connection.run(
        """
        UPDATE webhooks SET \(changes), token = NULL, holder = NULL, updated_at = greatest(updated_at, store_now())
        WHERE job_id = $1 AND token = $2
        """, parameters
      ).changed > 0
    }
    guard isChanged else { throw StoreError.claimLost(jobID: id) }
  }

  /// See `WebhookStore`.
  public func webhook(jobID: String) async throws -> Webhook? {
    guard !jobID.utf8.contains(0) else { return nil }
    return try await repeatable { connection in
      try connection.run("SELECT * FROM webhooks WHERE job_id = $1", [.text(jobID)]).first.map(Webhook.init(row:))
    }
  }

  /// See `WebhookStore`.
  public func webhooks(_ filter: WebhookFilter, limit: Int, cursor: String?) async throws -> Page<Webhook> {
    let order = "webhooks"
    let before = try cursor.map { try Cursor($0, order: order).number } ?? Int64.max
    let conditions = [("state", filter.state?.rawValue), ("key_id", filter.keyID)].filter { $0.1 != nil }
    let clauses = conditions.enumerated().map { " AND \($1.0) = $\($0 + 3)" }.joined()
    let sql = "SELECT * FROM webhooks WHERE seq < $1\(clauses) ORDER BY seq DESC LIMIT $2"
    let parameters = [.integer(before), .init(limit + 1)] + conditions.map { PostgresValue($0.1) }
    let (webhooks, last) = try await repeatable { connection -> ([Webhook], Int64?) in
      let rows = try connection.run(sql, parameters).rows
      let shown = rows.prefix(limit)
      let last = rows.count > limit ? try shown.last.map { try $0.integer("seq") } : nil
      return (try shown.map(Webhook.init(row:)), last)
    }
    return Page(items: webhooks, nextCursor: last.map { Cursor(value: .integer($0), number: $0, order: order).text })
  }

  /// See `WebhookStore`.
  public func retryWebhook(jobID: String) async throws -> Webhook? {
    guard !jobID.utf8.contains(0) else { return nil }
    return try await repeatable { connection in
      try connection.run(
        """
        UPDATE webhooks SET state = 'waiting', begun_at = store_now(), updated_at = greatest(updated_at, store_now()),
          due_at = CASE WHEN token IS NULL THEN store_now() ELSE due_at END
        WHERE job_id = $1 RETURNING *
        """, [.text(jobID)]
      ).first.map(Webhook.init(row:))
    }
  }

  /// See `WebhookStore`.
  public func webhookCounts() async throws -> [Webhook.State: Int] {
    try await repeatable { connection in
      var counts: [Webhook.State: Int] = [.waiting: 0, .failed: 0]
      let rows = try connection.run(
        "SELECT state, count(*) AS n FROM webhooks WHERE state IN ('waiting', 'failed') GROUP BY state"
      ).rows
      for row in rows {
        guard let state = Webhook.State(rawValue: try row.text("state")) else { continue }
        counts[state] = try row.count("n")
      }
      return counts
    }
  }
}

// MARK: - Statements

extension PostgresStore {
  /// Parameters: this instance, and how long a dead server has not sent heartbeats.
  private static let reclaimWebhooks = """
    UPDATE webhooks SET due_at = store_now(), token = NULL, holder = NULL
    WHERE holder IS NOT NULL AND holder <> $1
      AND NOT EXISTS (SELECT 1 FROM servers WHERE servers.id = webhooks.holder AND beat_at >= store_now() - $2)
      AND EXISTS (SELECT 1 FROM servers WHERE id = $1 AND since < store_now() - $2 AND beat_at >= store_now() - $2)
    """

  /// Parameters: the token, this instance, the lease, and the limit.
  private static let claimWebhooks = """
    UPDATE webhooks SET token = $1, holder = $2, attempts = attempts + 1, due_at = store_now() + $3,
      updated_at = greatest(updated_at, store_now())
    WHERE seq = ANY (ARRAY(
      SELECT seq FROM webhooks WHERE state = 'waiting' AND due_at <= (SELECT store_now())
      ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED))
    RETURNING *
    """
}

extension Webhook {
  /// Decodes a row of the table.
  fileprivate init(row: PostgresRow) throws {
    // The table allows no other states.
    let state = State(rawValue: try row.text("state")) ?? .failed
    self.init(
      jobID: try row.text("job_id"), url: try row.text("url"), keyID: try row.optionalText("key_id"), state: state,
      attempts: try row.count("attempts"), createdAt: Date(microseconds: try row.integer("created_at")),
      updatedAt: Date(microseconds: try row.integer("updated_at")),
      nextAttemptAt: state == .waiting ? Date(microseconds: try row.integer("due_at")) : nil,
      status: try row.optionalInteger("status").map { Int(clamping: $0) }, error: try row.optionalText("error"))
  }
}
