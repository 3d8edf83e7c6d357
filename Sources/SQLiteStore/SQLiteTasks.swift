import Foundation
import GRDB
import JobStore

extension SQLiteJobStore: TaskStore {
  /// See `TaskStore`.
  public func addTask(_ task: NewTask, limit: Int) async throws -> BackgroundTask {
    let now = clock.now().microseconds
    let stored = try await write { database in
      let open = try Int.fetchOne(
        database.cachedStatement(sql: "SELECT count(*) FROM tasks WHERE state IN ('queued', 'processing')"))
      if let open, open >= limit { throw StoreError.queueFull(waiting: open) }
      return try Row.fetchOne(
        database,
        sql: """
          INSERT INTO tasks (id, kind, state, message, created_at, updated_at, parameters, key_id)
          VALUES (?, ?, 'queued', 'Waiting', ?, ?, ?, ?) RETURNING *
          """, arguments: [task.id, task.kind, now, now, task.parameters, task.keyID]
      ).map(BackgroundTask.init(row:))
    }
    guard let stored else { throw StoreError.unavailable("the database returned no row") }
    return stored
  }

  /// See `TaskStore`.
  public func task(id: String) async throws -> BackgroundTask? {
    try await read { database in
      try Row.fetchOne(database, sql: "SELECT * FROM tasks WHERE id = ?", arguments: [id])
        .map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func tasks(_ filter: TaskFilter, limit: Int, cursor: String?) async throws -> Page<BackgroundTask> {
    let order = "tasks"
    let before = try cursor.map { try Cursor($0, order: order).number } ?? Int64.max
    let conditions = [filter.state.map { _ in "state = ?" }, filter.keyID.map { _ in "key_id = ?" }, "seq < ?"]
    let sql = """
      SELECT * FROM tasks WHERE \(conditions.compactMap(\.self).joined(separator: " AND ")) ORDER BY seq DESC LIMIT ?
      """
    let arguments =
      StatementArguments([filter.state?.rawValue, filter.keyID].compactMap(\.self)) + [before, limit + 1]
    let (tasks, lastNumber) = try await read { database in
      let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
      let shown = rows.prefix(limit)
      let last: Int64? = rows.count > limit ? shown.last.map { $0["seq"] } : nil
      return (shown.map(BackgroundTask.init(row:)), last)
    }
    return Page(
      items: tasks, nextCursor: lastNumber.map { Cursor(value: .integer($0), number: $0, order: order).text })
  }

  /// See `TaskStore`. Where this is the server, work that another opening of the database holds may be begun at once:
  /// that process is gone.
  public func tasksToBegin(kinds: [String]) async throws -> [BackgroundTask] {
    let arguments: StatementArguments = [
      "kinds": String(decoding: try JSONEncoder().encode(kinds), as: UTF8.self), "isServer": options.isServer,
      "boot": clock.boot, "tick": clock.tick(), "holder": holder,
    ]
    return try await read { database in
      try Row.fetchAll(database.cachedStatement(sql: Self.readyTasksStatement), arguments: arguments)
        .map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func beginTask(id: String, worker: String, lease: TimeInterval) async throws -> ClaimedTask? {
    let token = UUID().uuidString.lowercased()
    let failure = JobError.taskNeverEnded
    let arguments: StatementArguments = [
      "id": id, "isServer": options.isServer, "boot": clock.boot, "tick": clock.tick(), "lease": lease.microseconds,
      "token": token, "worker": worker, "holder": holder, "now": clock.now().microseconds,
      "most": Self.mostTaskAttempts, "detail": failure.detail, "code": failure.code.rawValue,
    ]
    let task = try await write { database in
      try database.cachedStatement(sql: Self.giveUpTaskStatement).execute(arguments: arguments)
      return try Row.fetchOne(database.cachedStatement(sql: Self.beginTaskStatement), arguments: arguments)
        .map(BackgroundTask.init(row:))
    }
    return task.map { ClaimedTask(claim: TaskClaim(taskID: $0.id, token: token), task: $0) }
  }

  /// See `TaskStore`.
  public func updateWaitingMessage(id: String, message: String) async throws {
    let arguments: StatementArguments = [
      "id": id, "message": message, "isServer": options.isServer, "boot": clock.boot, "tick": clock.tick(),
      "holder": holder, "now": clock.now().microseconds,
    ]
    try await write { database in
      try database.execute(
        sql: """
          UPDATE tasks SET message = :message, updated_at = max(updated_at + 1, :now) WHERE id = :id AND \(Self.isTaskReady)
          """, arguments: arguments)
    }
  }

  /// See `TaskStore`.
  public func heartbeat(_ claim: TaskClaim, lease: TimeInterval, progress: Int?, message: String?) async throws {
    let (boot, tick, now) = (clock.boot, clock.tick(), clock.now().microseconds)
    try await change(
      claim,
      """
      lease_tick = ?, boot = ?, progress = max(progress, min(99, max(0, coalesce(?, 0)))),
      message = coalesce(?, message), updated_at = max(updated_at, ?)
      """, [tick + lease.microseconds, boot, progress, message, now])
  }

  /// See `TaskStore`.
  @discardableResult
  public func endTask(_ claim: TaskClaim, with result: Result<String, JobError>) async throws -> BackgroundTask {
    let now = clock.now().microseconds
    let (state, message, json, error): (Job.State, String, String?, JobError?) =
      switch result {
      case .success(let json): (.completed, "Done", json, nil)
      case .failure(let error): (.failed, error.detail, nil, error)
      }
    return try await change(
      claim,
      """
      state = ?, progress = 100, message = ?, updated_at = max(updated_at, ?), ended_at = ?, result = ?, error_code = ?,
      error_detail = ?, token = NULL, holder = NULL, lease_tick = NULL
      """, [state.rawValue, message, now, now, json, error?.code.rawValue, error?.detail])
  }

  /// See `TaskStore`.
  public func giveBackTask(_ claim: TaskClaim) async throws {
    let now = clock.now().microseconds
    try await change(
      claim,
      """
      state = 'queued', message = 'Waiting to begin anew: the server was stopped in the middle',
      updated_at = max(updated_at, ?), attempts = max(0, attempts - 1), token = NULL, holder = NULL, lease_tick = NULL
      """, [now])
  }

  /// See `TaskStore`.
  @discardableResult
  public func cancelTask(id: String, because error: JobError) async throws -> BackgroundTask? {
    let now = clock.now().microseconds
    return try await write { database in
      try database.execute(
        sql: """
          UPDATE tasks SET state = 'failed', progress = 100, message = ?, updated_at = max(updated_at, ?), ended_at = ?,
            error_code = ?, error_detail = ?, token = NULL, holder = NULL, lease_tick = NULL
          WHERE id = ? AND state IN ('queued', 'processing')
          """, arguments: [error.detail, now, now, error.code.rawValue, error.detail, id])
      return try Row.fetchOne(database, sql: "SELECT * FROM tasks WHERE id = ?", arguments: [id])
        .map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func pruneTasks(endedBefore date: Date, limit: Int) async throws -> Int {
    try await write { database in
      try database.execute(
        sql: """
          DELETE FROM tasks
          WHERE seq IN (SELECT seq FROM tasks WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)
          """, arguments: [date.microseconds, limit])
      return database.changesCount
    }
  }

  /// Changes the work that a claim holds, or throws `claimLost`.
  @discardableResult
  private func change(
    _ claim: TaskClaim, _ assignments: String, _ arguments: StatementArguments
  ) async throws -> BackgroundTask {
    try await freeing { database in
      let row = try Row.fetchOne(
        database.cachedStatement(
          sql: "UPDATE tasks SET \(assignments) WHERE id = ? AND token = ? AND state = 'processing' RETURNING *"),
        arguments: arguments + [claim.taskID, claim.token])
      guard let row else { throw StoreError.claimLost(jobID: claim.taskID) }
      return BackgroundTask(row: row)
    }
  }
}

// MARK: - Statements

extension SQLiteJobStore {
  /// Times that work is begun before it fails.
  private static let mostTaskAttempts = 5

  /// Work that may be begun: it waits, or who held it is gone.
  private static let isTaskReady = """
    (state = 'queued' OR (state = 'processing'
      AND (lease_tick <= :tick OR boot IS NOT :boot OR (:isServer AND holder IS NOT :holder))))
    """

  private static let readyTasksStatement = """
    SELECT * FROM tasks WHERE state IN ('queued', 'processing') AND \(isTaskReady)
      AND kind IN (SELECT value FROM json_each(:kinds))
    ORDER BY seq LIMIT 1000
    """

  private static let giveUpTaskStatement = """
    UPDATE tasks SET state = 'failed', progress = 100, message = :detail, error_code = :code, error_detail = :detail,
      updated_at = max(updated_at, :now), ended_at = :now, token = NULL, holder = NULL, lease_tick = NULL
    WHERE id = :id AND attempts >= :most AND \(isTaskReady)
    """

  private static let beginTaskStatement = """
    UPDATE tasks SET state = 'processing', message = 'Begun', updated_at = max(updated_at, :now),
      token = :token, worker = :worker, holder = :holder, boot = :boot, lease_tick = :tick + :lease,
      attempts = attempts + 1
    WHERE id = :id AND \(isTaskReady)
    RETURNING *
    """
}

extension BackgroundTask {
  /// Reads a row of the table, whatever it holds.
  init(row: Row) {
    let code: String? = row["error_code"]
    let state: String = row["state"]
    self.init(
      id: row["id"], kind: row["kind"], state: Job.State(rawValue: state) ?? .failed,
      progress: min(100, max(0, row["progress"])), message: row["message"],
      createdAt: Date(microseconds: row["created_at"]), updatedAt: Date(microseconds: row["updated_at"]),
      parameters: row["parameters"], result: row["result"],
      error: code.map { JobError(code: ErrorCode(stored: $0), detail: row["error_detail"] ?? "") },
      keyID: row["key_id"])
  }
}
