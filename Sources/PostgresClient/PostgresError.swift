/// What can go wrong between this program and PostgreSQL.
package enum PostgresError: Error, Sendable, Equatable {
  /// No connection could be made; nothing was sent.
  case connectionFailed(String)
  /// The connection broke, or the answer did not come in time. `mayHaveChanged` is true where the change may have been
  /// made all the same: its commit was under way.
  case connectionLost(String, mayHaveChanged: Bool)
  /// The server refused the statement.
  case refused(PostgresRefusal)
  /// The answer has another form than the statement promises.
  case unexpectedAnswer(String)
  /// A value that PostgreSQL can't store.
  case unsendable(String)
  /// No connection of the pool became free in time; nothing was sent.
  case poolExhausted
  /// The pool has been closed.
  case closed

  /// Whether the transaction has changed nothing and may succeed when it is run once more.
  package var isWorthAnotherTry: Bool {
    switch self {
    case .connectionLost(_, let mayHaveChanged): !mayHaveChanged
    case .refused(let refusal): refusal.isWorthAnotherTry
    case .connectionFailed, .unexpectedAnswer, .unsendable, .poolExhausted, .closed: false
    }
  }

  /// Whether the server could not be asked, rather than having said no.
  package var isOutage: Bool {
    switch self {
    case .connectionFailed, .connectionLost, .poolExhausted, .closed: true
    case .refused(let refusal): refusal.isOutage
    case .unexpectedAnswer, .unsendable: false
    }
  }
}

/// The server's own word about a statement that it refused.
package struct PostgresRefusal: Error, Sendable, Equatable {
  /// Five characters, from the table of PostgreSQL's error codes.
  package var sqlState: String
  /// The server's sentence. It may name values.
  package var message: String
  /// The constraint that was broken, or nil.
  package var constraint: String?

  /// Creates a refusal.
  package init(sqlState: String, message: String, constraint: String? = nil) {
    self.sqlState = sqlState
    self.message = message
    self.constraint = constraint
  }

  /// Serialisation failure, deadlock, a lock not had in time, and statements prepared on another connection, as a pooler
  /// in transaction mode deals them out: each undoes the whole transaction.
  package var isWorthAnotherTry: Bool {
    ["40001", "40P01", "55P03"].contains(sqlState) || isOfPreparedStatements
  }

  /// `invalid_sql_statement_name`, `duplicate_prepared_statement`, and `feature_not_supported`, which a statement meets
  /// whose table has changed since it was prepared.
  package var isOfPreparedStatements: Bool { ["26000", "42P05", "0A000"].contains(sqlState) }

  /// A table, column or schema that this program made is missing: `undefined_table`, `undefined_column`,
  /// `undefined_function`, `invalid_schema_name`.
  package var isOfMissingTables: Bool { ["42P01", "42703", "42883", "3F000"].contains(sqlState) }

  /// Data exceptions, broken constraints and exceeded limits (classes 22, 23, 54): the same values are refused again.
  package var isPermanent: Bool { ["22", "23", "54"].contains(String(sqlState.prefix(2))) }

  /// `unique_violation`.
  package var isUniqueViolation: Bool { sqlState == "23505" }

  /// `disk_full`.
  package var isDiskFull: Bool { sqlState == "53100" }

  /// The server stops, starts, only reads, is full of connections, or broke the statement off: classes 08, 53, 57, 58,
  /// and `read_only_sql_transaction`.
  package var isOutage: Bool {
    ["08", "53", "57", "58"].contains(String(sqlState.prefix(2))) || sqlState == "25006"
  }
}
