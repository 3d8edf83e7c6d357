import Foundation
import GRDB
import SQLStore

// Total column accessors. A database may contain anything, because another program wrote it or a disk damaged it, and
// GRDB's own subscripts trap if a value has another type. These replace them throughout this module, because a
// subscript of a concrete type takes precedence over a generic one. Each returns a value for any stored contents.

extension Row {
  /// Returns a text or a number's digits; the empty text for anything else.
  subscript(_ column: String) -> String { self[column] ?? "" }

  /// Returns a text or a number's digits; nil for anything else.
  subscript(_ column: String) -> String? {
    switch stored(column) {
    case .string(let text): text
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .blob, .null: nil
    }
  }

  /// Returns an integer, converting other types; 0 if impossible.
  subscript(_ column: String) -> Int64 { self[column] ?? 0 }

  /// Returns an integer, converting other types and clamping to the range of `Int64`; nil if impossible.
  subscript(_ column: String) -> Int64? {
    switch stored(column) {
    case .int64(let number): number
    case .double(let number): Self.whole(number)
    case .string(let text): Double(text).flatMap(Self.whole)
    case .blob, .null: nil
    }
  }

  /// Returns an integer as for `Int64`, clamped so that sums can't overflow: no count of rows, bytes or attempts is
  /// larger.
  subscript(_ column: String) -> Int { self[column] ?? 0 }

  /// Returns an integer as for `Int64?`, clamped so that sums can't overflow: no count of rows, bytes or attempts is
  /// larger.
  subscript(_ column: String) -> Int? {
    let number: Int64? = self[column]
    return number.map { Int(clamping: Swift.min(Swift.max($0, -Self.mostCounted), Self.mostCounted)) }
  }

  /// Returns a finite number; 0 for anything else.
  subscript(_ column: String) -> Double { self[column] ?? 0 }

  /// Returns a finite number; nil for anything else.
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

  /// Returns whether a number other than 0 is stored.
  subscript(_ column: String) -> Bool {
    let number: Double? = self[column]
    return number.map { $0 != 0 } ?? false
  }

  /// The largest count: a million of them can be added without overflow.
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

/// Returns the first column of every row as text; skips rows without one.
func texts(of rows: [Row], _ column: String) -> [String] {
  rows.compactMap { row in
    let text: String? = row[column]
    return text
  }
}
