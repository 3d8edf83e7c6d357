/// A connection to a database, inside a transaction or for one statement. Used by one thread at a time.
package protocol SQLConnection {
  /// Runs a statement and returns its rows.
  func rows(_ statement: SQLStatement) throws -> [any SQLRow]

  /// Runs a statement and returns the number of rows it changed.
  @discardableResult
  func change(_ statement: SQLStatement) throws -> Int
}

extension SQLConnection {
  /// Runs a statement and returns its first row, if any.
  package func first(_ statement: SQLStatement) throws -> (any SQLRow)? { try rows(statement).first }
}

/// A row of a result.
///
/// If a column has another type, the accessors of a typed database throw; those of a file, which may contain anything,
/// return the nearest value.
package protocol SQLRow {
  /// Returns a text; nil for NULL.
  func optionalText(_ column: String) throws -> String?
  /// Returns a text.
  func text(_ column: String) throws -> String
  /// Returns an integer; nil for NULL.
  func optionalInteger(_ column: String) throws -> Int64?
  /// Returns an integer.
  func integer(_ column: String) throws -> Int64
  /// Returns an integer that counts something in memory, clamped to the range of `Int`.
  func count(_ column: String) throws -> Int
  /// Returns a floating-point number; nil for NULL.
  func optionalReal(_ column: String) throws -> Double?
  /// Returns a Boolean.
  func flag(_ column: String) throws -> Bool
  /// Returns the stored value of a column of a type, unchanged, as a position in an order.
  func stored(_ column: String, as type: SQLType) throws -> SQLValue
}

/// The type of a column that lists can be sorted by.
package enum SQLType: Sendable {
  case text, integer, real
}
