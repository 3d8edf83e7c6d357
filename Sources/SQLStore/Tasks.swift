import Foundation
import JobStore

extension SQLBackedStore {
  /// See `TaskStore`. With PostgreSQL, two concurrent calls may both take the last place.
  public func addTask(_ task: NewTask, limit: Int) async throws -> BackgroundTask {
    let present = present
    return try await repeating { connection in
      let row = try connection.first(
        """
        INSERT INTO tasks (id, kind, state, message, created_at, updated_at, parameters, key_id)
        SELECT \(task.id), \(task.kind), 'queued', 'Waiting', \(present), \(present), \(task.parameters), \(task.keyID)
        WHERE (SELECT count(*) FROM tasks WHERE state IN ('queued', 'processing') AND id <> \(task.id)) < \(limit)
        ON CONFLICT (id) DO UPDATE SET kind = excluded.kind RETURNING \(sql: BackgroundTask.columns)
        """)
      if let row { return try BackgroundTask(row: row) }
      let open = try connection.first("SELECT count(*) AS n FROM tasks WHERE state IN ('queued', 'processing')")
      throw StoreError.queueFull(waiting: try open?.count("n") ?? limit)
    }
  }

  /// See `TaskStore`.
  public func task(id: String) async throws -> BackgroundTask? {
    guard id.isStorable else { return nil }
    return try await reading { try Self.task(id: id, in: $0) }
  }

  /// See `TaskStore`.
  public func tasks(_ filter: TaskFilter, limit: Int, cursor: String?) async throws -> Page<BackgroundTask> {
    let conditions: [SQLStatement?] = [
      filter.state.map { "state = \($0.rawValue)" }, filter.keyID.map { "key_id = \($0)" },
    ]
    return try await page(of: "tasks", limit: limit, after: cursor) { before, most in
      let wanted = SQLStatement.joined(conditions.compactMap(\.self) + ["seq < \(before)"], by: " AND ")
      return "SELECT \(sql: BackgroundTask.columns) FROM tasks WHERE \(wanted) ORDER BY seq DESC LIMIT \(most)"
    } _: {
      try BackgroundTask(row: $0)
    }
  }

  /// See `TaskStore`.
  public func tasksToBegin(kinds: [String]) async throws -> [BackgroundTask] {
    guard !kinds.isEmpty else { return [] }
    let statement: SQLStatement = """
      SELECT \(sql: BackgroundTask.columns) FROM tasks
      WHERE state IN ('queued', 'processing') AND \(taskMayBegin) AND kind IN (\(SQLStatement.list(kinds))) ORDER BY seq LIMIT 1000
      """
    return try await reading { try $0.rows(statement).map(BackgroundTask.init(row:)) }
  }

  /// See `TaskStore`.
  public func beginTask(id: String, worker: String, lease: TimeInterval) async throws -> ClaimedTask? {
    guard id.isStorable else { return nil }
    let token = UUID().uuidString.lowercased()
    let (present, mayBegin, held) = (present, taskMayBegin, holdingTask(for: lease))
    let task = try await changing { connection in
      try connection.change(
        """
        UPDATE tasks SET \(Self.failing(because: .taskNeverEnded, at: present))
        WHERE id = \(id) AND state = 'processing' AND attempts >= \(mostTaskAttempts) AND \(mayBegin)
        """)
      // PostgreSQL rechecks the row after waiting for a concurrent claim, and finds it claimed.
      return try connection.first(
        """
        UPDATE tasks SET state = 'processing', message = 'Begun', attempts = attempts + 1, token = \(token),
          worker = \(worker), updated_at = \(Self.dialect.greatest)(updated_at, \(present)), \(held)
        WHERE id = \(id) AND state IN ('queued', 'processing') AND \(mayBegin)
        RETURNING \(sql: BackgroundTask.columns)
        """
      ).map(BackgroundTask.init(row:))
    }
    return task.map { ClaimedTask(claim: TaskClaim(taskID: $0.id, token: token), task: $0) }
  }

  /// See `TaskStore`.
  public func updateWaitingMessage(id: String, message: String) async throws {
    guard id.isStorable else { return }
    let (present, mayBegin) = (present, taskMayBegin)
    try await changing { connection in
      _ = try connection.change(
        """
        UPDATE tasks SET message = \(message), updated_at = \(Self.dialect.greatest)(updated_at + 1, \(present))
        WHERE id = \(id) AND state IN ('queued', 'processing') AND \(mayBegin)
        """)
    }
  }

