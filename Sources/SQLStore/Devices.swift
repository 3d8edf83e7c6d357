import Foundation
import JobStore
import ScanModel

extension SQLBackedStore {
  /// See `DeviceStore`.
  public func devices(_ query: DeviceQuery) async throws -> Page<Device> {
    _ = try Self.deviceList(query, isFew: true)
    return try await reading { connection in
      let isFew = try Self.fewDevices(query).map { try connection.first($0)?.count("n") ?? 0 }
      let statement = try Self.deviceList(query, isFew: (isFew ?? 0) <= DeviceConditions.fewDevices)
      let rows = try connection.rows(statement)
      let shown = Array(rows.prefix(max(0, query.limit)))
      return Page(
        items: try Self.devices(shown, visible: query.filter.keyID.map(Self.isOwn), in: connection),
        nextCursor: rows.count > shown.count
          ? try shown.last.map { try Cursor(after: $0, type: query.sort.type, order: query.cursorName).text } : nil
      )
    }
  }

  /// See `DeviceStore`.
  public func deviceCount(_ filter: DeviceFilter) async throws -> Int {
    try await reading { try $0.first(Self.deviceTally(filter))?.count("n") ?? 0 }
  }

  /// See `DeviceStore`.
  public func device(serial: String, keyID: String?) async throws -> Device? {
    try await reading { try Self.device(serial, visible: keyID.map(Self.isShared), in: $0) }
  }

  /// See `DeviceStore`.
  public func customValues(ofDevices serials: Set<String>) async throws -> [String: [String: String]] {
    guard !serials.isEmpty else { return [:] }
    return try await reading { try Self.customValues(ofDevices: serials.sorted(), in: $0) }
  }

  /// See `DeviceStore`.
  public func reads(ofDevice serial: String, keyID: String?, limit: Int) async throws -> [SavedSerial] {
    let visible: SQLStatement = keyID.map { " AND \(Self.isShared(withKey: $0))" } ?? ""
    return try await reading { connection in
      try connection.rows(
        """
        SELECT \(sql: SavedSerial.columns) FROM serials\(Self.dialect.index("serials_serial_time"))
        WHERE serial = \(serial)\(visible) ORDER BY created_at DESC, id DESC LIMIT \(limit)
        """
      ).map(SavedSerial.init(row:))
    }
  }

  /// See `DeviceStore`.
  public func changeDevice(serial: String, _ change: DeviceChange, keyID: String?) async throws -> Device? {
    let present = present
    let visible = keyID.map(Self.isOwn)
    return try await changing { connection in
      try Self.lockSerials(in: connection)
      guard let known = try Self.device(serial, visible: visible, in: connection) else { return nil }
      for (name, value) in change.custom.sorted(by: { $0.key < $1.key }) {
        try Self.set(value, as: name, by: .person, ofDevice: serial, at: present, in: connection)
      }
      if let type = change.deviceType {
        try Self.set(
          type.isEmpty ? nil : type, as: DeviceValueName.deviceType, by: .person, ofDevice: serial, at: present,
          in: connection)
      }
      if let changed = try Self.device(serial, visible: visible, in: connection) { return changed }
      // The device consisted only of the value just removed.
      var gone = known
      gone.custom = [:]
      return gone
    }
  }

