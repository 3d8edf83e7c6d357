import Foundation
import GRDB
import JobStore
import ScanModel

extension SQLiteJobStore: SerialStore {
  /// See `SerialStore`.
  public func save(_ serial: NewSerial) async throws -> SavedSerial {
    let now = clock.now().microseconds
    return try await write { database in
      if let earlier = try Self.earlier(serial, in: database) { return earlier }
      return try Self.insert(serial, jobID: nil, at: now, into: database)
    }
  }

  /// The serial that the same key has saved before.
  private static func earlier(_ serial: NewSerial, in database: Database) throws -> SavedSerial? {
    guard let key = serial.key else { return nil }
    let row = try Row.fetchOne(
      database.cachedStatement(
        sql: "SELECT \(SavedSerial.columns), save_request FROM serials WHERE save_key = ?"), arguments: [key.name])
    guard let row else { return nil }
    guard row["save_request"] == key.request else { throw StoreError.saveConflict(serialID: row["id"]) }
    return SavedSerial(row: row)
  }

  /// See `SerialStore`.
  public func serial(id: Int64) async throws -> SavedSerial? {
    try await read { database in
      try Row.fetchOne(
        database.cachedStatement(sql: "SELECT \(SavedSerial.columns) FROM serials WHERE id = ?"), arguments: [id]
      ).map(SavedSerial.init(row:))
    }
  }

  /// See `SerialStore`.
  public func serials(_ query: SerialQuery) async throws -> Page<SavedSerial> {
    let statement = try SerialStatement(query)
    return try await read { database in
      let rows = try Row.fetchAll(database, sql: statement.sql, arguments: statement.arguments)
      let shown = rows.prefix(max(0, query.limit))
      return Page(
        items: shown.map(SavedSerial.init(row:)),
        nextCursor: rows.count > shown.count ? shown.last.map { query.sort.cursor(after: $0).text } : nil)
    }
  }

  /// See `SerialStore`. Whole days are counted from the daily figures, a search from its index.
  public func serialCount(_ filter: SerialFilter) async throws -> Int {
    let conditions = SerialConditions(filter)
    let sql =
      conditions.daily.map { "SELECT total(count) AS n FROM serial_counts\($0.whereClause)" }
      ?? "SELECT count(*) AS n FROM serials\(conditions.whereClause)"
    let arguments = conditions.daily?.arguments ?? conditions.arguments
    return try await read { database in try Row.fetchOne(database, sql: sql, arguments: arguments)?["n"] ?? 0 }
  }

  /// See `SerialStore`.
  public func serialStatistics(days: Int) async throws -> SerialStatistics {
    let firstDay = clock.now().microseconds / Self.microsecondsPerDay - Int64(clamping: max(0, days - 1))
    return try await read { database in
      let total = try Row.fetchOne(
        database,
        sql: """
          SELECT total(count) AS total, total(count * (valid <> 0)) AS valid,
            total(confidence_sum) / nullif(total(count), 0) AS mean FROM serial_counts
          """)
      let mean: Double? = total?["mean"]
      func groups(_ sql: String, _ arguments: StatementArguments = []) throws -> [String: Int] {
        let rows = try Row.fetchAll(database, sql: sql, arguments: arguments)
        return Dictionary(rows.map { ($0["name"] as String, $0["n"] as Int) }, uniquingKeysWith: max)
      }
      return SerialStatistics(
        total: total?["total"] ?? 0, valid: total?["valid"] ?? 0, meanConfidence: mean.map { min(1, max(0, $0)) },
        bySource: try groups(
          "SELECT source AS name, total(count) AS n FROM serial_counts GROUP BY source HAVING n > 0"),
        byDeviceType: try groups(
          """
          SELECT device_type AS name, total(count) AS n FROM serial_counts GROUP BY device_type HAVING n > 0
          ORDER BY n DESC, name LIMIT ?
          """, [SerialStatistics.mostDeviceTypes]),
        byDay: try groups(
          """
          SELECT coalesce(date(day * 86400, 'unixepoch'), '') AS name, total(count) AS n FROM serial_counts WHERE day >= ?
          GROUP BY day HAVING n > 0
          """, [firstDay]))
    }
  }

