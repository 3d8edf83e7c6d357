import Foundation
import GRDB
import JobStore
import ScanModel

extension SQLiteJobStore: SerialCorrecting {
  /// See `SerialCorrecting`.
  public func confirm(
    job id: String, serial: String, replacing replaced: String?, isValid: Bool
  ) async throws -> Confirmation? {
    let now = clock.now().microseconds
    let confirmation = try await write { database -> Confirmation? in
      guard let job = try Self.job(id: id, in: database) else { return nil }
      guard job.state.isEnd else { return .notEnded }
      let read = job.confirmedRead(replacing: replaced)
      let known = try Self.savedSerial(ofJob: id, replacing: replaced, by: serial, read, in: database)
      if replaced != nil, known == nil, read == nil { return .unknownSerial }
      let proof = PersonsProof(of: serial, read: read)
      let number: Int64
      if let known {
        number = known.id
        if known.serial != serial { try Self.keep(known, as: .confirmed, at: now, in: database) }
        try Self.giveUpDouble(of: known, as: serial, in: database)
        try database.execute(
          sql: "UPDATE serials SET serial = ?, valid = ?, confidence = ?, method = ?, confirmed_at = ? WHERE id = ?",
          arguments: [serial, isValid, proof.confidence, proof.method, now, number])
      } else {
        let new = NewSerial(
          serial: serial, confidence: proof.confidence, source: .scan, isValid: isValid,
          deviceType: job.request.deviceType, preset: job.reading?.preset, method: proof.method,
          readAt: job.createdAt, filename: job.request.filename, verdict: read?.verdict ?? job.verdict,
          keyID: job.request.origin.keyID, fields: read?.fields)
        number = try Self.insert(new, jobID: id, at: now, into: database).id
        try database.execute(sql: "UPDATE serials SET confirmed_at = ? WHERE id = ?", arguments: [now, number])
      }
      try database.execute(
        sql: """
          UPDATE jobs SET confirmed_serial = ?, confirmed_at = ?, saved = 1, updated_at = max(updated_at + 1, ?)
          WHERE id = ?
          """, arguments: [serial, now, now, id])
      return try Self.serial(where: "id = ?", [number], in: database).map {
        .saved($0, isCorrected: proof.isCorrected)
      }
    }
    if case .saved = confirmation { ended.forget([id]) }
    return confirmation
  }

  /// The row that a confirmation changes: of the serial that is replaced, else of the same serial, of the top one, or the first.
  private static func savedSerial(
    ofJob id: String, replacing replaced: String?, by serial: String, _ read: SerialRead?, in database: Database
  ) throws -> SavedSerial? {
    if let replaced {
      return try Self.serial(where: "job_id = ? AND serial = ?", [id, replaced], in: database)
        ?? Self.serial(where: "job_id = ? AND serial = ?", [id, serial], in: database)
    }
    return try Self.serial(
      where: "job_id = ? ORDER BY serial = ? DESC, serial = ? DESC, id LIMIT 1", [id, serial, read?.serial],
      in: database)
  }

  /// Takes away another row of the same job that says already what a row is to say.
  private static func giveUpDouble(
    of known: SavedSerial, as serial: String, in database: Database
  ) throws {
    guard let job = known.jobID,
      let double = try Self.serial(
        where: "job_id = ? AND serial = ? AND id <> ?", [job, serial, known.id], in: database)
    else { return }
    try database.execute(sql: "DELETE FROM serials WHERE id = ?", arguments: [double.id])
  }

