import Foundation
import JobStore
import ScanModel

extension SQLBackedStore {
  /// See `SerialCorrecting`.
  public func confirm(
    job id: String, serial: String, replacing replaced: String?, isValid: Bool
  ) async throws -> Confirmation? {
    let present = present
    let (confirmation, jobs) = try await changing { connection -> (Confirmation?, [String]) in
      guard let job = try Self.job(where: "id = \(id)\(Self.dialect.lock)", in: connection) else { return (nil, []) }
      guard job.state.isEnd else { return (.notEnded, []) }
      let read = job.confirmedRead(replacing: replaced)
      let known =
        try Self.savedSerial(ofJob: id, replacing: replaced, by: serial, read, in: connection)
        ?? Self.savedSerial(ofPhotoOf: job, by: serial, read, in: connection)
      if replaced != nil, known == nil, read == nil { return (.unknownSerial, []) }
      let proof = PersonsProof(of: serial, read: read)
      let number: Int64
      if let known {
        number = known.id
        if known.serial != serial { try Self.keep(known, as: .confirmed, at: present, in: connection) }
        // Another row of the job may already have this serial.
        try connection.change(
          "DELETE FROM serials WHERE job_id = \(known.jobID ?? id) AND serial = \(serial) AND id <> \(number)")
      } else {
        let new = NewSerial(
          serial: serial, confidence: proof.confidence, source: .scan, isValid: isValid,
          deviceType: job.request.deviceType, preset: job.reading?.preset, readAt: job.createdAt,
          filename: job.request.filename, verdict: read?.verdict ?? job.verdict, keyID: job.request.origin.keyID,
          fields: read?.fields, batchID: job.request.batchID)
        number = try Self.insert(new, jobID: id, saveID: nil, at: present, into: connection)
      }
      let text = SerialSearch.text(
        serial: serial, deviceType: known.map(\.deviceType) ?? job.request.deviceType,
        filename: known.map(\.filename) ?? job.request.filename)
      try connection.change(
        """
        UPDATE serials SET serial = \(serial), valid = \(isValid), confidence = \(proof.confidence),
          method = \(proof.method), confirmed_at = \(present), search_text = \(text) WHERE id = \(number)
        """)
      // The same photo is confirmed once, however often it was sent.
      let jobs = try connection.rows(
        """
        UPDATE jobs SET confirmed_serial = \(serial), confirmed_at = \(present), saved = true, review = NULL,
          reviewed_at = NULL, updated_at = \(Self.dialect.greatest)(updated_at + 1, \(present))
        WHERE \(Self.isOfPhoto(of: job)) RETURNING id
        """
      ).map { try $0.text("id") }
      try Self.setCodes(of: job, onDevice: serial, at: present, in: connection)
      let saved = try Self.serial(where: "id = \(number)", in: connection)
      return (saved.map { .saved($0, isCorrected: proof.isCorrected) }, jobs)
    }
    if case .saved = confirmation { await announce(changed: jobs) }
    return confirmation
  }

  /// The row that a confirmation changes: that of the replaced serial, otherwise of the same serial, of the top one, or
  /// the first.
  private static func savedSerial(
    ofJob id: String, replacing replaced: String?, by serial: String, _ read: SerialRead?,
    in connection: any SQLConnection
  ) throws -> SavedSerial? {
    if let replaced {
      return try self.serial(
        where: """
          job_id = \(id) AND serial IN (\(replaced), \(serial)) ORDER BY serial = \(replaced) DESC LIMIT 1\(dialect.lock)
          """, in: connection)
    }
    return try self.serial(
      where: """
        job_id = \(id) ORDER BY serial = \(serial) DESC, serial \(dialect.isSame) \(read?.serial) DESC, id
        LIMIT 1\(dialect.lock)
        """, in: connection)
  }

