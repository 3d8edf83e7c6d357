import CPostgres
import Foundation

/// What a statement answered. It owns libpq's result; rows are read from it and hold it alive.
package final class PostgresResult {
  private let result: OpaquePointer
  /// How many rows there are.
  package let count: Int
  private let columns: [String: Int32]

  /// Takes the result over.
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

  /// How many rows the statement changed.
  package var changed: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  /// The rows in order.
  package var rows: [PostgresRow] { (0..<count).map { PostgresRow(result: self, number: Int32(clamping: $0)) } }

  /// The first row, or nil.
  package var first: PostgresRow? { count > 0 ? PostgresRow(result: self, number: 0) : nil }

  /// The bytes of a value, nil for null. Throws where there is no such column.
  fileprivate func bytes(_ name: String, row: Int32) throws(PostgresError) -> UnsafeRawBufferPointer? {
    guard let column = columns[name] else { throw .unexpectedAnswer("no column \(name)") }
    guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else { return nil }
    return UnsafeRawBufferPointer(start: value, count: max(0, Int(clamping: PQgetlength(result, row, column))))
  }
}

/// A row of a result. Every accessor throws where the value has another form than asked for.
package struct PostgresRow {
  fileprivate let result: PostgresResult
  fileprivate let number: Int32

  /// A text, or nil for null.
  package func optionalText(_ name: String) throws(PostgresError) -> String? {
    try result.bytes(name, row: number).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A text.
  package func text(_ name: String) throws(PostgresError) -> String {
    guard let text = try optionalText(name) else { throw .unexpectedAnswer("\(name) is null") }
    return text
  }

  /// A whole number, or nil for null.
  package func optionalInteger(_ name: String) throws(PostgresError) -> Int64? {
    guard let text = try optionalText(name) else { return nil }
    guard let number = Int64(text) else { throw .unexpectedAnswer("\(name) is no whole number") }
    return number
  }

  /// A whole number.
  package func integer(_ name: String) throws(PostgresError) -> Int64 {
    guard let number = try optionalInteger(name) else { throw .unexpectedAnswer("\(name) is null") }
    return number
  }

  /// A whole number that counts something in memory; what does not fit is the nearest that does.
  package func count(_ name: String) throws(PostgresError) -> Int { Int(clamping: try integer(name)) }

  /// A number, or nil for null.
  package func optionalReal(_ name: String) throws(PostgresError) -> Double? {
    guard let text = try optionalText(name) else { return nil }
    guard let number = Double(text) else { throw .unexpectedAnswer("\(name) is no number") }
    return number
  }

  /// A truth value.
  package func flag(_ name: String) throws(PostgresError) -> Bool { try text(name) == "t" }

  /// Bytes of a statement run with `inBinary`, or nil for null.
  package func optionalBytes(_ name: String) throws(PostgresError) -> [UInt8]? {
    try result.bytes(name, row: number).map { [UInt8]($0) }
  }
}
