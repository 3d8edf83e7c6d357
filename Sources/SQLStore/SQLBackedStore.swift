import Foundation
import JobStore

/// A store in an SQL database. Everything that both databases do alike is written in extensions of this protocol: a statement
/// once, in the words of `SQLDialect`, and what is read from its rows.
package protocol SQLBackedStore: KeyStore, TaskStore, SerialStore, SerialCorrecting, JobListing {
  /// The database's language.
  static var dialect: SQLDialect { get }

  /// The present for a statement, in microseconds since 1970: a value, or the database's own function.
  var present: SQLStatement { get }

  /// Runs queries.
  func reading<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value

  /// Runs statements in one transaction, durable once this returns.
  func changing<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value

  /// Runs changes that may be made twice without harm.
  func repeating<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value

  /// As `changing`, for changes that must succeed on a full disk too: they end or delete something.
  func changingOnFullDisk<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value

  /// Whether the database refused a row because another has its unique value.
  static func isUniqueViolation(_ error: any Error) -> Bool

  /// Called before a serial is accepted. Throws where it would be lost.
  func requireTables() async throws

  /// Called after a change of ended jobs was committed.
  func forgetEnded(_ ids: [String])

  /// The condition that a task waits, or its holder is gone.
  var taskMayBegin: SQLStatement { get }

  /// Assigns a task to this opening for some seconds.
  func holdingTask(for lease: TimeInterval) -> SQLStatement

  /// Assigns a task to nobody.
  static var lettingGoOfTask: SQLStatement { get }
}

extension SQLBackedStore {
  /// See `SQLBackedStore`.
  package func changingOnFullDisk<Value: Sendable>(
    _ body: @escaping @Sendable (any SQLConnection) throws -> Value
  ) async throws -> Value {
    try await changing(body)
  }

  /// Nothing.
  package func requireTables() async throws {}

  /// Nothing: no ended job is kept in memory.
  package func forgetEnded(_ ids: [String]) {}

  /// A page of a list in the order of its rows' numbers, the latest first.
  ///
  /// - Parameter statement: Selects at most so many rows with a number below the first.
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
