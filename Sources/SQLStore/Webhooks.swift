import Foundation
import JobStore

/// A store in an SQL database that also keeps webhooks.
package protocol SQLWebhookStore: SQLBackedStore, WebhookStore {
  /// Identifies this store instance as the holder of its claims.
  var holder: String { get }

  /// The condition that another instance holds a webhook and its process is gone.
  var webhookIsAbandoned: SQLStatement { get }
}

extension SQLWebhookStore {
  /// See `WebhookStore`. Webhooks of an instance that is gone are due immediately.
  public func claimWebhooks(
    limit: Int, lease: TimeInterval, notAt places: [String]
  ) async throws -> [ClaimedWebhook] {
    let (present, holder, isAbandoned) = (present, holder, webhookIsAbandoned)
    let (due, firstDue) = (dueWebhooks(limit: limit, notAt: places), dueWebhooks(limit: 1, notAt: places))
    let abandoned = abandonedWebhook
    // Check by reading first: nearly always nothing is due, and even a transaction that writes nothing waits for its
    // turn.
    let isDue = try await reading { try $0.first(firstDue) != nil || $0.first(abandoned) != nil }
    guard isDue else { return [] }
    return try await changing { connection in
      try connection.change(
        "UPDATE webhooks SET due_at = \(present), token = NULL, holder = NULL WHERE \(isAbandoned)")
      let numbers = try connection.rows("\(due)\(Self.dialect.skipLocked)").map { try $0.integer("seq") }
      return try numbers.compactMap { number in
        let token = UUID().uuidString.lowercased()
        let row = try connection.first(
          """
          UPDATE webhooks SET token = \(token), holder = \(holder), attempts = attempts + 1,
            due_at = \(present) + \(lease.microseconds), updated_at = \(Self.dialect.greatest)(updated_at, \(present))
          WHERE seq = \(number) RETURNING \(sql: Webhook.columns)
          """)
        return try row.map { ClaimedWebhook(webhook: try Webhook(row: $0), token: token) }
      }
    }
  }

  /// See `WebhookStore`.
  public func endWebhook(_ claim: ClaimedWebhook, with outcome: WebhookOutcome) async throws {
    let (id, changes) = (claim.webhook.jobID, changes(for: outcome))
    let present = present
    try await changingOnFullDisk { connection in
      let changed = try connection.change(
        """
        UPDATE webhooks SET \(changes), token = NULL, holder = NULL,
          updated_at = \(Self.dialect.greatest)(updated_at, \(present))
        WHERE job_id = \(id) AND token = \(claim.token)
        """)
      guard changed > 0 else { throw StoreError.claimLost(jobID: id) }
    }
  }

  private func changes(for outcome: WebhookOutcome) -> SQLStatement {
    switch outcome {
    case .delivered(let status):
      "state = 'delivered', status = \(status), error = NULL"
    case .failed(let failure, let delay, let period):
      """
      state = CASE WHEN \(present) >= begun_at + \(period.microseconds) THEN 'failed' ELSE 'waiting' END,
      due_at = CASE WHEN \(present) + \(delay.microseconds) < begun_at + \(period.microseconds)
        THEN \(present) + \(delay.microseconds) ELSE begun_at + \(period.microseconds) END,
      status = \(failure.storedStatus), error = \(failure.reason)
      """
    case .refused(let failure):
      "state = 'failed', status = \(failure.storedStatus), error = \(failure.reason)"
    case .interrupted:
      "due_at = \(present), attempts = \(Self.dialect.greatest)(0, attempts - 1)"
    }
  }

  /// See `WebhookStore`.
  public func webhook(jobID: String) async throws -> Webhook? {
    guard jobID.isStorable else { return nil }
    return try await reading { try $0.first(Self.webhook(ofJob: jobID)).map(Webhook.init(row:)) }
  }

  /// See `WebhookStore`.
  public func webhooks(_ filter: WebhookFilter, limit: Int, cursor: String?) async throws -> Page<Webhook> {
    try await page(of: "webhooks", limit: limit, after: cursor) {
      Self.webhookList(filter, before: $0, limit: $1)
    } _: {
      try Webhook(row: $0)
    }
  }

