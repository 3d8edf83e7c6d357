import Foundation
import JobStore
import PostgresClient

extension PostgresStore: TaskStore {
  /// See `TaskStore`. Two that arrive at the same moment may both take the last place.
  public func addTask(_ task: NewTask, limit: Int) async throws -> BackgroundTask {
    try await repeatable { connection in
      let row = try connection.run(
        """
        INSERT INTO tasks (id, kind, state, message, created_at, updated_at, parameters, key_id)
        SELECT $1, $2, 'queued', 'Waiting', store_now(), store_now(), $3, $4
        WHERE (SELECT count(*) FROM tasks WHERE state IN ('queued', 'processing') AND id <> $1) < $5
        ON CONFLICT (id) DO UPDATE SET kind = excluded.kind RETURNING \(BackgroundTask.columns)
        """,
        [.text(task.id), .text(task.kind), .text(task.parameters), PostgresValue(task.keyID), .init(limit)]
      ).first
      if let row { return try BackgroundTask(row: row) }
      let open = try connection.run("SELECT count(*) AS n FROM tasks WHERE state IN ('queued', 'processing')").first
      throw StoreError.queueFull(waiting: try open?.count("n") ?? limit)
    }
  }

  /// See `TaskStore`.
  public func task(id: String) async throws -> BackgroundTask? {
    guard !id.utf8.contains(0) else { return nil }
    return try await repeatable { try Self.task(id: id, in: $0) }
  }

  /// See `TaskStore`.
  public func tasks(_ filter: TaskFilter, limit: Int, cursor: String?) async throws -> Page<BackgroundTask> {
    let order = "tasks"
    let before = try cursor.map { try Cursor($0, order: order).number } ?? Int64.max
    let conditions = [("state", filter.state?.rawValue), ("key_id", filter.keyID)].filter { $0.1 != nil }
    let clauses = conditions.enumerated().map { " AND \($1.0) = $\($0 + 3)" }.joined()
    let sql = "SELECT \(BackgroundTask.columns) FROM tasks WHERE seq < $1\(clauses) ORDER BY seq DESC LIMIT $2"
    let parameters = [.integer(before), .init(limit + 1)] + conditions.map { PostgresValue($0.1) }
    let (tasks, last) = try await repeatable { connection -> ([BackgroundTask], Int64?) in
      let rows = try connection.run(sql, parameters).rows
      let shown = rows.prefix(limit)
      let last = rows.count > limit ? try shown.last.map { try $0.integer("seq") } : nil
      return (try shown.map(BackgroundTask.init(row:)), last)
    }
    return Page(items: tasks, nextCursor: last.map { Cursor(value: .integer($0), number: $0, order: order).text })
  }