  /// See `DeviceStore`. Takes several transactions, so that uploads do not wait for a device with many reads; if it is
  /// interrupted, the device is left with some of its reads.
  public func deleteDevice(serial: String) async throws -> Int? {
    let present = present
    var deleted: Int?
    while true {
      let step = try await changingOnFullDisk { connection -> (reads: Int, jobs: [String], isLast: Bool)? in
        guard try connection.first("SELECT 1 AS one FROM devices WHERE serial = \(serial)") != nil else { return nil }
        let found = try connection.rows(Self.oldestReads(ofDevice: serial, limit: Self.deletedAtOnce))
        let sources = try found.compactMap { try $0.optionalText("job_id") }
        let photos = try Self.lockedPhotos(ofJobs: sources, in: connection)
        try Self.lockSerials(in: connection)
        let isLast = found.count < Self.deletedAtOnce
        if isLast { try connection.change("DELETE FROM device_values WHERE serial = \(serial)") }
        var reads = 0
        for read in found {
          reads += try connection.change(
            "DELETE FROM serials WHERE id = \(try read.integer("id")) AND serial = \(serial)")
        }
        let jobs = try photos.flatMap { try Self.forgetDeleted(fromPhotoOf: $0, at: present, in: connection).jobs }
        return (reads, jobs, isLast)
      }
      guard let step else { return deleted }
      deleted = (deleted ?? 0) + step.reads
      await announce(changed: step.jobs)
      if step.isLast { return deleted }
    }
  }

  /// The number of reads that one transaction deletes with their device: few enough that uploads hardly wait for it.
  private static var deletedAtOnce: Int { 50 }

  /// Selects the oldest reads of a device.
  package static func oldestReads(ofDevice serial: String, limit: Int) -> SQLStatement {
    """
    SELECT id, job_id FROM serials\(dialect.index("serials_serial_time")) WHERE serial = \(serial)
    ORDER BY created_at, id LIMIT \(limit)
    """
  }

  /// Locks the photos of some jobs. Returns their first jobs.
  private static func lockedPhotos(ofJobs ids: [String], in connection: Connection) throws -> [String] {
    guard !ids.isEmpty else { return [] }
    // A fixed order, so that two deletions never deadlock.
    let sought: SQLStatement = "SELECT id FROM jobs WHERE id IN (\(SQLStatement.list(ids))) ORDER BY photo_hash, id"
    let jobs = try connection.rows(sought.notReused)
    var photos = Set<String>()
    for id in try jobs.map({ try $0.text("id") }) {
      try lockPhoto(ofJob: id, in: connection)
      if let job = try self.job(where: "id = \(id)\(dialect.lock)", in: connection) { photos.insert(job.firstOfPhoto) }
    }
    return photos.sorted()
  }

  /// See `DeviceStore`. Takes several transactions, so that uploads do not wait for a long list.
  public func importDevices(_ devices: [ImportedDevice], dryRun: Bool) async throws -> DeviceImport {
    let present = present
    var done = DeviceImport()
    var left = devices[...]
    while !left.isEmpty {
      let some = left.prefix(Self.importedAtOnce)
      left = left.dropFirst(Self.importedAtOnce)
      let step: @Sendable (Connection) throws -> DeviceImport = { connection in
        if !dryRun { try Self.lockSerials(in: connection) }
        let (values, counts) = try Self.changes(of: some, in: connection)
        if !dryRun { try Self.set(values, by: .imported, at: present, in: connection) }
        return counts
      }
      let counts = try await dryRun ? reading(step) : changing(step)
      done.created += counts.created
      done.changed += counts.changed
      done.unchanged += counts.unchanged
    }
    return done
  }

  /// The number of devices of a list that each transaction reads and changes: few enough that uploads hardly wait for it,
  /// and many, because a statement for each device and value takes several times as long.
  private static var importedAtOnce: Int { 50 }

