/// A connection to a database, inside a transaction or for one statement. It is used by one thread at a time.
package protocol SQLConnection {
  /// Runs a statement and returns its rows.
  func rows(_ statement: SQLStatement) throws -> [any SQLRow]

  /// Runs a statement and returns how many rows it changed.
  @discardableResult
  func change(_ statement: SQLStatement) throws -> Int
}

extension SQLConnection {
  /// Runs a statement and returns its first row.
  package func first(_ statement: SQLStatement) throws -> (any SQLRow)? { try rows(statement).first }
}

/// A row of an answer. The accessors throw, or give the nearest value, where a column holds another type: a file may hold
/// anything, a typed database may not.
package protocol SQLRow {
  /// A text; nil for null.
  func optionalText(_ column: String) throws -> String?
  /// A text.
  func text(_ column: String) throws -> String
  /// A whole number; nil for null.
  func optionalInteger(_ column: String) throws -> Int64?
  /// A whole number.
  func integer(_ column: String) throws -> Int64
  /// A whole number of something in memory, held to what an `Int` takes.
  func count(_ column: String) throws -> Int
  /// A number; nil for null.
  func optionalReal(_ column: String) throws -> Double?
  /// A truth value.
  func flag(_ column: String) throws -> Bool
  /// What is stored in a column of a type, unchanged: a place in an order.
  func stored(_ column: String, as type: SQLType) throws -> SQLValue
}

/// The type of a column that lists are sorted by.
package enum SQLType: Sendable {
  case text, integer, real
}
