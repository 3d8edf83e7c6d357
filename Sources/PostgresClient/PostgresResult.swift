import CPostgres
import Foundation

/// A statement's result. It owns libpq's result; its rows keep it alive.
package final class PostgresResult {
  private let result: OpaquePointer
  /// Number of rows.
  package let count: Int
  private let columns: [String: Int32]

  /// Takes ownership of a libpq result.
  init(owning result: OpaquePointer) {
    self.result = result
    count = Int(clamping: PQntuples(result))
    var columns: [String: Int32] = [:]
    for index in 0..<PQnfields(result) {
      if let name = PQfname(result, index) { columns[String(cString: name)] = index }
    }
    self.columns = columns
  }

  deinit { PQclear(result) }

  /// Number of rows that the statement changed.
  package var changed: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// The rows in order.
  package var rows: [PostgresRow] { (0..<count).map { PostgresRow(result: self, number: Int32(clamping: $0)) } }

  /// The first row, or nil.
  package var first: PostgresRow? { count > 0 ? PostgresRow(result: self, number: 0) : nil }

  /// Returns the bytes of a value; nil for NULL. Throws if the column does not exist.
  fileprivate func bytes(_ name: String, row: Int32) throws(PostgresError) -> UnsafeRawBufferPointer? {
    guard let column = columns[name] else { throw .unexpectedAnswer("no column \(name)") }
    guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else { return nil }
    return UnsafeRawBufferPointer(start: value, count: max(0, Int(clamping: PQgetlength(result, row, column))))
  }
}

/// A row of a result. Every accessor throws if the value has another type.
package struct PostgresRow {
  fileprivate let result: PostgresResult
  fileprivate let number: Int32

  /// Returns a text; nil for NULL.
  package func optionalText(_ name: String) throws(PostgresError) -> String? {
    try result.bytes(name, row: number).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a text.
  package func text(_ name: String) throws(PostgresError) -> String {
    guard let text = try optionalText(name) else { throw .unexpectedAnswer("\(name) is null") }
    return text
  }

  /// Returns an integer; nil for NULL.
  package func optionalInteger(_ name: String) throws(PostgresError) -> Int64? {
    guard let text = try optionalText(name) else { return nil }
    guard let number = Int64(text) else { throw .unexpectedAnswer("\(name) is not an integer") }
    return number
  }

  /// Returns an integer.
  package func integer(_ name: String) throws(PostgresError) -> Int64 {
    guard let number = try optionalInteger(name) else { throw .unexpectedAnswer("\(name) is null") }
    return number
  }

  /// Returns an integer that counts something in memory, clamped to the range of `Int`.
  package func count(_ name: String) throws(PostgresError) -> Int { Int(clamping: try integer(name)) }

  /// Returns a floating-point number; nil for NULL.
  package func optionalReal(_ name: String) throws(PostgresError) -> Double? {
    guard let text = try optionalText(name) else { return nil }
    guard let number = Double(text) else { throw .unexpectedAnswer("\(name) is not a number") }
    return number
  }

  /// Returns a Boolean.
  package func flag(_ name: String) throws(PostgresError) -> Bool { try text(name) == "t" }

  /// Returns the bytes of a value from a statement run with `inBinary`; nil for NULL.
  package func optionalBytes(_ name: String) throws(PostgresError) -> [UInt8]? {
    try result.bytes(name, row: number).map { [UInt8]($0) }
  }
}
