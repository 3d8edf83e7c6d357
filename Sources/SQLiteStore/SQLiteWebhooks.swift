import Foundation
import GRDB
import JobStore

extension SQLiteJobStore: WebhookStore {
  /// See `WebhookStore`. On a server, webhooks held by another instance are due immediately, because that process is
  /// gone.
  public func claimWebhooks(limit: Int, lease: TimeInterval) async throws -> [ClaimedWebhook] {
    let now = clock.now().microseconds
    let due: StatementArguments = ["now": now, "furthest": now + Self.furthestDue, "limit": limit]
    let (mine, isServer) = (holder, options.isServer)
    // Check by reading first: nearly always nothing is due, and even a transaction that writes nothing waits for its
    // turn.
    let isDue = try await read { database in
      if isServer, try Int.fetchOne(database.cachedStatement(sql: Self.heldElsewhere), arguments: [mine]) != nil {
        return true
      }
      return try Int.fetchOne(
        database.cachedStatement(sql: Self.dueWebhooks), arguments: due &+ ["limit": 1]) != nil
    }
    guard isDue else { return [] }
    return try await write { database in
      if isServer {
        try database.cachedStatement(sql: Self.reclaimWebhooks).execute(arguments: [now, mine])
      }
      let numbers = try Int64.fetchAll(database.cachedStatement(sql: Self.dueWebhooks), arguments: due)
      let claim = try database.cachedStatement(sql: Self.claimWebhook)
      return try numbers.compactMap { number in
        let token = UUID().uuidString.lowercased()
        let row = try Row.fetchOne(
          claim, arguments: [token, mine, now + lease.microseconds, now, number])
        return row.map { ClaimedWebhook(webhook: Webhook(row: $0), token: token) }
      }
    }
  }

  /// See `WebhookStore`.
  public func endWebhook(_ claim: ClaimedWebhook, with outcome: WebhookOutcome) async throws {
    let now = clock.now().microseconds
    var arguments: StatementArguments = ["now": now, "id": claim.webhook.jobID, "token": claim.token]
    let changes: String
    switch outcome {
    case .delivered(let status):
      changes = "state = 'delivered', status = :status, error = NULL"
      arguments += ["status": status]
    case .failed(let failure, let delay, let period):
      changes = """
        state = iif(:now >= begun_at + :period, 'failed', 'waiting'), status = :status, error = :error,
        due_at = min(:now + :delay, begun_at + :period)
        """
      arguments += [
        "status": failure.status, "error": failure.reason, "delay": delay.microseconds, "period": period.microseconds,
      ]
    case .refused(let failure):
      changes = "state = 'failed', status = :status, error = :error"
      arguments += ["status": failure.status, "error": failure.reason]
    case .interrupted:
      changes = "due_at = :now, attempts = max(0, attempts - 1)"
    }
    let values = arguments
    try await freeing { database in
      let statement = try database.cachedStatement(
        sql: """
          UPDATE webhooks SET \(changes), token = NULL, holder = NULL, updated_at = max(updated_at, :now)
          WHERE job_id = :id AND token = :token
          """)
      try statement.execute(arguments: values)
      guard database.changesCount > 0 else { throw StoreError.claimLost(jobID: claim.webhook.jobID) }
    }
  }

  /// See `WebhookStore`.
  public func webhook(jobID: String) async throws -> Webhook? {
    try await read { database in
      try Row.fetchOne(database, sql: "SELECT * FROM webhooks WHERE job_id = ?", arguments: [jobID])
        .map(Webhook.init(row:))
    }
  }

  /// See `WebhookStore`.
  public func webhooks(_ filter: WebhookFilter, limit: Int, cursor: String?) async throws -> Page<Webhook> {
    let order = "webhooks"
    let before = try cursor.map { try Cursor($0, order: order).number } ?? Int64.max
    let conditions = [filter.state.map { _ in "state = ?" }, filter.keyID.map { _ in "key_id = ?" }, "seq < ?"]
    let sql = """
      SELECT * FROM webhooks WHERE \(conditions.compactMap(\.self).joined(separator: " AND "))
      ORDER BY seq DESC LIMIT ?
      """
    let arguments =
      StatementArguments([filter.state?.rawValue, filter.keyID].compactMap(\.self)) + [before, limit + 1]
    let (webhooks, last) = try await read { database in
      let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
      let shown = rows.prefix(limit)
      let last: Int64? = rows.count > limit ? shown.last.map { $0["seq"] } : nil
      return (shown.map(Webhook.init(row:)), last)
    }
    return Page(items: webhooks, nextCursor: last.map { Cursor(value: .integer($0), number: $0, order: order).text })
  }

  /// See `WebhookStore`.
  public func retryWebhook(jobID: String) async throws -> Webhook? {
    let now = clock.now().microseconds
    return try await write { database in
      try Row.fetchOne(
        database,
        sql: """
          UPDATE webhooks SET state = 'waiting', begun_at = :now, updated_at = max(updated_at, :now),
            due_at = iif(token IS NULL, :now, due_at)
          WHERE job_id = :id RETURNING *
          """, arguments: ["now": now, "id": jobID]
      ).map(Webhook.init(row:))
    }
  }

  /// See `WebhookStore`.
  public func webhookCounts() async throws -> [Webhook.State: Int] {
    try await read { database in
      let count = try database.cachedStatement(sql: "SELECT count(*) FROM webhooks WHERE state = ?")
      var counts: [Webhook.State: Int] = [:]
      for state in [Webhook.State.waiting, .failed] {
        counts[state] = try Int.fetchOne(count, arguments: [state.rawValue])
      }
      return counts
    }
  }
}

// MARK: - Statements

extension SQLiteJobStore {
  /// Maximum microseconds until a webhook is due. A later due time was written before the wall clock was set back.
  private static let furthestDue: Int64 = 2 * 86_400_000_000

  private static let heldElsewhere = "SELECT 1 FROM webhooks WHERE holder IS NOT NULL AND holder <> ? LIMIT 1"

  private static let reclaimWebhooks = """
    UPDATE webhooks SET due_at = ?, token = NULL, holder = NULL WHERE holder IS NOT NULL AND holder <> ?
    """

  private static let dueWebhooks = """
    SELECT seq FROM webhooks INDEXED BY webhooks_due
    WHERE state = 'waiting' AND (due_at <= :now OR due_at > :furthest) ORDER BY due_at LIMIT :limit
    """

  private static let claimWebhook = """
    UPDATE webhooks SET token = ?, holder = ?, attempts = attempts + 1, due_at = ?, updated_at = max(updated_at, ?)
    WHERE seq = ? RETURNING *
    """
}

extension Webhook {
  /// Decodes a row of the table; any contents are accepted.
  fileprivate init(row: Row) {
    let text: String = row["state"]
    let state = State(rawValue: text) ?? .failed
    self.init(
      jobID: row["job_id"], url: row["url"], keyID: row["key_id"], state: state, attempts: row["attempts"],
      createdAt: Date(microseconds: row["created_at"]), updatedAt: Date(microseconds: row["updated_at"]),
      nextAttemptAt: state == .waiting ? Date(microseconds: row["due_at"]) : nil, status: row["status"],
      error: row["error"])
  }
}
