import Foundation
import GRDB
import JobStore

extension SQLiteJobStore: TaskStore {
  /// See `TaskStore`.
  public func addTask(id: String, kind: String, parameters: String) async throws -> BackgroundTask {
    let now = clock.now().microseconds
    let task = try await write { database in
      try Row.fetchOne(
        database,
        sql: """
          INSERT INTO tasks (id, kind, state, message, created_at, updated_at, parameters)
          VALUES (?, ?, 'queued', 'Waiting', ?, ?, ?) RETURNING *
          """, arguments: [id, kind, now, now, parameters]
      ).map(BackgroundTask.init(row:))
    }
    guard let task else { throw StoreError.unavailable("the database returned no row") }
    return task
  }

  /// See `TaskStore`.
  public func task(id: String) async throws -> BackgroundTask? {
    try await read { database in
      try Row.fetchOne(database, sql: "SELECT * FROM tasks WHERE id = ?", arguments: [id])
        .map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func beginNextTask(kinds: [String]) async throws -> BackgroundTask? {
    guard !kinds.isEmpty else { return nil }
    let now = clock.now().microseconds
    let places = kinds.map { _ in "?" }.joined(separator: ", ")
    return try await write { database in
      try Row.fetchOne(
        database,
        sql: """
          UPDATE tasks SET state = 'processing', message = 'Begun', updated_at = ?
          WHERE seq = (SELECT seq FROM tasks WHERE state = 'queued' AND kind IN (\(places)) ORDER BY seq LIMIT 1)
          RETURNING *
          """, arguments: [now] + StatementArguments(kinds)
      ).map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func report(progress: Int, message: String, ofTask id: String) async throws {
    let now = clock.now().microseconds
    try await write { database in
      try database.execute(
        sql: """
          UPDATE tasks SET progress = max(progress, min(99, max(0, ?))), message = ?, updated_at = max(updated_at, ?)
          WHERE id = ? AND state = 'processing'
          """, arguments: [progress, message, now, id])
    }
  }

  /// See `TaskStore`.
  @discardableResult
  public func endTask(id: String, with result: Result<String, JobError>) async throws -> BackgroundTask? {
    let now = clock.now().microseconds
    let (state, message, json, error): (Job.State, String, String?, JobError?) =
      switch result {
      case .success(let json): (.completed, "Done", json, nil)
      case .failure(let error): (.failed, error.detail, nil, error)
      }
    return try await write { database in
      try Row.fetchOne(
        database,
        sql: """
          UPDATE tasks SET state = ?, progress = 100, message = ?, updated_at = max(updated_at, ?), ended_at = ?,
            result = ?, error_code = ?, error_detail = ?
          WHERE id = ? AND state = 'processing' RETURNING *
          """, arguments: [state.rawValue, message, now, now, json, error?.code.rawValue, error?.detail, id]
      ).map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  @discardableResult
  public func resumeTasks() async throws -> Int {
    let now = clock.now().microseconds
    return try await write { database in
      try database.execute(
        sql: """
          UPDATE tasks SET state = 'queued', message = 'Waiting to begin anew: the server was stopped in the middle',
            updated_at = max(updated_at, ?)
          WHERE state = 'processing'
          """, arguments: [now])
      return database.changesCount
    }
  }

  /// See `TaskStore`.
  public func pruneTasks(endedBefore date: Date, limit: Int) async throws -> [BackgroundTask] {
    try await write { database in
      try Row.fetchAll(
        database,
        sql: """
          DELETE FROM tasks
          WHERE seq IN (SELECT seq FROM tasks WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)
          RETURNING *
          """, arguments: [date.microseconds, limit]
      ).map(BackgroundTask.init(row:))
    }
  }
}

extension BackgroundTask {
  init(row: Row) {
    let state: String = row["state"]
    let code: String? = row["error_code"]
    self.init(
      id: row["id"], kind: row["kind"], state: Job.State(rawValue: state) ?? .failed, progress: row["progress"],
      message: row["message"], createdAt: Date(microseconds: row["created_at"]),
      updatedAt: Date(microseconds: row["updated_at"]), parameters: row["parameters"], result: row["result"],
      error: code.map { JobError(code: ErrorCode(stored: $0), detail: row["error_detail"] ?? "") })
  }
}
