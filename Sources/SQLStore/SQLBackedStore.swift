import Foundation
import JobStore

/// A store in an SQL database.
///
/// Extensions of this protocol implement what both databases do alike: each statement once, using `SQLDialect`, and the
/// decoding of its rows.
package protocol SQLBackedStore: KeyStore, TaskStore, SerialStore, SerialCorrecting, JobListing, ModelCodeStore,
  DeviceStore, BatchStore, ChangeAnnouncing
{
  /// The database's connection.
  associatedtype Connection: SQLConnection

  /// The database's SQL dialect.
  static var dialect: SQLDialect { get }

  /// The current time in a statement, in microseconds since 1970: a value, or a call of the database's own function.
  var present: SQLStatement { get }

  /// Runs queries.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value

  /// Runs statements in one transaction, which is durable when this returns.
  func changing<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value

  /// Runs idempotent changes.
  func repeating<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value

  /// Like `changing`, for changes that end or delete something and must succeed even on a full disk.
  func changingOnFullDisk<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value

  /// Makes the transaction wait for others that end a job of the same photo or decide about it.
  static func lockPhoto(ofJob id: String, in connection: Connection) throws

  /// Whether the error is a violation of a unique constraint.
  static func isUniqueViolation(_ error: any Error) -> Bool

  /// Called before a serial is accepted. Throws if it would be lost.
  func requireTables() async throws

  /// Called after a change to ended jobs was committed.
  func forgetEnded(_ ids: [String])

  /// Notifies other machines that ended jobs were changed.
  func tellOthers(changed ids: [String])

  /// Notifies other machines that a job was deleted.
  func tellOthers(deleted job: DeletedJob)

  /// The condition that a task is waiting or its holder is gone.
  var taskMayBegin: SQLStatement { get }

  /// Assigns a task to this store instance for `lease` seconds.
  func holdingTask(for lease: TimeInterval) -> SQLStatement

  /// Releases a task.
  static var lettingGoOfTask: SQLStatement { get }
}

extension SQLBackedStore {
  /// See `SQLBackedStore`.
  package func changingOnFullDisk<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Value
  ) async throws -> Value {
    try await changing(body)
  }

  /// Does nothing, because only one transaction writes at a time.
  package static func lockPhoto(ofJob id: String, in connection: Connection) throws {}

  /// Does nothing.
  package func requireTables() async throws {}

  /// Does nothing, because no ended job is kept in memory.
  package func forgetEnded(_ ids: [String]) {}

  /// Does nothing, because no other machine shares the store.
  package func tellOthers(changed ids: [String]) {}

  /// Does nothing, because no other machine shares the store.
  package func tellOthers(deleted job: DeletedJob) {}

  /// Makes the transaction wait for all others that save, change or delete serials, until it ends.
  ///
  /// A transaction that does more than insert one serial calls this after it has locked its photos and jobs, and before
  /// it locks rows of serials, device values or devices. Otherwise two transactions can deadlock: the triggers of each
  /// statement lock the rows of devices and of counts in no common order. `insert` shares the lock.
  package static func lockSerials(in connection: any SQLConnection) throws {
    guard let lock = dialect.serialsLock else { return }
    _ = try connection.rows("SELECT \(lock.alone)")
  }

  /// Announces a person's committed changes to ended jobs.
  package func announce(changed ids: [String]) async {
    guard !ids.isEmpty else { return }
    let ids = Set(ids).sorted()
    forgetEnded(ids)
    tellOthers(changed: ids)
    guard changes.isFollowed else { return }
    // Followers that miss this find the change at their next request.
    let jobs = try? await reading { connection in
      try ids.compactMap { try Self.job(where: "id = \($0)", in: connection) }
    }
    for job in jobs ?? [] { changes.tellFollowers(of: .changed(job)) }
  }

  /// Announces a committed deletion. Waiters for the job's end are notified that it has ended.
  package func announce(deleted job: Job, at date: Date) {
    if !job.state.isEnd {
      var ended = job
      ended.state = .failed
      ended.progress = 100
      ended.updatedAt = date
      ended.error = .deleted
      ended.message = JobError.deleted.detail
      changes.publish(ended)
    }
    let deleted = DeletedJob(job)
    tellOthers(deleted: deleted)
    changes.tellFollowers(of: .deleted(deleted))
  }

  /// Returns a page of a list ordered by row number, latest first.
  ///
  /// - Parameter statement: Selects at most `most` rows with a number below `before`.
  func page<Item: Sendable>(
    of order: String, limit: Int, after cursor: String?, _ statement: (_ before: Int64, _ most: Int) -> SQLStatement,
    _ decode: @escaping @Sendable (any SQLRow) throws -> Item
  ) async throws -> Page<Item> {
    let statement = statement(try cursor.map { try Cursor($0, order: order).number } ?? .max, limit + 1)
    return try await reading { connection in
      let rows = try connection.rows(statement)
      let shown = rows.prefix(limit)
      let last = rows.count > shown.count ? try shown.last?.integer("seq") : nil
      return Page(
        items: try shown.map(decode),
        nextCursor: last.map { Cursor(value: .integer($0), number: $0, order: order).text })
    }
  }
}