  /// See `SerialCorrecting`.
  public func changeSerial(id: Int64, _ change: SerialChange) async throws -> SavedSerial? {
    let now = clock.now().microseconds
    let changed = try await write { database -> SavedSerial? in
      guard let known = try Self.serial(where: "id = ?", [id], in: database) else { return nil }
      if let job = known.jobID, let text = change.serial?.text,
        try Self.serial(where: "job_id = ? AND serial = ? AND id <> ?", [job, text, id], in: database) != nil
      {
        throw StoreError.serialTaken
      }
      try Self.keep(known, as: .changed, at: now, in: database)
      try database.execute(
        sql: "UPDATE serials SET serial = ?, valid = ?, device_type = ?, notes = ? WHERE id = ?",
        arguments: [
          change.serial?.text ?? known.serial, change.serial?.isValid ?? known.isValid,
          change.deviceType ?? known.deviceType ?? "", (change.notes ?? known.notes).flatMap { $0.isEmpty ? nil : $0 },
          id,
        ])
      if let text = change.serial?.text, text != known.serial {
        let job = try known.jobID.flatMap { try Self.job(id: $0, in: database) }
        let proof = PersonsProof(of: text, read: job?.reading?.serials.first { $0.serial == text })
        try database.execute(
          sql: "UPDATE serials SET confidence = ?, method = ? WHERE id = ?",
          arguments: [proof.confidence, proof.method, id])
      }
      if let serial = change.serial?.text, let job = known.jobID {
        // Whoever changes a confirmed serial has said anew what it is.
        try database.execute(
          sql: """
            UPDATE jobs SET confirmed_serial = ?, updated_at = max(updated_at + 1, ?)
            WHERE id = ? AND confirmed_serial = ?
            """, arguments: [serial, now, job, known.serial])
      }
      return try Self.serial(where: "id = ?", [id], in: database)
    }
    if let job = changed?.jobID { ended.forget([job]) }
    return changed
  }

  /// See `SerialCorrecting`.
  @discardableResult
  public func deleteSerial(id: Int64) async throws -> SavedSerial? {
    let now = clock.now().microseconds
    let deleted = try await freeing { database -> SavedSerial? in
      guard let known = try Self.serial(where: "id = ?", [id], in: database) else { return nil }
      try database.execute(sql: "DELETE FROM serials WHERE id = ?", arguments: [id])
      try database.execute(
        sql: """
          UPDATE jobs SET saved = EXISTS (SELECT 1 FROM serials WHERE job_id = jobs.id),
            confirmed_at = CASE WHEN confirmed_serial IS NOT ? THEN confirmed_at END,
            confirmed_serial = nullif(confirmed_serial, ?), updated_at = max(updated_at + 1, ?)
          WHERE id = ?
          """, arguments: [known.serial, known.serial, now, known.jobID])
      return known
    }
    if let job = deleted?.jobID { ended.forget([job]) }
    return deleted
  }

  /// See `SerialCorrecting`.
  public func earlierStates(ofSerial id: Int64) async throws -> [EarlierSerial] {
    try await read { database in
      try Row.fetchAll(
        database, sql: "SELECT * FROM serial_changes WHERE serial_id = ? ORDER BY seq DESC", arguments: [id]
      ).map(EarlierSerial.init(row:))
    }
  }

  private static func serial(
    where condition: String, _ arguments: StatementArguments, in database: Database
  ) throws -> SavedSerial? {
    try Row.fetchOne(
      database, sql: "SELECT \(SavedSerial.columns) FROM serials WHERE \(condition)", arguments: arguments
    ).map(SavedSerial.init(row:))
  }

  private static func keep(
    _ serial: SavedSerial, as change: EarlierSerial.Change, at now: Int64, in database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO serial_changes (serial_id, changed_at, change, serial, device_type, notes, confidence, method)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        serial.id, now, change.rawValue, serial.serial, serial.deviceType ?? "", serial.notes, serial.confidence,
        serial.method,
      ])
  }
}

extension EarlierSerial {
  init(row: Row) {
    let (change, deviceType): (String, String) = (row["change"], row["device_type"])
    self.init(
      changedAt: Date(microseconds: row["changed_at"]), change: Change(rawValue: change) ?? .changed,
      serial: row["serial"], deviceType: deviceType.isEmpty ? nil : deviceType, notes: row["notes"],
      confidence: row["confidence"], method: row["method"])
  }
}
