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
    areDaily = daily && areWholeDays && search == nil && filter.keyID == nil && filter.batchID == nil && isTold
    let (time, unit): (SQLStatement, Int64) = areDaily ? ("day", Self.day) : ("created_at", 1)
    switch search {
    case .parts(let parts)?: clauses.append(dialect.contains(parts, .serials))
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
    if let batchID = filter.batchID { clauses.append("batch_id = \(batchID)") }
  }

  var whereClause: SQLStatement { .conditions(clauses) }

  /// Restricts the rows to those after a position. Throws `InvalidCursor`.
  mutating func add(after cursor: Cursor, by sort: SerialQuery.Sort, ascending: Bool) throws {
    clauses.append(
      try dialect.isAfter(cursor, place: sort.column, number: "id", type: sort.type, ascending: ascending))
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
}

extension SerialQuery {
  /// The name of the order in cursors, with its direction.
  package var cursorName: String { ascending ? "\(sort.rawValue) ascending" : sort.rawValue }
}
