import Foundation
import JobStore
import PostgresClient
import ScanModel

extension PostgresStore: SerialStore {
  /// See `SerialStore`. The same save once more, where the first answer was lost, is one row.
  public func save(_ serial: NewSerial) async throws -> SavedSerial {
    try await requireTables()
    let saveID = (serial.saveID ?? UUID()).uuidString.lowercased()
    return try await repeatable { try Self.insert(serial, jobID: nil, saveID: saveID, into: $0) }
  }

  /// See `SerialStore`.
  public func serial(id: Int64) async throws -> SavedSerial? {
    try await repeatable { connection in
      try connection.run("SELECT \(SavedSerial.columns) FROM serials WHERE id = $1", [.integer(id)])
        .first.map(SavedSerial.init(row:))
    }
  }

  /// See `SerialStore`.
  public func serials(_ query: SerialQuery) async throws -> Page<SavedSerial> {
    let statement = try SerialStatement(query)
    return try await repeatable { connection in
      let rows = try connection.run(statement.sql, statement.parameters).rows
      let shown = rows.prefix(max(0, query.limit))
      return Page(
        items: try shown.map(SavedSerial.init(row:)),
        nextCursor: rows.count > shown.count ? try shown.last.map { try query.sort.cursor(after: $0).text } : nil)
    }
  }

  /// See `SerialStore`. Whole days are counted from the daily figures, a search from its index.
  public func serialCount(_ filter: SerialFilter) async throws -> Int {
    let conditions = SerialConditions(filter)
    let sql =
      conditions.areDaily
      ? "SELECT coalesce(sum(count), 0)::bigint AS n FROM serial_counts\(conditions.whereClause)"
      : "SELECT count(*) AS n FROM serials\(conditions.whereClause)"
    return try await repeatable { try $0.run(sql, conditions.parameters).first?.count("n") ?? 0 }
  }

  /// See `SerialStore`.
  public func serialStatistics(days: Int) async throws -> SerialStatistics {
    try await repeatable { connection in
      let total = try connection.run(
        """
        SELECT coalesce(sum(count), 0)::bigint AS total,
          coalesce(sum(count) FILTER (WHERE valid), 0)::bigint AS valid,
          sum(confidence_sum) / nullif(sum(count), 0)::float8 AS mean FROM serial_counts
        """
      ).first
      func groups(_ sql: String, _ parameters: [PostgresValue] = []) throws -> [String: Int] {
        var groups: [String: Int] = [:]
        for row in try connection.run(sql, parameters).rows { groups[try row.text("name")] = try row.count("n") }
        return groups
      }
      return SerialStatistics(
        total: try total?.count("total") ?? 0, valid: try total?.count("valid") ?? 0,
        meanConfidence: try total?.optionalReal("mean"),
        bySource: try groups(
          """
          SELECT source AS name, sum(count)::bigint AS n FROM serial_counts GROUP BY source HAVING sum(count) > 0
          """),
        byDeviceType: try groups(
          """
          SELECT min(device_type) AS name, sum(count)::bigint AS n FROM serial_counts
          GROUP BY lower(device_type) HAVING sum(count) > 0 ORDER BY n DESC, name LIMIT $1
          """, [.init(SerialStatistics.mostDeviceTypes)]),
        byDay: try groups(
          """
          SELECT to_char(to_timestamp(day * 86400) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS name, sum(count)::bigint AS n
          FROM serial_counts WHERE day > store_now() / 86400000000 - $1 GROUP BY day HAVING sum(count) > 0
          """, [.init(max(1, days))]))
    }
  }

  /// See `SerialStore`.
  public func earlierReads(_ reads: [ReadInQuestion]) async throws -> [Date?] {
    guard !reads.isEmpty else { return [] }
    return try await repeatable { connection in
      try reads.map { read in
        try connection.run(
          Self.earlierRead, [.text(read.serial), PostgresValue(read.jobID), .integer(read.readAt.microseconds)]
        ).first?.optionalInteger("created_at").map(Date.init(microseconds:))
      }
    }
  }

  /// Parameters: the serial, the job that is not meant, and the time before which.
  package static let earlierRead = """
    SELECT created_at FROM serials WHERE serial = $1 AND job_id IS DISTINCT FROM $2 AND created_at < $3
    ORDER BY created_at DESC LIMIT 1
    """

