import Foundation
import JobStore
import ScanModel

extension SQLBackedStore {
  /// See `SerialStore`. Retrying a save whose response was lost does not add a row.
  public func save(_ serial: NewSerial) async throws -> SavedSerial {
    try await requireTables()
    let present = present
    let saveID = Self.dialect.losesAnswers ? (serial.saveID ?? UUID()).uuidString.lowercased() : nil
    let save: @Sendable (Connection) throws -> SavedSerial = { connection in
      if !serial.custom.isEmpty { try Self.lockSerials(in: connection) }
      let isKnown = try !serial.custom.isEmpty && Self.saved(serial, as: saveID, in: connection) != nil
      // The row as inserted: without custom values there is no transaction, and it may be deleted at once.
      let saved = try SavedSerial(
        row: Self.insert(
          serial, jobID: nil, saveID: saveID, at: present, ifOpen: true, returning: SavedSerial.columns,
          into: connection))
      for (name, value) in serial.custom.sorted(by: { $0.key < $1.key }) where !isKnown {
        try Self.set(value, as: name, by: .person, ofDevice: serial.serial, at: present, in: connection)
      }
      return saved
    }
    // A serial and its device's values are saved together or not at all.
    return try await serial.custom.isEmpty ? repeating(save) : changing(save)
  }

  /// See `SerialStore`.
  public func serial(id: Int64) async throws -> SavedSerial? {
    try await reading { try Self.serial(where: "id = \(id)", in: $0) }
  }

  /// See `SerialStore`.
  public func serials(_ query: SerialQuery) async throws -> Page<SavedSerial> {
    let statement = try Self.serialList(query)
    return try await reading { connection in
      let rows = try connection.rows(statement)
      let shown = rows.prefix(max(0, query.limit))
      return Page(
        items: try shown.map(SavedSerial.init(row:)),
        nextCursor: rows.count > shown.count
          ? try shown.last.map { try Cursor(after: $0, type: query.sort.type, order: query.cursorName).text } : nil)
    }
  }

  /// See `SerialStore`. Uses the daily counts for whole days, and the search index for a search.
  public func serialCount(_ filter: SerialFilter) async throws -> Int {
    let conditions = SerialConditions(filter, daily: true, dialect: Self.dialect)
    let statement: SQLStatement =
      conditions.areDaily
      ? "SELECT \(Self.dialect.sum("count")) AS n FROM serial_counts\(conditions.whereClause)"
      : "SELECT count(*) AS n FROM serials\(conditions.whereClause)"
    return try await reading { try $0.first(statement.notReused)?.count("n") ?? 0 }
  }

  /// See `SerialStore`.
  public func serialStatistics(days: Int, batchID: String?) async throws -> SerialStatistics {
    let firstDay = try await now() / SerialConditions.day - Int64(clamping: max(0, days - 1))
    let dialect = Self.dialect
    let count = dialect.sum("count")
    let counts = Self.serialCounts(ofBatch: batchID)
    return try await reading { connection in
      let total = try connection.first(
        """
        SELECT \(count) AS total, sum(confidence_sum) AS confidences FROM \(counts)
        """)
      let valid = try connection.first("SELECT \(count) AS n FROM \(counts) WHERE valid")?.count("n")
      func groups(_ statement: SQLStatement) throws -> [String: Int] {
        let rows = try connection.rows(statement).map { (try $0.text("name"), try $0.count("n")) }
        return Dictionary(rows, uniquingKeysWith: max)
      }
      let days = try connection.rows(
        """
        SELECT day, \(count) AS n FROM \(counts) WHERE day >= \(firstDay) GROUP BY day HAVING \(count) > 0
        """
      ).compactMap { row in
        try SerialStatistics.name(ofDay: row.integer("day")).map { ($0, try row.count("n")) }
      }
      let all = try total?.count("total") ?? 0
      let confidences = try total?.optionalReal("confidences") ?? 0
      return SerialStatistics(
        total: all, valid: valid ?? 0, meanConfidence: all > 0 ? min(1, max(0, confidences / Double(all))) : nil,
        bySource: try groups(
          "SELECT source AS name, \(count) AS n FROM \(counts) GROUP BY source HAVING \(count) > 0"),
        byDeviceType: SerialStatistics.merged(
          try connection.rows(
            """
            SELECT min(device_type) AS name, \(count) AS n FROM \(counts) GROUP BY \(SerialConditions.countedType)
            HAVING \(count) > 0 ORDER BY n DESC, name LIMIT \(SerialStatistics.mostDeviceTypes)
            """
          ).map { (try $0.text("name"), try $0.count("n")) }),
        byDay: Dictionary(days, uniquingKeysWith: max))
    }
  }

  /// The daily counts of all serials, or, in the same form, the serials of a batch.
  package static func serialCounts(ofBatch id: String?) -> SQLStatement {
    guard let id else { return "serial_counts" }
    return """
      (SELECT created_at / \(sql: "\(SerialConditions.day)") AS day, source, device_type, valid, 1 AS count,
        confidence AS confidence_sum FROM serials\(dialect.index("serials_batch")) WHERE batch_id = \(id)) AS serial_counts
      """
  }

