import Foundation
import GRDB
import JobStore
import SQLStore

// SQLite's implementation of the statements shared by both databases.

extension SQLDialect {
  static let sqlite = SQLDialect(
    placeholder: { _ in "?" }, greatest: "max", isSame: "IS", isOther: "IS NOT", lock: "", skipLocked: "",
    // `sum` fails on numbers too large in a damaged file.
    sum: { "CAST(total(\($0)) AS INTEGER)" }, namesIndexes: true, hasTypes: false, losesAnswers: false,
    contains: { parts, table in
      "\(sql: table.rawValue).id IN (SELECT rowid\(matching(parts, table)))"
    },
    containsInRow: { parts, table in
      let found = parts.map { "instr(\(sql: table.rawValue).search_text, \($0)) > 0" as SQLStatement }
      return "(\(SQLStatement.joined(found, by: " OR ")))"
    }, matches: { parts, table in "SELECT 1\(matching(parts, table))" })

  private static func matching(_ parts: [String], _ table: SearchedTable) -> SQLStatement {
    let phrases = parts.map(phrase).joined(separator: " OR ")
    return " FROM \(sql: table.index) WHERE \(sql: table.index) MATCH \(phrases)"
  }

  private static func phrase(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }
}

extension Database: SQLConnection {
  package func rows(_ statement: SQLStatement) throws -> [any SQLRow] {
    try Row.fetchAll(prepared(statement), arguments: StatementArguments(statement.values.map(\.databaseValue)))
  }

  @discardableResult
  package func change(_ statement: SQLStatement) throws -> Int {
    try prepared(statement).execute(arguments: StatementArguments(statement.values.map(\.databaseValue)))
    return changesCount
  }

  private func prepared(_ statement: SQLStatement) throws -> Statement {
    let sql = statement.text(in: .sqlite)
    return try statement.isReused ? cachedStatement(sql: sql) : makeStatement(sql: sql)
  }
}

extension SQLValue {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .text(let text): text.databaseValue
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .flag(let flag): flag.databaseValue
    case .bytes(let bytes): bytes.databaseValue
    }
  }
}

extension SQLiteJobStore: SQLBackedStore {
  package static var dialect: SQLDialect { .sqlite }

  package var present: SQLStatement { "\(clock.now().microseconds)" }

  package func reading<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await freshness?.require()
    return try await mapped { try await self.pool.read(body) }
  }

  /// Shares its transaction with other writes that arrive meanwhile.
  package func changing<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await freshness?.require()
    return try await mapped { try await self.group.write(body) }
  }

  package func repeating<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await changing(body)
  }

  package static func isUniqueViolation(_ error: any Error) -> Bool {
    (error as? DatabaseError)?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE
  }

  package func forgetEnded(_ ids: [String]) { ended.forget(ids) }

  /// On a server, tasks held by another instance can be claimed immediately, because that process is gone.
  package var taskMayBegin: SQLStatement {
    """
    (state = 'queued' OR lease_tick <= \(clock.tick()) OR boot IS NOT \(clock.boot)
      OR (\(options.isServer) AND holder IS NOT \(holder)))
    """
  }

  package func holdingTask(for lease: TimeInterval) -> SQLStatement {
    "lease_tick = \(clock.tick() + lease.microseconds), boot = \(clock.boot), holder = \(holder)"
  }

  package static var lettingGoOfTask: SQLStatement { "token = NULL, holder = NULL, lease_tick = NULL" }
}