  /// See `SerialStore`.
  public func earlierReads(_ reads: [ReadInQuestion]) async throws -> [Date?] {
    guard !reads.isEmpty else { return [] }
    return try await read { database in
      let statement = try database.cachedStatement(sql: Self.earlierRead)
      return try reads.map { read in
        try Int64.fetchOne(statement, arguments: [read.serial, read.jobID, read.readAt.microseconds])
          .map(Date.init(microseconds:))
      }
    }
  }

  /// Parameters: the serial, the job that is not meant, and the time before which.
  package static let earlierRead = """
    SELECT created_at FROM serials INDEXED BY serials_serial_time
    WHERE serial = ? AND job_id IS NOT ? AND created_at < ? ORDER BY created_at DESC LIMIT 1
    """

  static let microsecondsPerDay: Int64 = 86_400_000_000

  @discardableResult
  static func insert(
    _ serial: NewSerial, jobID: String?, at now: Int64, into database: Database
  ) throws -> SavedSerial {
    let createdAt = serial.readAt?.microseconds ?? now
    let confidence = serial.confidence.isFinite ? min(1, max(0, serial.confidence)) : 0
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO serials (created_at, serial, device_type, preset, confidence, method, source, valid, notes, job_id,
          filename, verdict, key_id, save_key, save_request, fields)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try statement.execute(arguments: [
      createdAt, serial.serial, serial.deviceType ?? "", serial.preset?.rawValue, confidence, serial.method,
      serial.source.rawValue, serial.isValid, serial.notes, jobID, serial.filename, serial.verdict?.rawValue,
      serial.keyID, serial.key?.name, serial.key?.request, [FieldRead].stored(serial.fields),
    ])
    return SavedSerial(
      id: database.lastInsertedRowID, createdAt: Date(microseconds: createdAt), serial: serial.serial,
      deviceType: serial.deviceType.flatMap { $0.isEmpty ? nil : $0 }, preset: serial.preset, confidence: confidence,
      method: serial.method, source: serial.source, isValid: serial.isValid, notes: serial.notes, jobID: jobID,
      filename: serial.filename, verdict: serial.verdict, keyID: serial.keyID,
      fields: serial.fields)
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

  init(row: Row) {
    let deviceType: String = row["device_type"]
    let preset: String? = row["preset"]
    let source: String = row["source"]
    let verdict: String? = row["verdict"]
    let (confirmedAt, seenBefore): (Int64?, Int64?) = (row["confirmed_at"], row["seen_before"])
    self.init(
      id: row["id"], createdAt: Date(microseconds: row["created_at"]), serial: row["serial"],
      deviceType: deviceType.isEmpty ? nil : deviceType, preset: preset.flatMap(Preset.init(rawValue:)),
      confidence: min(1, max(0, row["confidence"])), method: row["method"],
      source: SerialSource(rawValue: source) ?? .scan,
      isValid: row["valid"], notes: row["notes"], jobID: row["job_id"], filename: row["filename"],
      verdict: verdict.flatMap(Reading.Verdict.init(rawValue:)), confirmedAt: confirmedAt.map(Date.init(microseconds:)),
      seenBefore: seenBefore.map(Date.init(microseconds:)), keyID: row["key_id"],
      fields: [FieldRead](stored: row["fields"]))
  }
}

extension SerialQuery.Sort {
  /// Names are those of columns.
  var column: String { rawValue }

  /// The place after a row, by what is stored in it: what is shown of a damaged value may stand elsewhere in the order.
  func cursor(after row: Row) -> ListCursor {
    let stored: DatabaseValue? = row[column]
    let value: ListCursor.Value =
      switch stored?.storage ?? .null {
      case .int64(let number): .integer(number)
      case .double(let number): .real(min(max(number, -.greatestFiniteMagnitude), .greatestFiniteMagnitude))
      case .string(let text): .text(text)
      case .blob(let bytes): .bytes(bytes)
      case .null: .nothing
      }
    return ListCursor(value: value, number: row["id"], order: rawValue)
  }
}

/// A filter as a condition over the table `serials`, or over the daily figures.
struct SerialConditions {
  private(set) var clauses: [String] = []
  private(set) var arguments = StatementArguments()
  private let filter: SerialFilter

