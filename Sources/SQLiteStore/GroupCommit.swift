import GRDB
import Support

/// Writes to one database, combining concurrent writes into one transaction.
///
/// A commit costs one wait for the disk. While one is in progress, further writes queue up, and the next transaction
/// runs them all. Each has its own savepoint: if it fails, only its changes are undone. A write returns after its
/// commit.
final class GroupCommit: Sendable {
  /// Maximum number of writes per transaction, which bounds how long the first waits for the last.
  static let mostWrites = 256

  private struct Pending: Sendable {
    /// Runs the write. Returns a closure that passes the commit's outcome to the caller: nil or the error.
    let run: @Sendable (Database) throws -> (@Sendable ((any Error)?) -> Void)
    let fail: @Sendable (any Error) -> Void
  }

  private struct State {
    var pending: [Pending] = []
    var isScheduled = false
  }

  private let pool: DatabasePool
  private let state = Locked(State())

  init(pool: DatabasePool) {
    self.pool = pool
  }

  /// Runs `body` in a transaction and returns its value once that is durable.
  ///
  /// If `body` throws, its changes are undone and the error is rethrown; if the commit fails, every caller in it gets
  /// the error. Cancelling the task has no effect: a write that has started is completed.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let pending = Pending(
        run: { database in
          let value = try body(database)
          return { error in
            if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: value) }
          }
        },
        fail: { continuation.resume(throwing: $0) })
      let mustSchedule = state.withLock { state in
        state.pending.append(pending)
        defer { state.isScheduled = true }
        return !state.isScheduled
      }
      if mustSchedule { schedule() }
    }
  }

  private func schedule() {
    pool.asyncWriteWithoutTransaction { [self] database in
      commit(takeBatch(), to: database)
      let isMoreWaiting = state.withLock { state in
        state.isScheduled = !state.pending.isEmpty
        return state.isScheduled
      }
      if isMoreWaiting { schedule() }
    }
  }

  private func takeBatch() -> [Pending] {
    state.withLock { state in
      let batch = Array(state.pending.prefix(Self.mostWrites))
      state.pending = Array(state.pending.dropFirst(batch.count))
      return batch
    }
  }

  private func commit(_ batch: [Pending], to database: Database) {
    var answers: [@Sendable ((any Error)?) -> Void] = []
    var remaining = batch[...]
    do {
      try database.inTransaction(.immediate) {
        while let write = remaining.popFirst() {
          do {
            answers.append(try inSavepoint(database, write))
          } catch {
            write.fail(error)
            // SQLite itself has rolled back, as it does on a full disk.
            guard database.isInsideTransaction else { throw error }
          }
        }
        return .commit
      }
      for answer in answers { answer(nil) }
    } catch {
      for answer in answers { answer(error) }
      for write in remaining { write.fail(error) }
    }
  }

  /// Uses plain statements instead of `Database.inSavepoint`, which would end the transaction on failure.
  private func inSavepoint(
    _ database: Database, _ write: Pending
  ) throws -> @Sendable ((any Error)?) -> Void {
    try database.execute(sql: "SAVEPOINT one_write")
    do {
      let answer = try write.run(database)
      try database.execute(sql: "RELEASE one_write")
      return answer
    } catch {
      if database.isInsideTransaction {
        try database.execute(sql: "ROLLBACK TO one_write")
        try database.execute(sql: "RELEASE one_write")
      }
      throw error
    }
  }
}