  /// Returns the values that an import writes for some devices of its list, and counts what it does.
  private static func changes(
    of devices: some Collection<ImportedDevice>, in connection: any SQLConnection
  ) throws -> (values: [DeviceValue], counts: DeviceImport) {
    var done = DeviceImport()
    let serials = devices.map(\.serial)
    let found: SQLStatement = "SELECT serial FROM devices WHERE serial IN (\(SQLStatement.list(serials)))"
    let known = Set(try connection.rows(found.notReused).map { try $0.text("serial") })
    let values = try values(ofDevices: serials, in: connection)
    var written: [DeviceValue] = []
    for device in devices {
      let old = values[device.serial] ?? [:]
      let new = device.custom.filter { old[$0.key]?.value != $0.value }
      if !known.contains(device.serial) {
        done.created += 1
      } else if new.isEmpty {
        done.unchanged += 1
      } else {
        done.changed += 1
      }
      if old[DeviceValueName.imported] == nil {
        written.append(
          DeviceValue(
            serial: device.serial, name: DeviceValueName.imported, value: device.isValid ? "valid" : "invalid"))
      }
      // A value that was only read from a code becomes the list's, so that no later code replaces it.
      let custom = device.custom.filter { new[$0.key] != nil || old[$0.key]?.origin == .code }
      written += custom.sorted { $0.key < $1.key }.map {
        DeviceValue(serial: device.serial, name: $0.key, value: $0.value)
      }
    }
    return (written, done)
  }
}

// MARK: - Statements

extension SQLBackedStore {
  private static var deviceColumns: String {
    """
    devices.id, devices.serial, devices.device_type, devices.status, devices.valid, devices.first_seen, \
    devices.last_seen, devices.times_seen, devices.best_id
    """
  }

  /// Counts what `DeviceConditions.candidates` selects, up to the relevant limit; nil if the list does not depend on
  /// it.
  package static func fewDevices(_ query: DeviceQuery) -> SQLStatement? {
    guard let some = DeviceConditions(query.filter, dialect: dialect).candidates(query.sort) else { return nil }
    let statement: SQLStatement =
      "SELECT count(*) AS n FROM (\(some) LIMIT \(DeviceConditions.fewDevices + 1)) AS candidates"
    return statement.notReused
  }

  /// Counts the devices that match a filter.
  package static func deviceTally(_ filter: DeviceFilter) -> SQLStatement {
    DeviceConditions(filter, dialect: dialect).count.notReused
  }

  /// Builds a query that fetches one row more than the page holds. Throws `InvalidCursor`.
  ///
  /// - Parameter isFew: Whether `fewDevices` counted few.
  package static func deviceList(_ query: DeviceQuery, isFew: Bool) throws -> SQLStatement {
    let conditions = DeviceConditions(query.filter, dialect: dialect)
    let follows = conditions.followsFacet && query.sort == .lastSeen
    let (place, number): (SQLStatement, SQLStatement) =
      follows ? ("facet.last_seen", "facet.device_id") : (query.sort.column, "devices.id")
    var all = conditions.conditions(isFollowing: follows, isFew: isFew)
    if let text = query.cursor {
      let cursor = try Cursor(text, order: query.cursorName)
      all.append(
        try dialect.isAfter(cursor, place: place, number: number, type: query.sort.type, ascending: query.ascending))
    }
    let direction: SQLStatement = query.ascending ? "ASC" : "DESC"
    let list: SQLStatement = """
      SELECT \(sql: deviceColumns), \(place) AS place
      FROM \(sql: follows ? DeviceConditions.joined : "devices")\(SQLStatement.conditions(all))
      ORDER BY \(place) \(direction), \(number) \(direction) LIMIT \(max(0, min(query.limit, 1_000_000)) + 1)
      """
    return list.notReused
  }

  /// The condition that a read is of a key.
  private static func isOwn(ofKey id: String) -> SQLStatement { "key_id = \(id)" }

  /// The condition that a read is of a key or in a batch, which everyone who scans into it shares.
  private static func isShared(withKey id: String) -> SQLStatement { "(key_id = \(id) OR batch_id IS NOT NULL)" }

  /// Returns a device; nil if it does not exist, or no read of it is visible.
  ///
  /// - Parameter visible: The condition of visible reads; nil if all are.
  private static func device(
    _ serial: String, visible: SQLStatement?, in connection: any SQLConnection
  ) throws -> Device? {
    guard !serial.utf8.contains(0) else { return nil }
    let rows = try connection.rows(
      "SELECT \(sql: deviceColumns) FROM devices WHERE devices.serial = \(serial)")
    let device = try devices(rows, visible: visible, in: connection).first
    return visible == nil || device?.best != nil ? device : nil
  }