  /// See `SerialStore`.
  public func earlierReads(_ reads: [ReadInQuestion]) async throws -> [Date?] {
    guard !reads.isEmpty else { return [] }
    return try await reading { connection in
      try reads.map { read in
        try connection.first(Self.earlierRead(read))?.optionalInteger("created_at").map(Date.init(microseconds:))
      }
    }
  }

  /// Selects the latest earlier read of the same serial by a different job.
  package static func earlierRead(_ read: ReadInQuestion) -> SQLStatement {
    """
    SELECT created_at FROM serials\(dialect.index("serials_serial_time"))
    WHERE serial = \(read.serial) AND job_id \(dialect.isOther) \(read.jobID) AND created_at < \(read.readAt.microseconds)
    ORDER BY created_at DESC LIMIT 1
    """
  }

  /// Builds a query that fetches one row more than the page holds. Throws `InvalidCursor`.
  package static func serialList(_ query: SerialQuery) throws -> SQLStatement {
    var conditions = SerialConditions(query.filter, daily: false, dialect: dialect)
    let place = query.sort.column
    if let text = query.cursor {
      try conditions.add(after: Cursor(text, order: query.cursorName), by: query.sort, ascending: query.ascending)
    }
    let direction: SQLStatement = query.ascending ? "ASC" : "DESC"
    let offset = query.cursor == nil ? max(0, query.offset) : 0
    // The page is selected first, because SQLite computes all columns before it sorts: those that look something up would
    // do so for each match. A subquery with an offset is not merged into the query around it.
    let list: SQLStatement = """
      SELECT \(sql: SavedSerial.columns), place FROM (
        SELECT *, \(place) AS place FROM serials\(conditions.whereClause)
        ORDER BY \(place) \(direction), id \(direction) LIMIT \(max(0, min(query.limit, 1_000_000)) + 1) OFFSET \(offset)
      ) AS serials ORDER BY place \(direction), id \(direction)
      """
    return list.notReused
  }

  /// Returns the serial that matches a condition.
  static func serial(where condition: SQLStatement, in connection: any SQLConnection) throws -> SavedSerial? {
    try connection.first("SELECT \(sql: SavedSerial.columns) FROM serials WHERE \(condition)")
      .map(SavedSerial.init(row:))
  }

  /// Saves a serial and returns its row, or that of the serial already saved under the same key or id.
  ///
  /// Throws `StoreError.saveConflict`.
  ///
  /// - Parameters:
  ///   - ifOpen: Whether its batch must be open. If it is not, throws `BatchError`.
  ///   - columns: The columns of the row.
  @discardableResult
  package static func insert(
    _ serial: NewSerial, jobID: String?, saveID: String?, at present: SQLStatement, ifOpen: Bool = false,
    returning columns: String = "id", into connection: any SQLConnection
  ) throws -> any SQLRow {
    let confidence = serial.confidence.isFinite ? min(1, max(0, serial.confidence)) : 0
    let createdAt: SQLStatement = serial.readAt.map { "\($0.microseconds)" } ?? present
    let text = SerialSearch.text(serial: serial.serial, deviceType: serial.deviceType, filename: serial.filename)
    let (idColumn, idValue): (SQLStatement, SQLStatement) = saveID.map { (", save_id", ", \($0)") } ?? ("", "")
    // With a key, its unique constraint already prevents a second row.
    let once: SQLStatement =
      if serial.key != nil {
        " ON CONFLICT (save_key) WHERE save_key IS NOT NULL DO UPDATE SET save_key = excluded.save_key"
      } else if saveID != nil {
        " ON CONFLICT (save_id) DO UPDATE SET save_id = excluded.save_id"
      } else {
        ""
      }
    // One statement, because between two the batch may end, or the result of the first may be lost.
    let batch = ifOpen ? serial.batchID : nil
    let conditions: [SQLStatement] = [
      batch.map { "(SELECT 1 FROM batches WHERE id = \($0) AND ended_at IS NULL\(dialect.lock)) AS open_batch" },
      dialect.serialsLock.map { "(SELECT \($0.shared)) AS turn" },
    ].compactMap(\.self)
    let source: SQLStatement = conditions.isEmpty ? "" : "FROM \(SQLStatement.joined(conditions, by: ", "))"
    let row = try connection.first(
      """
      INSERT INTO serials (created_at, serial, device_type, preset, confidence, method, source, valid, notes, job_id,
        filename, verdict, key_id, save_key, save_request, fields, batch_id, device_type_key, search_text\(idColumn))
      SELECT \(createdAt), \(serial.serial), \(serial.deviceType ?? ""), \(serial.preset?.rawValue), \(confidence),
        \(serial.method), \(serial.source.rawValue), \(serial.isValid), \(serial.notes), \(jobID), \(serial.filename),
        \(serial.verdict?.rawValue), \(serial.keyID), \(serial.key?.name), \(serial.key?.request),
        \([FieldRead].stored(serial.fields)), \(serial.batchID), \(SerialSearch.folded(serial.deviceType ?? "")),
        \(text)\(idValue) \(source) WHERE true\(once)
      RETURNING \(sql: columns), save_request
      """)
    guard let row = try row ?? saved(serial, as: saveID, returning: columns, in: connection) else {
      if let batchID = serial.batchID { try requireOpen(batch: batchID, in: connection) }
      throw StoreError.noRow
    }
    guard try row.optionalText("save_request") == serial.key?.request else {
      throw StoreError.saveConflict(serialID: try row.integer("id"))
    }
    return row
  }

