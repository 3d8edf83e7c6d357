import JobStore

/// The differences between the two databases' SQL.
package struct SQLDialect: Sendable {
  /// The placeholder of the bound value with a number, starting at 1.
  package var placeholder: @Sendable (Int) -> String
  /// The function that returns the larger of two values.
  package var greatest: SQLStatement
  /// The operator that compares two values treating NULLs as equal.
  package var isSame: SQLStatement
  /// The negation of `isSame`.
  package var isOther: SQLStatement
  /// The suffix of a query that locks the rows the transaction changes next.
  package var lock: SQLStatement
  /// The suffix of a query that locks rows and skips those locked by other transactions.
  package var skipLocked: SQLStatement
  /// An integer sum, 0 over no rows.
  package var sum: @Sendable (_ column: SQLStatement) -> SQLStatement
  /// Whether a query can name its index. SQLite needs it, because it has no statistics here.
  package var namesIndexes: Bool
  /// Whether every value of a column has the column's type.
  package var hasTypes: Bool
  /// Whether the response to a change can be lost, so that a save needs an id.
  package var losesAnswers: Bool
  /// The condition that the column `search_text` contains one of several substrings of at least three characters.
  package var contains: @Sendable (_ parts: [String]) -> SQLStatement

  /// Creates a dialect.
  package init(
    placeholder: @escaping @Sendable (Int) -> String, greatest: SQLStatement, isSame: SQLStatement,
    isOther: SQLStatement, lock: SQLStatement, skipLocked: SQLStatement,
    sum: @escaping @Sendable (SQLStatement) -> SQLStatement,
    namesIndexes: Bool, hasTypes: Bool, losesAnswers: Bool,
    contains: @escaping @Sendable (_ parts: [String]) -> SQLStatement
  ) {
    self.placeholder = placeholder
    (self.greatest, self.isSame, self.isOther) = (greatest, isSame, isOther)
    (self.lock, self.skipLocked, self.sum) = (lock, skipLocked, sum)
    (self.namesIndexes, self.hasTypes, self.losesAnswers) = (namesIndexes, hasTypes, losesAnswers)
    self.contains = contains
  }

  /// A clause that names a table's index, if the dialect supports it.
  func index(_ name: String) -> SQLStatement { namesIndexes ? " INDEXED BY \(sql: name)" : "" }
}