  /// Decodes rows of devices, with their values and their best reads.
  private static func devices(
    _ rows: [any SQLRow], visible: SQLStatement?, in connection: any SQLConnection
  ) throws -> [Device] {
    guard !rows.isEmpty else { return [] }
    let values = try customValues(ofDevices: try rows.map { try $0.text("serial") }, in: connection)
    let best = try bestReads(rows, visible: visible, in: connection)
    let fields = try fields(ofDevices: try rows.map { try $0.text("serial") }, best, visible: visible, in: connection)
    let batches = try batches(ofDevices: try rows.map { try $0.text("serial") }, in: connection)
    return try rows.map { row in
      let (serial, type) = (try row.text("serial"), try row.text("device_type"))
      return Device(
        serial: serial, deviceType: type.isEmpty ? nil : type, status: .init(stored: try row.integer("status")),
        isValid: try row.flag("valid"), firstSeen: Date(microseconds: try row.integer("first_seen")),
        lastSeen: Date(microseconds: try row.integer("last_seen")), timesSeen: max(0, try row.count("times_seen")),
        custom: values[serial] ?? [:], best: best[serial], fields: fields[serial],
        batches: batches[serial] ?? [])
    }
  }

  /// Returns the best visible read of each device by serial.
  private static func bestReads(
    _ rows: [any SQLRow], visible: SQLStatement?, in connection: any SQLConnection
  ) throws -> [String: SavedSerial] {
    let read = try rows.filter { try $0.optionalInteger("best_id") != nil }
    guard !read.isEmpty else { return [:] }
    let wanted = SQLStatement.joined(try read.map { "\(try $0.optionalInteger("best_id"))" }, by: ", ")
    let limit: SQLStatement = visible.map { " AND \($0)" } ?? ""
    let statement: SQLStatement = "SELECT \(sql: SavedSerial.columns) FROM serials WHERE id IN (\(wanted))\(limit)"
    var best: [String: SavedSerial] = [:]
    for read in try connection.rows(statement.notReused).map(SavedSerial.init(row:)) { best[read.serial] = read }
    guard visible != nil else { return best }
    for serial in try read.map({ try $0.text("serial") }) where best[serial] == nil {
      best[serial] = try connection.first(
        """
        SELECT \(sql: SavedSerial.columns) FROM serials WHERE serial = \(serial)\(limit)
        ORDER BY confirmed_at IS NULL, confidence DESC, created_at DESC, id DESC LIMIT 1
        """
      ).map(SavedSerial.init(row:))
    }
    return best
  }

  /// Returns the best fields of devices' visible reads by serial.
  private static func fields(
    ofDevices serials: [String], _ best: [String: SavedSerial], visible: SQLStatement?,
    in connection: any SQLConnection
  ) throws -> [String: [FieldRead]] {
    let statement = deviceFields(ofDevices: serials, visible: visible).notReused
    var reads: [String: [[FieldRead]]] = [:]
    for row in try connection.rows(statement) {
      let serial = try row.text("serial")
      guard var fields = try [FieldRead](stored: row.optionalText("fields")) else { continue }
      if try row.integer("id") != best[serial]?.id {
        for index in fields.indices { fields[index].region = nil }
      }
      reads[serial, default: []].append(fields)
    }
    return reads.mapValues([FieldRead].merged)
  }

  /// Selects the fields of devices' latest visible reads that have some, latest first.
  package static func deviceFields(ofDevices serials: [String], visible: SQLStatement?) -> SQLStatement {
    let limit: SQLStatement = visible.map { " AND \($0)" } ?? ""
    return """
      SELECT id, serial, fields FROM (
        SELECT id, serial, fields,
          row_number() OVER (PARTITION BY serial ORDER BY created_at DESC, id DESC) AS place
        FROM serials WHERE serial IN (\(SQLStatement.list(serials))) AND fields IS NOT NULL\(limit)
      ) AS reads WHERE place <= \(Device.mostReadsWithFields) ORDER BY serial, place
      """
  }

