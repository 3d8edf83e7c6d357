import Foundation
import GRDB
import SQLStore

// A database may hold anything: another program has written it, a disk has damaged it. GRDB's own subscripts end the
// program where a value is not of the type asked for. These take their place wherever this module reads a column, since a
// subscript of a concrete type goes before a generic one: each gives some value for whatever is stored.

extension Row {
  /// Text; a number in digits, the empty text for anything else.
  subscript(_ column: String) -> String { self[column] ?? "" }

  /// Text; a number in digits, nil for anything else.
  subscript(_ column: String) -> String? {
    switch stored(column) {
    case .string(let text): text
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .blob, .null: nil
    }
  }

  /// A whole number, also where it is stored as another kind; 0 for anything else.
  subscript(_ column: String) -> Int64 { self[column] ?? 0 }

  /// A whole number, also where it is stored as another kind; nil for anything else. One that is too large is held to the
  /// largest.
  subscript(_ column: String) -> Int64? {
    switch stored(column) {
    case .int64(let number): number
    case .double(let number): Self.whole(number)
    case .string(let text): Double(text).flatMap(Self.whole)
    case .blob, .null: nil
    }
  }

  /// As `Int64`, held to what can be added up: no number of rows, bytes or attempts is larger.
  subscript(_ column: String) -> Int { self[column] ?? 0 }

  /// As `Int64?`, held to what can be added up: no number of rows, bytes or attempts is larger.
  subscript(_ column: String) -> Int? {
    let number: Int64? = self[column]
    return number.map { Int(clamping: Swift.min(Swift.max($0, -Self.mostCounted), Self.mostCounted)) }
  }

  /// A finite number; 0 for anything else.
  subscript(_ column: String) -> Double { self[column] ?? 0 }

  /// A finite number; nil for anything else.
  subscript(_ column: String) -> Double? {
    let number: Double? =
      switch stored(column) {
      case .int64(let number): Double(number)
      case .double(let number): number
      case .string(let text): Double(text)
      case .blob, .null: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Whether a number other than 0 is stored.
  subscript(_ column: String) -> Bool {
    let number: Double? = self[column]
    return number.map { $0 != 0 } ?? false
  }

  /// The largest number that is counted with: a million of them can be added up.
  private static let mostCounted: Int64 = 1_000_000_000_000

  private static func whole(_ number: Double) -> Int64? {
    guard !number.isNaN else { return nil }
    return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
  }

  private func stored(_ column: String) -> DatabaseValue.Storage {
    let value: DatabaseValue? = self[column]
    return value?.storage ?? .null
  }
}

extension Row: SQLRow {
  package func optionalText(_ column: String) -> String? { self[column] }
  package func text(_ column: String) -> String { self[column] }
  package func optionalInteger(_ column: String) -> Int64? { self[column] }
  package func integer(_ column: String) -> Int64 { self[column] }
  package func count(_ column: String) -> Int { self[column] }
  package func optionalReal(_ column: String) -> Double? { self[column] }
  package func flag(_ column: String) -> Bool { self[column] }

  package func stored(_ column: String, as type: SQLType) -> SQLValue {
    switch stored(column) {
    case .null: .null
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    case .blob(let bytes): .bytes(bytes)
    }
  }
}

/// The first column of every row as text; rows without any are left out.
func texts(of rows: [Row], _ column: String) -> [String] {
  rows.compactMap { row in
    let text: String? = row[column]
    return text
  }
}
