import JobStore

/// Where the two databases' languages differ.
package struct SQLDialect: Sendable {
  /// The place of a bound value, by its number from 1 on.
  package var placeholder: @Sendable (Int) -> String
  /// The function that gives the larger of two values.
  package var greatest: SQLStatement
  /// Compares two values of which each may be null.
  package var isSame: SQLStatement
  /// The opposite of `isSame`.
  package var isOther: SQLStatement
  /// Ends a query for a row that the transaction changes next.
  package var lock: SQLStatement
  /// Ends a query for rows to be changed, without those that another transaction is changing.
  package var skipLocked: SQLStatement
  /// A sum of whole numbers as a whole number, 0 over no rows.
  package var sum: @Sendable (_ column: SQLStatement) -> SQLStatement
  /// Whether a query can name its index: SQLite has no statistics and needs it.
  package var namesIndexes: Bool
  /// Whether every value of a column has the column's type.
  package var hasTypes: Bool
  /// Whether the answer to a change can be lost on its way, so that a save carries an id of its own.
  package var losesAnswers: Bool
  /// The condition that the column `search_text` contains one of some parts of three characters and more.
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

  /// Names the index of a table, where that can be done.
  func index(_ name: String) -> SQLStatement { namesIndexes ? " INDEXED BY \(sql: name)" : "" }
}