  static func insert(
    _ serial: NewSerial, jobID: String?, saveID: String?, into connection: PostgresConnection
  ) throws -> SavedSerial {
    let confidence = serial.confidence.isFinite ? min(1, max(0, serial.confidence)) : 0
    // A key makes the same save once more one row by itself.
    let unique = serial.key == nil ? "save_id" : "save_key"
    let row = try connection.run(
      """
      INSERT INTO serials (created_at, serial, device_type, preset, confidence, method, source, valid, notes, job_id,
        save_id, filename, verdict, key_id, save_key, save_request, fields)
      VALUES (coalesce($1::bigint, store_now()), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      ON CONFLICT (\(unique)) DO UPDATE SET \(unique) = excluded.\(unique)
      RETURNING \(SavedSerial.columns), save_request
      """,
      [
        PostgresValue(serial.readAt?.microseconds), .text(serial.serial), .text(serial.deviceType ?? ""),
        PostgresValue(serial.preset?.rawValue), .real(confidence), PostgresValue(serial.method),
        .text(serial.source.rawValue), .boolean(serial.isValid), PostgresValue(serial.notes), PostgresValue(jobID),
        PostgresValue(saveID), PostgresValue(serial.filename), PostgresValue(serial.verdict?.rawValue),
        PostgresValue(serial.keyID), PostgresValue(serial.key?.name), PostgresValue(serial.key?.request),
        PostgresValue([FieldRead].stored(serial.fields)),
      ]
    ).first
    guard let row else { throw StoreError.unavailable("the database returned no row") }
    guard try row.optionalText("save_request") == serial.key?.request else {
      throw StoreError.saveConflict(serialID: try row.integer("id"))
    }
    return try SavedSerial(row: row)
  }
}

extension SavedSerial {
  /// The columns that `init(row:)` reads. The last asks the index of serials once a row.
  static let columns = """
    id, created_at, serial, device_type, preset, confidence, method, source, valid, notes, job_id, filename, verdict, \
    confirmed_at, key_id, fields, (SELECT earlier.created_at FROM serials earlier \
    WHERE earlier.serial = serials.serial AND (earlier.created_at, earlier.id) < (serials.created_at, serials.id) \
    ORDER BY earlier.created_at DESC LIMIT 1) AS seen_before
    """

  init(row: PostgresRow) throws {
    let deviceType = try row.text("device_type")
    self.init(
      id: try row.integer("id"), createdAt: Date(microseconds: try row.integer("created_at")),
      serial: try row.text("serial"), deviceType: deviceType.isEmpty ? nil : deviceType,
      preset: try row.optionalText("preset").flatMap(Preset.init(rawValue:)),
      confidence: try row.optionalReal("confidence") ?? 0, method: try row.optionalText("method"),
      source: SerialSource(rawValue: try row.text("source")) ?? .scan, isValid: try row.flag("valid"),
      notes: try row.optionalText("notes"), jobID: try row.optionalText("job_id"),
      filename: try row.optionalText("filename"),
      verdict: try row.optionalText("verdict").flatMap(Reading.Verdict.init(rawValue:)),
      confirmedAt: try row.optionalInteger("confirmed_at").map(Date.init(microseconds:)),
      seenBefore: try row.optionalInteger("seen_before").map(Date.init(microseconds:)),
      keyID: try row.optionalText("key_id"), fields: [FieldRead](stored: try row.optionalText("fields")))
  }
}

extension SerialQuery.Sort {
  /// What the rows are sorted by; device types whatever the case of their ASCII letters, which alone `lower` changes in
  /// the collation of that column.
  var expression: String { self == .deviceType ? "lower(device_type)" : rawValue }

  /// The place after a row, by the value that the database itself sorted it by.
  func cursor(after row: PostgresRow) throws -> Cursor {
    let value: Cursor.Value =
      switch self {
      case .createdAt: .integer(try row.integer("place"))
      case .confidence: .real(try row.optionalReal("place") ?? 0)
      case .serial, .deviceType: .text(try row.text("place"))
      }
    return Cursor(value: value, number: try row.integer("id"), order: rawValue)
  }
}

/// A filter as a condition over the table `serials`, or over the daily figures where those can tell.
struct SerialConditions: Sendable {
  private static let day: Int64 = 86_400_000_000