  init(_ filter: SerialFilter) {
    self.filter = filter
    if let search = SerialSearch(filter.search) { add(search) }
    if let deviceType = filter.deviceType { add("device_type = ?", deviceType) }
    if let source = filter.source { add("source = ?", source.rawValue) }
    if let isValid = filter.isValid { add("valid = ?", isValid) }
    if let from = filter.from { add("created_at >= ?", from.microseconds) }
    if let until = filter.until { add("created_at < ?", until.microseconds) }
    if let keyID = filter.keyID { add("key_id = ?", keyID) }
  }

  private init(daily filter: SerialFilter) {
    self.filter = filter
    if let deviceType = filter.deviceType { add("device_type = ?", deviceType) }
    if let source = filter.source { add("source = ?", source.rawValue) }
    if let isValid = filter.isValid { add("valid = ?", isValid) }
    if let from = filter.from { add("day >= ?", from.microseconds / SQLiteJobStore.microsecondsPerDay) }
    if let until = filter.until { add("day < ?", until.microseconds / SQLiteJobStore.microsecondsPerDay) }
  }

  var whereClause: String { clauses.isEmpty ? "" : " WHERE " + clauses.joined(separator: " AND ") }

  /// The same over the daily figures; nil where those can't tell.
  var daily: SerialConditions? {
    let areWholeDays = [filter.from, filter.until].allSatisfy { date in
      date.map { $0.microseconds >= 0 && $0.microseconds % SQLiteJobStore.microsecondsPerDay == 0 } ?? true
    }
    guard areWholeDays, filter.keyID == nil, SerialSearch(filter.search) == nil else { return nil }
    return SerialConditions(daily: filter)
  }

  mutating func add(_ clause: String, _ values: any DatabaseValueConvertible...) {
    clauses.append(clause)
    arguments += StatementArguments(values)
  }

  /// The rows after a place. Nothing, which only a damaged database has here, sorts before everything else.
  mutating func add(after cursor: ListCursor, in column: String, ascending: Bool) {
    let clause = "(\(column), id) \(ascending ? ">" : "<") (?, ?)"
    switch cursor.value {
    case .integer(let value): add(clause, value, cursor.number)
    case .real(let value): add(clause, value, cursor.number)
    case .text(let value): add(clause, value, cursor.number)
    case .bytes(let value): add(clause, value, cursor.number)
    case .nothing:
      add(ascending ? "(\(column) IS NOT NULL OR id > ?)" : "(\(column) IS NULL AND id < ?)", cursor.number)
    }
  }

  /// The trigram index folds cases as Unicode's simple folding does.
  private mutating func add(_ search: SerialSearch) {
    switch search {
    case .part(let part):
      let phrase = "\"" + part.replacing("\"", with: "\"\"") + "\""
      add("id IN (SELECT rowid FROM serial_search WHERE serial_search MATCH ?)", phrase)
    case .beginning(let prefix):
      // Text sorts by its bytes, and no character comes after U+10FFFF.
      add("serial >= ? AND serial < ?", prefix, prefix + "\u{10FFFF}")
    }
  }
}

/// A query as a statement that fetches one row more than the page holds.
package struct SerialStatement: Sendable {
  package let sql: String
  package let arguments: StatementArguments

  package init(_ query: SerialQuery) throws {
    var conditions = SerialConditions(query.filter)
    if let text = query.cursor {
      let cursor = try ListCursor(text, order: query.sort.rawValue)
      conditions.add(after: cursor, in: query.sort.column, ascending: query.ascending)
    }
    let direction = query.ascending ? "ASC" : "DESC"
    sql = """
      SELECT \(SavedSerial.columns) FROM serials\(conditions.whereClause)
      ORDER BY \(query.sort.column) \(direction), id \(direction) LIMIT ? OFFSET ?
      """
    let offset = query.cursor == nil ? max(0, query.offset) : 0
    arguments = conditions.arguments + [max(0, query.limit) + 1, offset]
  }
}