  /// See `TaskStore`.
  public func heartbeat(_ claim: TaskClaim, lease: TimeInterval, progress: Int?, message: String?) async throws {
    let reached = min(99, max(0, progress ?? 0))
    try await change(
      claim,
      """
      \(holdingTask(for: lease)), progress = \(Self.dialect.greatest)(progress, \(reached)),
      message = coalesce(\(message), message), updated_at = \(Self.dialect.greatest)(updated_at, \(present))
      """)
  }

  /// See `TaskStore`.
  @discardableResult
  public func endTask(_ claim: TaskClaim, with result: Result<String, JobError>) async throws -> BackgroundTask {
    switch result {
    case .success(let json):
      let present = present
      return try await change(
        claim,
        """
        state = 'completed', progress = 100, message = 'Done', result = \(json), ended_at = \(present),
        updated_at = \(Self.dialect.greatest)(updated_at, \(present)), \(Self.lettingGoOfTask)
        """)
    case .failure(let error):
      return try await change(claim, Self.failing(because: error, at: present))
    }
  }

  /// See `TaskStore`.
  public func giveBackTask(_ claim: TaskClaim) async throws {
    try await change(
      claim,
      """
      state = 'queued', message = 'Waiting to restart: the server was stopped',
      updated_at = \(Self.dialect.greatest)(updated_at, \(present)),
      attempts = \(Self.dialect.greatest)(0, attempts - 1), \(Self.lettingGoOfTask)
      """)
  }

  /// See `TaskStore`.
  @discardableResult
  public func cancelTask(id: String, because error: JobError) async throws -> BackgroundTask? {
    guard id.isStorable else { return nil }
    let failing = Self.failing(because: error, at: present)
    return try await changing { connection in
      try connection.change(
        "UPDATE tasks SET \(failing) WHERE id = \(id) AND state IN ('queued', 'processing')")
      return try Self.task(id: id, in: connection)
    }
  }

  /// See `TaskStore`.
  public func pruneTasks(endedBefore date: Date, limit: Int) async throws -> Int {
    try await changing { connection in
      try connection.change(
        """
        DELETE FROM tasks WHERE seq IN (
          SELECT seq FROM tasks WHERE ended_at IS NOT NULL AND ended_at < \(date.microseconds)
          ORDER BY ended_at LIMIT \(limit)\(Self.dialect.skipLocked))
        """)
    }
  }

  private static func task(id: String, in connection: any SQLConnection) throws -> BackgroundTask? {
    try connection.first("SELECT \(sql: BackgroundTask.columns) FROM tasks WHERE id = \(id)")
      .map(BackgroundTask.init(row:))
  }

  private static func failing(because error: JobError, at present: SQLStatement) -> SQLStatement {
    """
    state = 'failed', progress = 100, message = \(error.detail), error_code = \(error.code.rawValue),
    error_detail = \(error.detail), updated_at = \(dialect.greatest)(updated_at, \(present)), ended_at = \(present),
    \(lettingGoOfTask)
    """
  }

  /// Changes a claimed task, or throws `claimLost`.
  @discardableResult
  private func change(_ claim: TaskClaim, _ assignments: SQLStatement) async throws -> BackgroundTask {
    try await changingOnFullDisk { connection in
      let row = try connection.first(
        """
        UPDATE tasks SET \(assignments) WHERE id = \(claim.taskID) AND token = \(claim.token) AND state = 'processing'
        RETURNING \(sql: BackgroundTask.columns)
        """)
      guard let row else { throw StoreError.claimLost(jobID: claim.taskID) }
      return try BackgroundTask(row: row)
    }
  }
}

/// Number of attempts after which a task fails.
private let mostTaskAttempts = 5

extension String {
  /// Whether both databases accept the text: PostgreSQL stores no NUL.
  var isStorable: Bool { !utf8.contains(0) }
}

extension BackgroundTask {
  /// The columns that `init(row:)` reads.
  fileprivate static let columns = """
    seq, id, kind, state, progress, message, created_at, updated_at, parameters, result, error_code, error_detail, \
    key_id
    """

  fileprivate init(row: any SQLRow) throws {
    let detail = try row.optionalText("error_detail") ?? ""
    self.init(
      id: try row.text("id"), kind: try row.text("kind"), state: Job.State(rawValue: try row.text("state")) ?? .failed,
      progress: min(100, max(0, try row.count("progress"))), message: try row.text("message"),
      createdAt: Date(microseconds: try row.integer("created_at")),
      updatedAt: Date(microseconds: try row.integer("updated_at")), parameters: try row.text("parameters"),
      result: try row.optionalText("result"),
      error: try row.optionalText("error_code").map { JobError(code: ErrorCode(stored: $0), detail: detail) },
      keyID: try row.optionalText("key_id"))
  }
}