  private(set) var clauses: [String] = []
  private(set) var parameters: [PostgresValue] = []
  /// Whether the condition is one over the daily figures.
  let areDaily: Bool

  /// Takes the daily figures where they can tell and `daily` allows it.
  init(_ filter: SerialFilter, daily: Bool = true) {
    let search = SerialSearch(filter.search)
    let areWholeDays = [filter.from, filter.until].allSatisfy { date in
      date.map { $0.microseconds >= 0 && $0.microseconds.isMultiple(of: Self.day) } ?? true
    }
    areDaily = daily && areWholeDays && search == nil && filter.keyID == nil
    let (time, unit) = areDaily ? ("day", Self.day) : ("created_at", 1)
    if let search { add(search) }
    if let deviceType = filter.deviceType { add("lower(device_type) = lower(?)", .text(deviceType)) }
    if let source = filter.source { add("source = ?", .text(source.rawValue)) }
    if let isValid = filter.isValid { add("valid = ?", .boolean(isValid)) }
    if let from = filter.from { add("\(time) >= ?", .integer(from.microseconds / unit)) }
    if let keyID = filter.keyID { add("key_id = ?", .text(keyID)) }
    if let until = filter.until { add("\(time) < ?", .integer(until.microseconds / unit)) }
  }

  var whereClause: String { clauses.isEmpty ? "" : " WHERE " + clauses.joined(separator: " AND ") }

  /// Adds a clause; each `?` in it stands for the next parameter.
  mutating func add(_ clause: String, _ values: PostgresValue...) {
    var numbered = ""
    var next = parameters.count
    for character in clause {
      guard character == "?" else {
        numbered.append(character)
        continue
      }
      next += 1
      numbered += "$\(next)"
    }
    clauses.append(numbered)
    parameters += values
  }

  private mutating func add(_ search: SerialSearch) {
    switch search {
    case .part(let part):
      let pattern = PostgresValue.text(Self.pattern(part))
      add("(lower(serial) ~ ? OR lower(device_type) ~ ? OR lower(filename) ~ ?)", pattern, pattern, pattern)
    case .beginning(let prefix):
      // Text sorts by its bytes, and no character comes after U+10FFFF.
      add("serial >= ? AND serial < ?", .text(prefix), .text(prefix + "\u{10FFFF}"))
    }
  }

  /// A regular expression that finds a part of a text whose ASCII letters are small, whatever its case: the database's
  /// own idea of the case of other letters depends on how it was made.
  private static func pattern(_ part: String) -> String {
    part.unicodeScalars.map { scalar in
      if scalar.isASCII {
        let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        return isPlain ? scalar.properties.lowercaseMapping : "\\\(scalar)"
      }
      let cases = SerialSearch.cases(of: scalar)
      return cases.count == 1 ? "\(scalar)" : "[\(cases.sorted().map { "\($0)" }.joined())]"
    }.joined()
  }
}

/// A query as a statement that fetches one row more than the page holds.
struct SerialStatement: Sendable {
  let sql: String
  let parameters: [PostgresValue]

  init(_ query: SerialQuery) throws {
    var conditions = SerialConditions(query.filter, daily: false)
    let expression = query.sort.expression
    if let text = query.cursor {
      let cursor = try Cursor(text, order: query.sort.rawValue)
      let value: PostgresValue =
        switch (cursor.value, query.sort) {
        case (.integer(let value), .createdAt): .integer(value)
        case (.real(let value), .confidence): .real(value)
        case (.text(let value), .serial), (.text(let value), .deviceType): .text(value)
        default: throw InvalidCursor()
        }
      conditions.add("(\(expression), id) \(query.ascending ? ">" : "<") (?, ?)", value, .integer(cursor.number))
    }
    let direction = query.ascending ? "ASC" : "DESC"
    let offset = query.cursor == nil ? max(0, query.offset) : 0
    parameters = conditions.parameters + [.init(max(0, min(query.limit, 1_000_000)) + 1), .init(offset)]
    sql = """
      SELECT \(SavedSerial.columns), \(expression) AS place FROM serials\(conditions.whereClause)
      ORDER BY \(expression) \(direction), id \(direction) LIMIT $\(parameters.count - 1) OFFSET $\(parameters.count)
      """
  }
}