  /// See `TaskStore`. Work whose holder is gone is taken up when its lease has run out.
  public func tasksToBegin(kinds: [String]) async throws -> [BackgroundTask] {
    guard !kinds.isEmpty else { return [] }
    let places = kinds.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    return try await repeatable { connection in
      try connection.run(
        """
        SELECT \(BackgroundTask.columns) FROM tasks WHERE \(Self.mayBegin) AND kind IN (\(places))
        ORDER BY seq LIMIT 1000
        """, kinds.map(PostgresValue.text)
      ).rows.map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func beginTask(id: String, worker: String, lease: TimeInterval) async throws -> ClaimedTask? {
    guard !id.utf8.contains(0) else { return nil }
    let token = UUID().uuidString.lowercased()
    let failure = JobError.taskNeverEnded
    let task = try await write { connection in
      try connection.run(
        """
        UPDATE tasks SET state = 'failed', progress = 100, message = $1, error_code = $2, error_detail = $1,
          updated_at = greatest(updated_at, store_now()), ended_at = store_now(), token = NULL, lease_until = NULL
        WHERE id = $4 AND state = 'processing' AND lease_until <= store_now() AND attempts >= $3
        """, [.text(failure.detail), .text(failure.code.rawValue), .init(Self.mostTaskAttempts), .text(id)])
      // Who waits here for another that claims it looks at the row anew, and finds it begun.
      return try connection.run(
        """
        UPDATE tasks SET state = 'processing', message = 'Begun', updated_at = greatest(updated_at, store_now()),
          attempts = attempts + 1, token = $1, worker = $2, lease_until = store_now() + $3
        WHERE id = $4 AND \(Self.mayBegin) RETURNING \(BackgroundTask.columns)
        """, [.text(token), .text(worker), .integer(lease.microseconds), .text(id)]
      ).first.map(BackgroundTask.init(row:))
    }
    return task.map { ClaimedTask(claim: TaskClaim(taskID: $0.id, token: token), task: $0) }
  }

  /// See `TaskStore`.
  public func updateWaitingMessage(id: String, message: String) async throws {
    guard !id.utf8.contains(0) else { return }
    try await write { connection in
      _ = try connection.run(
        """
        UPDATE tasks SET message = $2, updated_at = greatest(updated_at + 1, store_now())
        WHERE id = $1 AND \(Self.mayBegin)
        """, [.text(id), .text(message)])
    }
  }

  /// See `TaskStore`.
  public func heartbeat(_ claim: TaskClaim, lease: TimeInterval, progress: Int?, message: String?) async throws {
    try await change(
      claim,
      """
      lease_until = store_now() + $3, progress = greatest(progress, least(99, greatest(0, coalesce($4::int, 0)))),
      message = coalesce($5, message), updated_at = greatest(updated_at, store_now())
      """,
      [
        .integer(lease.microseconds), PostgresValue(progress.map { Int64(clamping: $0) }),
        PostgresValue(message),
      ])
  }

  /// See `TaskStore`.
  @discardableResult
  public func endTask(_ claim: TaskClaim, with result: Result<String, JobError>) async throws -> BackgroundTask {
    let (state, message, json, error): (Job.State, String, String?, JobError?) =
      switch result {
      case .success(let json): (.completed, "Done", json, nil)
      case .failure(let error): (.failed, error.detail, nil, error)
      }
    return try await change(
      claim,
      """
      state = $3, progress = 100, message = $4, updated_at = greatest(updated_at, store_now()), ended_at = store_now(),
      result = $5, error_code = $6, error_detail = $7, token = NULL, lease_until = NULL
      """,
      [
        .text(state.rawValue), .text(message), PostgresValue(json), PostgresValue(error?.code.rawValue),
        PostgresValue(error?.detail),
      ])
  }

  /// See `TaskStore`.
  public func giveBackTask(_ claim: TaskClaim) async throws {
    try await change(
      claim,
      """
      state = 'queued', message = 'Waiting to begin anew: the server was stopped in the middle',
      updated_at = greatest(updated_at, store_now()), attempts = greatest(0, attempts - 1), token = NULL,
      lease_until = NULL
      """, [])
  }

  /// See `TaskStore`.
  @discardableResult
  public func cancelTask(id: String, because error: JobError) async throws -> BackgroundTask? {
    guard !id.utf8.contains(0) else { return nil }
    return try await write { connection in
      try connection.run(
        """
        UPDATE tasks SET state = 'failed', progress = 100, message = $2, error_code = $3, error_detail = $2,
          updated_at = greatest(updated_at, store_now()), ended_at = store_now(), token = NULL, lease_until = NULL
        WHERE id = $1 AND state IN ('queued', 'processing')
        """, [.text(id), .text(error.detail), .text(error.code.rawValue)])
      return try Self.task(id: id, in: connection)
    }
  }

  /// See `TaskStore`.
  public func pruneTasks(endedBefore date: Date, limit: Int) async throws -> Int {
    try await write { connection in
      try connection.run(
        """
        DELETE FROM tasks WHERE seq IN (
          SELECT seq FROM tasks WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2
          FOR UPDATE SKIP LOCKED)
        """, [.integer(date.microseconds), .init(limit)]
      ).changed
    }
  }

  /// Work that waits, or whose lease has run out.
  private static let mayBegin = """
    state IN ('queued', 'processing') AND (state = 'queued' OR lease_until IS NULL OR lease_until <= store_now())
    """

  /// Times that work is begun before it fails.
  private static let mostTaskAttempts = 5

  private static func task(id: String, in connection: PostgresConnection) throws -> BackgroundTask? {
    try connection.run("SELECT \(BackgroundTask.columns) FROM tasks WHERE id = $1", [.text(id)]).first
      .map(BackgroundTask.init(row:))
  }

  /// Changes the work that a claim holds, or throws `claimLost`. `assignments` begin with `$3`.
  @discardableResult
  private func change(
    _ claim: TaskClaim, _ assignments: String, _ parameters: [PostgresValue]
  ) async throws -> BackgroundTask {
    let task = try await write { connection in
      try connection.run(
        """
        UPDATE tasks SET \(assignments) WHERE id = $1 AND token = $2 AND state = 'processing'
        RETURNING \(BackgroundTask.columns)
        """,
        [.text(claim.taskID), .text(claim.token)] + parameters
      ).first.map(BackgroundTask.init(row:))
    }
    guard let task else { throw StoreError.claimLost(jobID: claim.taskID) }
    return task
  }
}

extension BackgroundTask {
  /// The columns that `init(row:)` reads, by name: a statement that takes all breaks on each connection that has it
  /// prepared when a newer version adds one.
  static let columns = """
    seq, id, kind, state, progress, message, created_at, updated_at, parameters, result, error_code, error_detail, \
    key_id
    """

  init(row: PostgresRow) throws {
    let detail = try row.optionalText("error_detail") ?? ""
    self.init(
      id: try row.text("id"), kind: try row.text("kind"), state: Job.State(rawValue: try row.text("state")) ?? .failed,
      progress: try row.count("progress"), message: try row.text("message"),
      createdAt: Date(microseconds: try row.integer("created_at")),
      updatedAt: Date(microseconds: try row.integer("updated_at")), parameters: try row.text("parameters"),
      result: try row.optionalText("result"),
      error: try row.optionalText("error_code").map { JobError(code: ErrorCode(stored: $0), detail: detail) },
      keyID: try row.optionalText("key_id"))
  }
}
