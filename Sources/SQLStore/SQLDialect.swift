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
  /// The calls that wait for the lock that orders changes of serials until the transaction ends, alone and shared with
  /// others; nil if only one transaction writes at a time.
  package var serialsLock: (alone: SQLStatement, shared: SQLStatement)?
  /// An integer sum, 0 over no rows.
  package var sum: @Sendable (_ column: SQLStatement) -> SQLStatement
  /// Whether a query can name its index. SQLite needs it, because it has no statistics here.
  package var namesIndexes: Bool
  /// Whether every value of a column has the column's type.
  package var hasTypes: Bool
  /// Whether the response to a change can be lost, so that a save needs an id.
  package var losesAnswers: Bool
  /// The condition that the column `search_text` of a table contains one of several substrings of at least three
  /// characters.
  package var contains: @Sendable (_ parts: [String], _ table: SearchedTable) -> SQLStatement

  /// Like `contains`, but checks each row instead of using the index, for lists that stop after a few of many matches.
  package var containsInRow: @Sendable (_ parts: [String], _ table: SearchedTable) -> SQLStatement
  /// Selects a row for each match in the index, for counting; nil if the planner can estimate their number.
  package var matches: (@Sendable (_ parts: [String], _ table: SearchedTable) -> SQLStatement)?

  /// Creates a dialect.
  package init(
    placeholder: @escaping @Sendable (Int) -> String, greatest: SQLStatement, isSame: SQLStatement,
    isOther: SQLStatement, lock: SQLStatement, skipLocked: SQLStatement,
    serialsLock: (alone: SQLStatement, shared: SQLStatement)? = nil,
    sum: @escaping @Sendable (SQLStatement) -> SQLStatement,
    namesIndexes: Bool, hasTypes: Bool, losesAnswers: Bool,
    contains: @escaping @Sendable (_ parts: [String], _ table: SearchedTable) -> SQLStatement,
    containsInRow: @escaping @Sendable (_ parts: [String], _ table: SearchedTable) -> SQLStatement,
    matches: (@Sendable (_ parts: [String], _ table: SearchedTable) -> SQLStatement)? = nil
  ) {
    self.placeholder = placeholder
    (self.greatest, self.isSame, self.isOther) = (greatest, isSame, isOther)
    (self.lock, self.skipLocked, self.serialsLock, self.sum) = (lock, skipLocked, serialsLock, sum)
    (self.namesIndexes, self.hasTypes, self.losesAnswers) = (namesIndexes, hasTypes, losesAnswers)
    (self.contains, self.containsInRow, self.matches) = (contains, containsInRow, matches)
  }

  /// The condition that a row comes after a position in an order. Throws `InvalidCursor`.
  ///
  /// NULL, which occurs here only in a damaged file, sorts first.
  func isAfter(
    _ cursor: Cursor, place: SQLStatement, number: SQLStatement, type: SQLType, ascending: Bool
  ) throws -> SQLStatement {
    let value: SQLValue
    switch (cursor.value, type) {
    case (.integer(let number), .integer): value = .integer(number)
    case (.real(let number), .real): value = .real(number)
    case (.text(let text), .text): value = .text(text)
    case _ where hasTypes: throw InvalidCursor()
    case (.integer(let number), _): value = .integer(number)
    case (.real(let number), _): value = .real(number)
    case (.text(let text), _): value = .text(text)
    case (.bytes(let bytes), _): value = .bytes(bytes)
    case (.nothing, _):
      return ascending
        ? "(\(place) IS NOT NULL OR \(number) > \(cursor.number))"
        : "(\(place) IS NULL AND \(number) < \(cursor.number))"
    }
    let isBehind: SQLStatement = ascending ? ">" : "<"
    return "(\(place), \(number)) \(isBehind) (\(value), \(cursor.number))"
  }

  /// A clause that names a table's index, if the dialect supports it.
  func index(_ name: String) -> SQLStatement { namesIndexes ? " INDEXED BY \(sql: name)" : "" }
}

/// A table with a substring index of its column `search_text`.
package enum SearchedTable: String, Sendable {
  case serials
  case devices

  /// SQLite's substring index.
  package var index: String { self == .serials ? "serial_search" : "device_search" }
}

extension Cursor {
  /// The position after a row, from the value in its column `place`, by which the database itself sorted. The decoded
  /// form of a damaged value may sort differently.
  init(after row: any SQLRow, type: SQLType, order: String) throws {
    let value: Value =
      switch try row.stored("place", as: type) {
      case .integer(let number): .integer(number)
      case .real(let number): .real(min(max(number, -.greatestFiniteMagnitude), .greatestFiniteMagnitude))
      case .text(let text): .text(text)
      case .bytes(let bytes): .bytes(bytes)
      case .null, .flag: .nothing
      }
    self.init(value: value, number: try row.integer("id"), order: order)
  }
}
