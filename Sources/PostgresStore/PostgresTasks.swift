import Foundation
import JobStore
import PostgresClient

extension PostgresStore: TaskStore {
  /// See `TaskStore`.
  public func addTask(id: String, kind: String, parameters: String) async throws -> BackgroundTask {
    let task = try await repeatable { connection in
      try connection.run(
        """
        INSERT INTO tasks (id, kind, state, message, created_at, updated_at, parameters)
        VALUES ($1, $2, 'queued', 'Waiting', store_now(), store_now(), $3)
        ON CONFLICT (id) DO UPDATE SET kind = excluded.kind RETURNING *
        """, [.text(id), .text(kind), .text(parameters)]
      ).first.map(BackgroundTask.init(row:))
    }
    guard let task else { throw StoreError.unavailable("the database returned no row") }
    return task
  }

  /// See `TaskStore`.
  public func task(id: String) async throws -> BackgroundTask? {
    guard !id.utf8.contains(0) else { return nil }
    return try await repeatable { connection in
      try connection.run("SELECT * FROM tasks WHERE id = $1", [.text(id)]).first.map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func beginNextTask(kinds: [String]) async throws -> BackgroundTask? {
    guard !kinds.isEmpty else { return nil }
    let places = (1...kinds.count).map { "$\($0)" }.joined(separator: ", ")
    return try await write { connection in
      try connection.run(
        """
        WITH next AS MATERIALIZED (
          SELECT seq FROM tasks WHERE state = 'queued' AND kind IN (\(places)) ORDER BY seq LIMIT 1
          FOR UPDATE SKIP LOCKED)
        UPDATE tasks SET state = 'processing', message = 'Begun', updated_at = store_now()
        FROM next WHERE tasks.seq = next.seq RETURNING tasks.*
        """, kinds.map(PostgresValue.text)
      ).first.map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  public func report(progress: Int, message: String, ofTask id: String) async throws {
    try await repeatable { connection in
      _ = try connection.run(
        """
        UPDATE tasks SET progress = greatest(progress, least(99, greatest(0, $2::int))), message = $3,
          updated_at = greatest(updated_at, store_now()) WHERE id = $1 AND state = 'processing'
        """, [.text(id), .init(min(99, max(0, progress))), .text(message)])
    }
  }

  /// See `TaskStore`.
  @discardableResult
  public func endTask(id: String, with result: Result<String, JobError>) async throws -> BackgroundTask? {
    let (state, message, json, error): (Job.State, String, String?, JobError?) =
      switch result {
      case .success(let json): (.completed, "Done", json, nil)
      case .failure(let error): (.failed, error.detail, nil, error)
      }
    return try await write { connection in
      try connection.run(
        """
        UPDATE tasks SET state = $2, progress = 100, message = $3, updated_at = greatest(updated_at, store_now()),
          ended_at = store_now(), result = $4, error_code = $5, error_detail = $6
        WHERE id = $1 AND state = 'processing' RETURNING *
        """,
        [
          .text(id), .text(state.rawValue), .text(message), PostgresValue(json), PostgresValue(error?.code.rawValue),
          PostgresValue(error?.detail),
        ]
      ).first.map(BackgroundTask.init(row:))
    }
  }

  /// See `TaskStore`.
  @discardableResult
  public func resumeTasks() async throws -> Int {
    try await write { connection in
      try connection.run(
        """
        UPDATE tasks SET state = 'queued', message = 'Waiting to begin anew: the server was stopped in the middle',
          updated_at = greatest(updated_at, store_now()) WHERE state = 'processing'
        """
      ).changed
    }
  }

  /// See `TaskStore`.
  public func pruneTasks(endedBefore date: Date, limit: Int) async throws -> [BackgroundTask] {
    try await write { connection in
      try connection.run(
        """
        DELETE FROM tasks WHERE seq IN (
          SELECT seq FROM tasks WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2)
        RETURNING *
        """, [.integer(date.microseconds), .init(limit)]
      ).rows.map(BackgroundTask.init(row:))
    }
  }
}

extension BackgroundTask {
  init(row: PostgresRow) throws {
    let detail = try row.optionalText("error_detail") ?? ""
    self.init(
      id: try row.text("id"), kind: try row.text("kind"), state: Job.State(rawValue: try row.text("state")) ?? .failed,
      progress: try row.count("progress"), message: try row.text("message"),
      createdAt: Date(microseconds: try row.integer("created_at")),
      updatedAt: Date(microseconds: try row.integer("updated_at")), parameters: try row.text("parameters"),
      result: try row.optionalText("result"),
      error: try row.optionalText("error_code").map { JobError(code: ErrorCode(stored: $0), detail: detail) })
  }
}
