/// Errors of communicating with PostgreSQL.
package enum PostgresError: Error, Sendable, Equatable {
  /// Connecting failed; nothing was sent.
  case connectionFailed(String)
  /// The connection was lost, or the result did not arrive in time. `mayHaveChanged` is true if a commit was in
  /// progress, so that the change may have been made.
  case connectionLost(String, mayHaveChanged: Bool)
  /// The server rejected the statement.
  case refused(PostgresRefusal)
  /// The result does not have the expected form.
  case unexpectedAnswer(String)
  /// A value that PostgreSQL can't store.
  case unsendable(String)
  /// No pooled connection became free in time; nothing was sent.
  case poolExhausted
  /// The pool has been closed.
  case closed

  /// Whether the transaction changed nothing and may succeed if retried.
  package var isWorthAnotherTry: Bool {
    switch self {
    case .connectionLost(_, let mayHaveChanged): !mayHaveChanged
    case .refused(let refusal): refusal.isWorthAnotherTry
    case .connectionFailed, .unexpectedAnswer, .unsendable, .poolExhausted, .closed: false
    }
  }

  /// Whether the server was unavailable, as opposed to rejecting the statement.
  package var isOutage: Bool {
    switch self {
    case .connectionFailed, .connectionLost, .poolExhausted, .closed: true
    case .refused(let refusal): refusal.isOutage
    case .unexpectedAnswer, .unsendable: false
    }
  }
}

/// The server's error for a rejected statement.
package struct PostgresRefusal: Error, Sendable, Equatable {
  /// The five-character SQLSTATE, from PostgreSQL's table of error codes.
  package var sqlState: String
  /// The server's message. It may contain values.
  package var message: String

  /// Creates a refusal.
  package init(sqlState: String, message: String) {
    self.sqlState = sqlState
    self.message = message
  }

  /// Whether the whole transaction is undone and can be retried: serialization failure, deadlock, lock timeout, and
  /// statements prepared on another connection behind a pooler in transaction mode.
  package var isWorthAnotherTry: Bool {
    ["40001", "40P01", "55P03"].contains(sqlState) || isOfPreparedStatements
  }

  /// Whether the error concerns a prepared statement: `invalid_sql_statement_name`, `duplicate_prepared_statement`, or
  /// `feature_not_supported`, which occurs if the table has changed since the statement was prepared.
  package var isOfPreparedStatements: Bool { ["26000", "42P05", "0A000"].contains(sqlState) }

  /// Whether one of this program's tables, columns or schemas is missing: `undefined_table`, `undefined_column`,
  /// `undefined_function`, `invalid_schema_name`.
  package var isOfMissingTables: Bool { ["42P01", "42703", "42883", "3F000"].contains(sqlState) }

  /// Whether the same values would fail again: data exceptions, violated constraints and exceeded limits (classes 22,
  /// 23, 54).
  package var isPermanent: Bool { ["22", "23", "54"].contains(String(sqlState.prefix(2))) }

  /// Whether the error is `unique_violation`.
  package var isUniqueViolation: Bool { sqlState == "23505" }

  /// Whether the error is `disk_full`.
  package var isDiskFull: Bool { sqlState == "53100" }

  /// Whether the server is unavailable: it stops, starts, is read-only, has no free connections, or cancelled the
  /// statement (classes 08, 53, 57, 58, and `read_only_sql_transaction`).
  package var isOutage: Bool {
    ["08", "53", "57", "58"].contains(String(sqlState.prefix(2))) || sqlState == "25006"
  }
}
