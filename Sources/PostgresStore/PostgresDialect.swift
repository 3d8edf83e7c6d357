import Foundation
import JobStore
import PostgresClient
import SQLStore

// PostgreSQL's implementation of the statements shared by both databases.

extension SQLDialect {
  /// The advisory lock that orders changes of serials.
  private static let serialsLockKey: Int64 = 0x5E21_A15C_0004

  static let postgres = SQLDialect(
    placeholder: { "$\($0)" }, greatest: "greatest", isSame: "IS NOT DISTINCT FROM", isOther: "IS DISTINCT FROM",
    lock: " FOR UPDATE", skipLocked: " FOR UPDATE SKIP LOCKED",
    serialsLock: (
      "pg_advisory_xact_lock(\(serialsLockKey))", "pg_advisory_xact_lock_shared(\(serialsLockKey))"
    ), sum: { "coalesce(sum(\($0)), 0)::bigint" },
    namesIndexes: false, hasTypes: true, losesAnswers: true,
    contains: { parts, table in
      "(\(SQLStatement.joined(parts.map { "\(sql: table.rawValue).search_text LIKE \(pattern($0))" }, by: " OR ")))"
    },
    containsInRow: { parts, table in
      let found = parts.map { "strpos(\(sql: table.rawValue).search_text, \($0)) > 0" as SQLStatement }
      return "(\(SQLStatement.joined(found, by: " OR ")))"
    })

  private static func pattern(_ part: String) -> String {
    "%" + ["\\", "%", "_"].reduce(part) { $0.replacing($1, with: "\\" + $1) } + "%"
  }
}

extension PostgresConnection: SQLConnection {
  package func rows(_ statement: SQLStatement) throws -> [any SQLRow] { try answer(to: statement).rows }

  @discardableResult
  package func change(_ statement: SQLStatement) throws -> Int { try answer(to: statement).changed }

  private func answer(to statement: SQLStatement) throws -> PostgresResult {
    try run(
      statement.text(in: .postgres), statement.values.map(PostgresValue.init), isReused: statement.isReused)
  }
}

extension PostgresRow: SQLRow {
  package func stored(_ column: String, as type: SQLType) throws -> SQLValue {
    switch type {
    case .text: try optionalText(column).map(SQLValue.text) ?? .null
    case .integer: try optionalInteger(column).map(SQLValue.integer) ?? .null
    case .real: try optionalReal(column).map(SQLValue.real) ?? .null
    }
  }
}

extension PostgresValue {
  fileprivate init(_ value: SQLValue) {
    switch value {
    case .null: self = .null
    case .text(let text): self = .text(text)
    case .integer(let number): self = .integer(number)
    case .real(let number): self = .real(number)
    case .flag(let flag): self = .boolean(flag)
    case .bytes(let bytes): self = .bytes([UInt8](bytes))
    }
  }
}

extension PostgresStore: SQLBackedStore {
  package static var dialect: SQLDialect { .postgres }

  package var present: SQLStatement { "store_now()" }

  package func reading<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await mapped { try await self.pool.read(body) }
  }

  package func changing<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await mapped { try await self.pool.transaction(body) }
  }

  package func repeating<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws -> Value
  ) async throws -> Value {
    try await reading(body)
  }

  package static func isUniqueViolation(_ error: any Error) -> Bool {
    guard case .refused(let refusal)? = error as? PostgresError else { return false }
    return refusal.isUniqueViolation
  }

  /// A task whose holder is gone can be claimed once its lease has expired.
  package var taskMayBegin: SQLStatement { "(state = 'queued' OR lease_until IS NULL OR lease_until <= store_now())" }

  package func holdingTask(for lease: TimeInterval) -> SQLStatement {
    "lease_until = store_now() + \(lease.microseconds)"
  }

  package static var lettingGoOfTask: SQLStatement { "token = NULL, lease_until = NULL" }

  package func tellOthers(changed ids: [String]) { feed.tellChange(of: ids) }

  package func tellOthers(deleted job: DeletedJob) { feed.tellDeletion(of: job) }
}

extension Job {
  /// The columns of `init(row:)` qualified by table, for joins.
  static let qualifiedColumns = columns.split(separator: ", ").map { "jobs.\($0)" }.joined(separator: ", ")
}
