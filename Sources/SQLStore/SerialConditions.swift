import Foundation
import JobStore

/// A filter as an SQL condition on the table `serials`, or on the daily counts if they suffice.
struct SerialConditions {
  /// Microseconds per day.
  static let day: Int64 = 86_400_000_000

  /// The device type in the daily counts. In both databases `lower` changes only ASCII letters here.
  static let countedType: SQLStatement = "lower(device_type)"
  private static let typeKey: SQLStatement = "device_type_key"

  private var clauses: [SQLStatement] = []
  private let dialect: SQLDialect
  /// Whether the condition is on the daily counts.
  let areDaily: Bool

  /// Uses the daily counts if they suffice and `daily` allows it.
  init(_ filter: SerialFilter, daily: Bool, dialect: SQLDialect) {
    self.dialect = dialect
    let search = SerialSearch(filter.search)
    let areWholeDays = [filter.from, filter.until].allSatisfy { date in
      date.map { $0.microseconds >= 0 && $0.microseconds.isMultiple(of: Self.day) } ?? true
    }
    let deviceType = filter.deviceType.map(SerialSearch.folded)
    // The daily counts ignore case only for `a` to `z`.
    let isTold = deviceType?.utf8.allSatisfy { $0 < 0x80 } ?? true
    areDaily = daily && areWholeDays && search == nil && filter.keyID == nil && isTold
    let (time, unit): (SQLStatement, Int64) = areDaily ? ("day", Self.day) : ("created_at", 1)
    switch search {
    case .parts(let parts)?: clauses.append(dialect.contains(parts))
    // Text sorts by its bytes, and U+10FFFF is the largest character.
    case .beginning(let prefix)?: clauses.append("serial >= \(prefix) AND serial < \(prefix + "\u{10FFFF}")")
    case nil: break
    }
    if let deviceType { clauses.append("\(areDaily ? Self.countedType : Self.typeKey) = \(deviceType)") }
    if let source = filter.source { clauses.append("source = \(source.rawValue)") }
    if let isValid = filter.isValid { clauses.append("valid = \(isValid)") }
    if let from = filter.from { clauses.append("\(time) >= \(from.microseconds / unit)") }
    if let until = filter.until { clauses.append("\(time) < \(until.microseconds / unit)") }
    if let keyID = filter.keyID { clauses.append("key_id = \(keyID)") }
  }

  var whereClause: SQLStatement { clauses.isEmpty ? "" : " WHERE \(SQLStatement.joined(clauses, by: " AND "))" }

  /// Restricts the rows to those after a position. NULL, which occurs here only in a damaged file, sorts first.
  mutating func add(after cursor: Cursor, by sort: SerialQuery.Sort, ascending: Bool) throws {
    let place = sort.column
    let value: SQLValue
    switch (cursor.value, sort.type) {
    case (.integer(let number), .integer): value = .integer(number)
    case (.real(let number), .real): value = .real(number)
    case (.text(let text), .text): value = .text(text)
    case _ where dialect.hasTypes: throw InvalidCursor()
    case (.integer(let number), _): value = .integer(number)
    case (.real(let number), _): value = .real(number)
    case (.text(let text), _): value = .text(text)
    case (.bytes(let bytes), _): value = .bytes(bytes)
    case (.nothing, _):
      clauses.append(
        ascending
          ? "(\(place) IS NOT NULL OR id > \(cursor.number))" : "(\(place) IS NULL AND id < \(cursor.number))")
      return
    }
    let isBehind: SQLStatement = ascending ? ">" : "<"
    clauses.append("(\(place), id) \(isBehind) (\(value), \(cursor.number))")
  }
}

extension SerialQuery.Sort {
  /// The column to sort by.
  var column: SQLStatement {
    switch self {
    case .createdAt: "created_at"
    case .serial: "serial"
    case .confidence: "confidence"
    case .deviceType: "device_type_key"
    }
  }

  /// The type of `column`.
  var type: SQLType {
    switch self {
    case .createdAt: .integer
    case .confidence: .real
    case .serial, .deviceType: .text
    }
  }

  /// The position after a row, from the value that the database itself sorted by. The decoded form of a damaged value
  /// may sort differently.
  func cursor(after row: any SQLRow) throws -> Cursor {
    let value: Cursor.Value =
      switch try row.stored("place", as: type) {
      case .integer(let number): .integer(number)
      case .real(let number): .real(min(max(number, -.greatestFiniteMagnitude), .greatestFiniteMagnitude))
      case .text(let text): .text(text)
      case .bytes(let bytes): .bytes(bytes)
      case .null, .flag: .nothing
      }
    return Cursor(value: value, number: try row.integer("id"), order: rawValue)
  }
}
