import Foundation
import JobStore

/// A filter as SQL conditions on the table `devices`, and on `device_facets`, which holds properties that a device can
/// have several of.
struct DeviceConditions {
  /// A property that a device can have several of: a source or a key of its reads, or a custom value.
  struct Facet {
    var name: String
    var value: String

    /// The condition that a row of `device_facets` is this facet's.
    var condition: SQLStatement { "facet.name = \(name) AND facet.value = \(value)" }
  }

  /// If at most this many devices have a facet, a list in an unusual order checks each of them; otherwise it searches
  /// along the order's index.
  static let fewDevices = 20_000

  /// The devices of a facet. `CROSS JOIN` keeps SQLite from scanning the devices first.
  static let joined = "device_facets AS facet CROSS JOIN devices"

  /// The facets, the one that probably matches the fewest devices first.
  let facets: [Facet]
  private let search: SerialSearch?
  private let clauses: [SQLStatement]
  private let batchID: String?
  private let from: Date?
  private let until: Date?
  private let dialect: SQLDialect

  init(_ filter: DeviceFilter, dialect: SQLDialect) {
    self.dialect = dialect
    let custom = filter.custom.sorted { $0.key < $1.key }.map {
      Facet(name: "custom.\($0.key)", value: SerialSearch.folded($0.value))
    }
    facets =
      custom + [filter.keyID.map { Facet(name: "key", value: $0) }].compactMap(\.self)
      + [filter.source.map { Facet(name: "source", value: $0.rawValue) }].compactMap(\.self)
    search = SerialSearch(filter.search)
    var clauses: [SQLStatement] = []
    if let type = filter.deviceType { clauses.append("devices.device_type_key = \(SerialSearch.folded(type))") }
    // As a literal, because the index of invalid ones is partial.
    if let isValid = filter.isValid { clauses.append(isValid ? "devices.valid" : "NOT devices.valid") }
    if let status = filter.status { clauses.append("devices.status = \(status.stored)") }
    self.clauses = clauses
    (batchID, from, until) = (filter.batchID, filter.from, filter.until)
  }

  /// Whether a list ordered by latest read uses the index of the first facet.
  var followsFacet: Bool { !facets.isEmpty && search == nil }

  /// Selects a row for each device that the search finds or that has the first facet, to be counted up to `fewDevices`;
  /// nil if a list in this order does not depend on the count.
  func candidates(_ sort: DeviceQuery.Sort) -> SQLStatement? {
    switch search {
    case .parts(let parts)?: dialect.matches?(parts, .devices)
    case .beginning?: searched(isFew: true).map { "SELECT 1 FROM devices WHERE \($0)" }
    case nil:
      sort == .lastSeen ? nil : facets.first.map { "SELECT 1 FROM device_facets AS facet WHERE \($0.condition)" }
    }
  }

  /// The condition of the search.
  private func searched(isFew: Bool) -> SQLStatement? {
    switch search {
    case .parts(let parts)?:
      return isFew ? dialect.contains(parts, .devices) : dialect.containsInRow(parts, .devices)
    case .beginning(let prefix)?:
      // Text sorts by its bytes, and U+10FFFF is the largest character. An expression keeps the planner from using the
      // index of serials.
      let serial: SQLStatement = isFew ? "devices.serial" : "devices.serial || ''"
      return "\(serial) >= \(prefix) AND \(serial) < \(prefix + "\u{10FFFF}")"
    case nil: return nil
    }
  }

  /// The conditions on a row of `devices`.
  ///
  /// - Parameters:
  ///   - isFollowing: Whether the rows are joined with the first facet, as `facet`.
  ///   - isFew: Whether the search or the first facet matches so few devices that each of them is checked.
  func conditions(isFollowing: Bool, isFew: Bool) -> [SQLStatement] {
    var all: [SQLStatement] = []
    if isFollowing, let first = facets.first { all.append("devices.id = facet.device_id AND \(first.condition)") }
    let seen: SQLStatement = isFollowing ? "facet.last_seen" : "devices.last_seen"
    if let from { all.append("\(seen) >= \(from.microseconds)") }
    if let until { all.append("\(seen) < \(until.microseconds)") }
    if let searched = searched(isFew: isFew) { all.append(searched) }
    if let batchID {
      // As an expression beside devices that are looked up one by one. Otherwise SQLite would look up each of them with
      // each serial of the batch, in the index that has both.
      let isFound = isFew && (search != nil || !facets.isEmpty)
      let serial: SQLStatement = isFound ? "devices.serial || ''" : "devices.serial"
      all.append("\(serial) IN (SELECT serial FROM serials WHERE batch_id = \(batchID))")
    }
    all += clauses
    for (index, facet) in facets.enumerated() where !(isFollowing && index == 0) {
      all.append(
        isFew && index == 0 && search == nil
          ? "devices.id IN (SELECT facet.device_id FROM device_facets AS facet WHERE \(facet.condition))"
          : """
          EXISTS (SELECT 1 FROM device_facets AS facet WHERE facet.device_id = devices.id AND \(facet.condition))
          """)
    }
    return all
  }

  /// Counts the devices.
  var count: SQLStatement {
    if facets.count == 1, clauses.isEmpty, batchID == nil {
      var all = [facets[0].condition]
      if let from { all.append("facet.last_seen >= \(from.microseconds)") }
      if let until { all.append("facet.last_seen < \(until.microseconds)") }
      return "SELECT count(*) AS n FROM device_facets AS facet WHERE \(SQLStatement.joined(all, by: " AND "))"
    }
    if case .parts(let parts)? = search, facets.isEmpty, clauses.isEmpty, batchID == nil, from == nil, until == nil,
      let matches = dialect.matches
    {
      return "SELECT count(*) AS n FROM (\(matches(parts, .devices))) AS found"
    }
    let all = conditions(isFollowing: followsFacet, isFew: true)
    return """
      SELECT count(*) AS n FROM \(sql: followsFacet ? Self.joined : "devices")\(SQLStatement.conditions(all))
      """
  }
}

extension Device.Status {
  /// The stored number, higher for more reliable serials.
  var stored: Int {
    switch self {
    case .confirmed: 3
    case .accepted: 2
    case .uncertain: 1
    case .imported: 0
    }
  }

  /// Decodes a stored number. An invalid one becomes `uncertain`.
  init(stored: Int64) { self = Self.allCases.first { Int64(clamping: $0.stored) == stored } ?? .uncertain }
}

extension DeviceQuery.Sort {
  /// The column to sort by.
  var column: SQLStatement {
    switch self {
    case .lastSeen: "devices.last_seen"
    case .firstSeen: "devices.first_seen"
    case .serial: "devices.serial"
    case .timesSeen: "devices.times_seen"
    case .deviceType: "devices.device_type_key"
    }
  }

  /// The type of `column`.
  var type: SQLType {
    switch self {
    case .lastSeen, .firstSeen, .timesSeen: .integer
    case .serial, .deviceType: .text
    }
  }
}