  /// Returns the row of the serial that was saved before under the same key or id.
  private static func saved(
    _ serial: NewSerial, as saveID: String?, returning columns: String = "id", in connection: any SQLConnection
  ) throws -> (any SQLRow)? {
    let isSame: SQLStatement
    if let key = serial.key {
      isSame = "save_key = \(key.name)"
    } else if let saveID {
      isSame = "save_id = \(saveID)"
    } else {
      return nil
    }
    return try connection.first("SELECT \(sql: columns), save_request FROM serials WHERE \(isSame)")
  }
}

extension SQLStatement {
  var notReused: SQLStatement {
    var statement = self
    statement.isReused = false
    return statement
  }
}

extension SerialStatistics {
  /// Merges device types that differ only in case under the first name. Leaves them unmerged if there may be more than
  /// the query returned.
  fileprivate static func merged(_ types: [(name: String, count: Int)]) -> [String: Int] {
    var names: [String: String] = [:]
    var counts: [String: Int] = [:]
    for type in types {
      let key = types.count < mostDeviceTypes ? SerialSearch.folded(type.name) : type.name
      let name = names[key] ?? type.name
      names[key] = name
      counts[name] = (counts[name] ?? 0) + type.count
    }
    return counts
  }

  /// Formats a day since 1970 as YYYY-MM-DD; nil outside the years with four digits.
  fileprivate static func name(ofDay day: Int64) -> String? {
    guard (-719_162...2_932_896).contains(day) else { return nil }
    return String(Date(timeIntervalSince1970: Double(day) * 86_400).ISO8601Format().prefix(10))
  }
}

extension SavedSerial {
  /// The columns that `init(row:)` reads. The last four each look up an index once per row. They cast, because in a
  /// RETURNING clause SQLite looks up expressions only: for a column it would search all rows.
  package static let columns = """
    id, created_at, serial, device_type, preset, confidence, method, source, valid, notes, job_id, filename, verdict, \
    confirmed_at, key_id, fields, batch_id, \
    (SELECT batches.name FROM batches WHERE batches.id = CAST(serials.batch_id AS text)) AS batch_name, \
    EXISTS (SELECT 1 FROM jobs WHERE jobs.id = CAST(serials.job_id AS text) AND NOT jobs.photo_pruned) AS has_photo, \
    EXISTS (SELECT 1 FROM thumbnails WHERE thumbnails.job_id = CAST(serials.job_id AS text)) AS has_thumbnail, \
    (SELECT earlier.created_at FROM serials earlier \
    WHERE earlier.serial = CAST(serials.serial AS text) \
    AND (earlier.created_at, earlier.id) < (serials.created_at, serials.id) \
    ORDER BY earlier.created_at DESC LIMIT 1) AS seen_before
    """

  init(row: any SQLRow) throws {
    let deviceType = try row.text("device_type")
    self.init(
      id: try row.integer("id"), createdAt: Date(microseconds: try row.integer("created_at")),
      serial: try row.text("serial"), deviceType: deviceType.isEmpty ? nil : deviceType,
      preset: try row.optionalText("preset").flatMap(Preset.init(rawValue:)),
      confidence: min(1, max(0, try row.optionalReal("confidence") ?? 0)), method: try row.optionalText("method"),
      source: SerialSource(rawValue: try row.text("source")) ?? .scan, isValid: try row.flag("valid"),
      notes: try row.optionalText("notes"), jobID: try row.optionalText("job_id"),
      filename: try row.optionalText("filename"),
      verdict: try row.optionalText("verdict").flatMap(Reading.Verdict.init(rawValue:)),
      confirmedAt: try row.optionalInteger("confirmed_at").map(Date.init(microseconds:)),
      seenBefore: try row.optionalInteger("seen_before").map(Date.init(microseconds:)),
      keyID: try row.optionalText("key_id"), fields: [FieldRead](stored: try row.optionalText("fields")),
      batchID: try row.optionalText("batch_id"), batchName: try row.optionalText("batch_name"),
      hasPhoto: try row.flag("has_photo"), hasThumbnail: try row.flag("has_thumbnail"))
  }
}