  /// See `SerialCorrecting`.
  public func changeSerial(id: Int64, _ change: SerialChange) async throws -> SavedSerial? {
    let present = present
    let (changed, jobs) = try await changing { connection -> (SavedSerial?, [String]) in
      guard let known = try Self.serial(where: "id = \(id)\(Self.dialect.lock)", in: connection) else {
        return (nil, [])
      }
      if let job = known.jobID, let text = change.serial?.text,
        try Self.serial(where: "job_id = \(job) AND serial = \(text) AND id <> \(id)", in: connection) != nil
      {
        throw StoreError.serialTaken
      }
      try Self.keep(known, as: .changed, at: present, in: connection)
      let notes = (change.notes ?? known.notes).flatMap { $0.isEmpty ? nil : $0 }
      let (serial, deviceType) = (change.serial?.text ?? known.serial, change.deviceType ?? known.deviceType ?? "")
      let text = SerialSearch.text(serial: serial, deviceType: deviceType, filename: known.filename)
      try connection.change(
        """
        UPDATE serials SET serial = \(serial), valid = \(change.serial?.isValid ?? known.isValid),
          device_type = \(deviceType), device_type_key = \(SerialSearch.folded(deviceType)), search_text = \(text),
          notes = \(notes) WHERE id = \(id)
        """)
      if let text = change.serial?.text, text != known.serial {
        let job = try known.jobID.flatMap { try Self.job(where: "id = \($0)", in: connection) }
        let proof = PersonsProof(of: text, read: job?.reading?.serials.first { $0.serial == text })
        try connection.change(
          "UPDATE serials SET confidence = \(proof.confidence), method = \(proof.method) WHERE id = \(id)")
      }
      var jobs = [known.jobID].compactMap(\.self)
      if let serial = change.serial?.text, let job = known.jobID {
        // Changing a confirmed serial confirms the new value.
        jobs += try connection.rows(
          """
          UPDATE jobs SET confirmed_serial = \(serial),
            updated_at = \(Self.dialect.greatest)(updated_at + 1, \(present))
          WHERE (id = \(job) OR duplicate_of = \(job)) AND confirmed_serial = \(known.serial) RETURNING id
          """
        ).map { try $0.text("id") }
      }
      return (try Self.serial(where: "id = \(id)", in: connection), jobs)
    }
    await announce(changed: jobs)
    return changed
  }

  /// See `SerialCorrecting`.
  @discardableResult
  public func deleteSerial(id: Int64) async throws -> SavedSerial? {
    let present = present
    let deleted = try await changingOnFullDisk { connection -> (serial: SavedSerial, jobs: [String])? in
      guard let known = try Self.serial(where: "id = \(id)\(Self.dialect.lock)", in: connection) else { return nil }
      try connection.change("DELETE FROM serials WHERE id = \(id)")
      let jobs = try connection.rows(
        """
        UPDATE jobs SET saved = EXISTS (SELECT 1 FROM serials WHERE job_id IN (jobs.id, jobs.duplicate_of)),
          confirmed_at = CASE WHEN confirmed_serial \(Self.dialect.isOther) \(known.serial) THEN confirmed_at END,
          confirmed_serial = nullif(confirmed_serial, \(known.serial)),
          updated_at = \(Self.dialect.greatest)(updated_at + 1, \(present))
        WHERE id = \(known.jobID) OR duplicate_of = \(known.jobID) RETURNING id
        """
      ).map { try $0.text("id") }
      return (known, jobs)
    }
    if let deleted { await announce(changed: deleted.jobs) }
    return deleted?.serial
  }

  /// See `SerialCorrecting`.
  public func earlierStates(ofSerial id: Int64) async throws -> [EarlierSerial] {
    try await reading { connection in
      try connection.rows(
        "SELECT \(sql: EarlierSerial.columns) FROM serial_changes WHERE serial_id = \(id) ORDER BY seq DESC"
      ).map(EarlierSerial.init(row:))
    }
  }

  /// Returns the job that matches a condition.
  static func job(where condition: SQLStatement, in connection: any SQLConnection) throws -> Job? {
    try connection.first("SELECT \(sql: Job.columns) FROM jobs WHERE \(condition)").map(Job.init(row:))
  }

  private static func keep(
    _ serial: SavedSerial, as change: EarlierSerial.Change, at present: SQLStatement, in connection: any SQLConnection
  ) throws {
    try connection.change(
      """
      INSERT INTO serial_changes (serial_id, changed_at, change, serial, device_type, notes, confidence, method)
      VALUES (\(serial.id), \(present), \(change.rawValue), \(serial.serial), \(serial.deviceType ?? ""),
        \(serial.notes), \(serial.confidence), \(serial.method))
      """)
  }
}

extension EarlierSerial {
  /// The columns that `init(row:)` reads.
  fileprivate static let columns = "changed_at, change, serial, device_type, notes, confidence, method"

  fileprivate init(row: any SQLRow) throws {
    let deviceType = try row.text("device_type")
    self.init(
      changedAt: Date(microseconds: try row.integer("changed_at")),
      change: Change(rawValue: try row.text("change")) ?? .changed, serial: try row.text("serial"),
      deviceType: deviceType.isEmpty ? nil : deviceType, notes: try row.optionalText("notes"),
      confidence: try row.optionalReal("confidence") ?? 0, method: try row.optionalText("method"))
  }
}