  /// See `WebhookStore`.
  public func retryWebhook(jobID: String) async throws -> Webhook? {
    guard jobID.isStorable else { return nil }
    let present = present
    return try await repeating { connection in
      try connection.first(
        """
        UPDATE webhooks SET state = 'waiting', begun_at = \(present),
          updated_at = \(Self.dialect.greatest)(updated_at, \(present)),
          due_at = CASE WHEN token IS NULL THEN \(present) ELSE due_at END
        WHERE job_id = \(jobID) RETURNING \(sql: Webhook.columns)
        """
      ).map(Webhook.init(row:))
    }
  }

  /// See `WebhookStore`.
  public func webhookCounts() async throws -> [Webhook.State: Int] {
    try await reading { connection in
      var counts: [Webhook.State: Int] = [.waiting: 0, .failed: 0]
      for row in try connection.rows(Self.webhookCountsByState) {
        guard let state = Webhook.State(rawValue: try row.text("state")) else { continue }
        counts[state] = try row.count("n")
      }
      return counts
    }
  }
}

// MARK: - Statements

extension SQLWebhookStore {
  /// Selects the numbers of at most `limit` due webhooks, the longest due first, without those at `places`.
  ///
  /// A due time that is further away than any pause was written before the wall clock was set back.
  package func dueWebhooks(limit: Int, notAt places: [String] = []) -> SQLStatement {
    // As a subquery, so that PostgreSQL evaluates its volatile function once and searches the index by it.
    let now: SQLStatement = "(SELECT \(present))"
    // A place ends where the path or the query begins.
    let elsewhere = places.map { place -> SQLStatement in
      let length = place.utf8.count + 1
      return " AND substr(url || '/', 1, \(length)) NOT IN (\(place + "/"), \(place + "?"))"
    }
    var statement: SQLStatement = """
      SELECT seq FROM webhooks\(Self.dialect.index("webhooks_due"))
      WHERE state = 'waiting' AND (due_at <= \(now) OR due_at > \(now) + \(furthestDue))\(.joined(elsewhere, by: ""))
      ORDER BY due_at LIMIT \(limit)
      """
    statement.isReused = places.isEmpty
    return statement
  }

  /// Selects a row if an instance that is gone holds a webhook.
  package var abandonedWebhook: SQLStatement { "SELECT seq FROM webhooks WHERE \(webhookIsAbandoned) LIMIT 1" }

  /// Selects the webhook of a job.
  package static func webhook(ofJob id: String) -> SQLStatement {
    "SELECT \(sql: Webhook.columns) FROM webhooks WHERE job_id = \(id)"
  }

  /// Selects at most `limit` webhooks with a number below `before`, latest first.
  package static func webhookList(_ filter: WebhookFilter, before: Int64, limit: Int) -> SQLStatement {
    let conditions: [SQLStatement?] = [
      filter.state.map { "state = \($0.rawValue)" }, filter.keyID.map { "key_id = \($0)" }, "seq < \(before)",
    ]
    let wanted = SQLStatement.joined(conditions.compactMap(\.self), by: " AND ")
    return "SELECT \(sql: Webhook.columns) FROM webhooks WHERE \(wanted) ORDER BY seq DESC LIMIT \(limit)"
  }

  /// Counts the webhooks in the states that need attention.
  package static var webhookCountsByState: SQLStatement {
    "SELECT state, count(*) AS n FROM webhooks WHERE state IN ('waiting', 'failed') GROUP BY state"
  }
}

/// Maximum microseconds until a webhook is due: two days, more than any pause and lease.
private let furthestDue: Int64 = 2 * 86_400_000_000

extension WebhookFailure {
  fileprivate var storedStatus: Int64? { status.map { Int64(clamping: $0) } }
}

extension Webhook {
  /// The columns that `init(row:)` reads, and the number that orders pages.
  fileprivate static let columns =
    "seq, job_id, url, key_id, state, attempts, created_at, updated_at, due_at, status, error"

  /// Decodes a row.
  fileprivate init(row: any SQLRow) throws {
    // The table allows no other states, except in a damaged file.
    let state = State(rawValue: try row.text("state")) ?? .failed
    self.init(
      jobID: try row.text("job_id"), url: try row.text("url"), keyID: try row.optionalText("key_id"), state: state,
      attempts: try row.count("attempts"), createdAt: Date(microseconds: try row.integer("created_at")),
      updatedAt: Date(microseconds: try row.integer("updated_at")),
      nextAttemptAt: state == .waiting ? Date(microseconds: try row.integer("due_at")) : nil,
      status: try row.optionalInteger("status").map { Int(clamping: $0) }, error: try row.optionalText("error"))
  }
}