  /// Returns the batches of devices' reads by serial, latest first.
  private static func batches(
    ofDevices serials: [String], in connection: any SQLConnection
  ) throws -> [String: [BatchName]] {
    let statement: SQLStatement = """
      SELECT DISTINCT serials.serial, batches.seq, batches.id, batches.name
      FROM serials JOIN batches ON batches.id = serials.batch_id
      WHERE serials.serial IN (\(SQLStatement.list(serials))) ORDER BY batches.seq DESC
      """
    var found: [String: [BatchName]] = [:]
    for row in try connection.rows(statement.notReused) {
      found[try row.text("serial"), default: []].append(
        BatchName(id: try row.text("id"), name: try row.text("name")))
    }
    return found
  }

  /// Returns the values of custom fields by serial and name.
  private static func customValues(
    ofDevices serials: [String], in connection: any SQLConnection
  ) throws -> [String: [String: String]] {
    try values(ofDevices: serials, in: connection)
      .mapValues { $0.filter { !$0.key.hasPrefix("=") }.mapValues(\.value) }
      .filter { !$0.value.isEmpty }
  }

  /// Returns all values of devices by serial and name.
  private static func values(
    ofDevices serials: [String], in connection: any SQLConnection
  ) throws -> [String: [String: (value: String, origin: DeviceValueOrigin?)]] {
    let statement: SQLStatement = """
      SELECT serial, name, value, origin FROM device_values WHERE serial IN (\(SQLStatement.list(serials)))
      """
    var values: [String: [String: (value: String, origin: DeviceValueOrigin?)]] = [:]
    for row in try connection.rows(statement.notReused) {
      values[try row.text("serial"), default: [:]][try row.text("name")] = (
        try row.text("value"), DeviceValueOrigin(rawValue: try row.text("origin"))
      )
    }
    return values
  }

  /// Sets or removes a value of a device. A value from a code never replaces one from a person or a list.
  package static func set(
    _ value: String?, as name: String, by origin: DeviceValueOrigin, ofDevice serial: String, at present: SQLStatement,
    in connection: any SQLConnection
  ) throws {
    guard let value else {
      try connection.change("DELETE FROM device_values WHERE serial = \(serial) AND name = \(name)")
      return
    }
    try set([DeviceValue(serial: serial, name: name, value: value)], by: origin, at: present, in: connection)
  }

  /// Sets values of devices, each at most once.
  private static func set(
    _ values: [DeviceValue], by origin: DeviceValueOrigin, at present: SQLStatement, in connection: any SQLConnection
  ) throws {
    guard !values.isEmpty else { return }
    let rows = values.map { value -> SQLStatement in
      """
      (\(value.serial), \(value.name), \(value.value), \(SerialSearch.folded(value.value)), \(origin.rawValue), \(present))
      """
    }
    let overwritable: SQLStatement = origin == .code ? " WHERE device_values.origin = 'code'" : ""
    let statement: SQLStatement = """
      INSERT INTO device_values (serial, name, value, value_key, origin, set_at)
      VALUES \(SQLStatement.joined(rows, by: ", "))
      ON CONFLICT (serial, name) DO UPDATE SET value = excluded.value, value_key = excluded.value_key,
        origin = excluded.origin, set_at = excluded.set_at\(overwritable)
      """
    try connection.change(values.count == 1 ? statement : statement.notReused)
  }
}

/// A value of a device, as it is written.
private struct DeviceValue {
  var serial: String
  var name: String
  var value: String
}

extension DeviceQuery {
  /// The name of the order in cursors, with its direction; different from those of other lists.
  fileprivate var cursorName: String { "devices.\(sort.rawValue)\(ascending ? " ascending" : "")" }
}
