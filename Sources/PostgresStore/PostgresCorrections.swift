import Foundation
import JobStore
import PostgresClient
import ScanModel

extension PostgresStore: SerialCorrecting {
  /// See `SerialCorrecting`.
  public func confirm(
    job id: String, serial: String, replacing replaced: String?, isValid: Bool
  ) async throws -> Confirmation? {
    try await write { connection -> Confirmation? in
      guard let job = try Self.lockedJob(id: id, in: connection) else { return nil }
      guard job.state.isEnd else { return .notEnded }
      let read = job.confirmedRead(replacing: replaced)
      let known = try Self.savedSerial(ofJob: id, replacing: replaced, by: serial, read, in: connection)
      if replaced != nil, known == nil, read == nil { return .unknownSerial }
      let proof = PersonsProof(of: serial, read: read)
      let number = try Self.saveConfirmed(
        serial, isValid: isValid, proof, verdict: read?.verdict ?? job.verdict, fields: read?.fields, in: known,
        of: job, in: connection)
      try connection.run(
        """
        UPDATE jobs SET confirmed_serial = $2, confirmed_at = store_now(), saved = true,
          updated_at = greatest(updated_at + 1, store_now()) WHERE id = $1
        """, [.text(id), .text(serial)])
      return try Self.serial(where: "id = $1", [.integer(number)], in: connection).map {
        .saved($0, isCorrected: proof.isCorrected)
      }
    }
  }

  /// The row that a confirmation changes: of the serial that is replaced, else of the same serial, of the top one, or the first.
  private static func savedSerial(
    ofJob id: String, replacing replaced: String?, by serial: String, _ read: SerialRead?,
    in connection: PostgresConnection
  ) throws -> SavedSerial? {
    if let replaced {
      return try self.serial(
        where: "job_id = $1 AND serial IN ($2, $3) ORDER BY serial = $2 DESC LIMIT 1 FOR UPDATE",
        [.text(id), .text(replaced), .text(serial)], in: connection)
    }
    return try self.serial(
      where: "job_id = $1 ORDER BY serial = $2 DESC, serial IS NOT DISTINCT FROM $3 DESC, id LIMIT 1 FOR UPDATE",
      [.text(id), .text(serial), PostgresValue(read?.serial)], in: connection)
  }

  /// See `SerialCorrecting`.
  public func changeSerial(id: Int64, _ change: SerialChange) async throws -> SavedSerial? {
    try await write { connection -> SavedSerial? in
      guard let known = try Self.serial(where: "id = $1 FOR UPDATE", [.integer(id)], in: connection) else { return nil }
      if let job = known.jobID, let text = change.serial?.text {
        let other = try Self.serial(
          where: "job_id = $1 AND serial = $2 AND id <> $3", [.text(job), .text(text), .integer(id)], in: connection)
        if other != nil { throw StoreError.serialTaken }
      }
      try Self.keep(known, as: .changed, in: connection)
      let notes = (change.notes ?? known.notes).flatMap { $0.isEmpty ? nil : $0 }
      try connection.run(
        "UPDATE serials SET serial = $2, valid = $3, device_type = $4, notes = $5 WHERE id = $1",
        [
          .integer(id), .text(change.serial?.text ?? known.serial), .boolean(change.serial?.isValid ?? known.isValid),
          .text(change.deviceType ?? known.deviceType ?? ""), PostgresValue(notes),
        ])
      if let text = change.serial?.text, text != known.serial {
        let job = try known.jobID.flatMap { try Self.job(id: $0, in: connection) }
        let proof = PersonsProof(of: text, read: job?.reading?.serials.first { $0.serial == text })
        try connection.run(
          "UPDATE serials SET confidence = $2, method = $3 WHERE id = $1",
          [.integer(id), .real(proof.confidence), PostgresValue(proof.method)])
      }
      if let serial = change.serial?.text, let job = known.jobID {
        // Whoever changes a confirmed serial has said anew what it is.
        try connection.run(
          """
          UPDATE jobs SET confirmed_serial = $2, updated_at = greatest(updated_at + 1, store_now())
          WHERE id = $1 AND confirmed_serial = $3
          """, [.text(job), .text(serial), .text(known.serial)])
      }
      return try Self.serial(where: "id = $1", [.integer(id)], in: connection)
    }
  }

  /// See `SerialCorrecting`.
  @discardableResult
  public func deleteSerial(id: Int64) async throws -> SavedSerial? {
    try await write { connection -> SavedSerial? in
      guard let known = try Self.serial(where: "id = $1 FOR UPDATE", [.integer(id)], in: connection) else { return nil }
      try connection.run("DELETE FROM serials WHERE id = $1", [.integer(id)])
      try connection.run(
        """
        UPDATE jobs SET saved = EXISTS (SELECT 1 FROM serials WHERE job_id = jobs.id),
          confirmed_at = CASE WHEN confirmed_serial IS DISTINCT FROM $2 THEN confirmed_at END,
          confirmed_serial = nullif(confirmed_serial, $2), updated_at = greatest(updated_at + 1, store_now())
        WHERE id = $1
        """, [PostgresValue(known.jobID), .text(known.serial)])
      return known
    }
  }

  /// See `SerialCorrecting`.
  public func earlierStates(ofSerial id: Int64) async throws -> [EarlierSerial] {
    try await repeatable { connection in
      try connection.run(
        "SELECT \(EarlierSerial.columns) FROM serial_changes WHERE serial_id = $1 ORDER BY seq DESC", [.integer(id)]
      ).rows.map(EarlierSerial.init(row:))
    }
  }

  private static func lockedJob(id: String, in connection: PostgresConnection) throws -> Job? {
    try connection.run("SELECT \(Job.columns) FROM jobs WHERE id = $1 FOR UPDATE", [.text(id)]).first
      .map(Job.init(row:))
  }

  /// Puts the serial into a row of the job, or makes it one. Returns the row's number.
  private static func saveConfirmed(
    _ serial: String, isValid: Bool, _ proof: PersonsProof, verdict: Reading.Verdict?, fields: [FieldRead]?,
    in known: SavedSerial?, of job: Job, in connection: PostgresConnection
  ) throws -> Int64 {
    let number: Int64
    if let known {
      number = known.id
      if known.serial != serial { try keep(known, as: .confirmed, in: connection) }
      // Another row of the job may say so already.
      let double = try self.serial(
        where: "job_id = $1 AND serial = $2 AND id <> $3 FOR UPDATE", [.text(job.id), .text(serial), .integer(number)],
        in: connection)
      if let double {
        try connection.run("DELETE FROM serials WHERE id = $1", [.integer(double.id)])
      }
    } else {
      let new = NewSerial(
        serial: serial, confidence: proof.confidence, source: .scan, isValid: isValid,
        deviceType: job.request.deviceType, preset: job.reading?.preset, readAt: job.createdAt,
        filename: job.request.filename, verdict: verdict, keyID: job.request.origin.keyID, fields: fields)
      number = try insert(new, jobID: job.id, saveID: nil, into: connection).id
    }
    try connection.run(
      """
      UPDATE serials SET serial = $2, valid = $3, confidence = $4, method = $5, confirmed_at = store_now() WHERE id = $1
      """,
      [.integer(number), .text(serial), .boolean(isValid), .real(proof.confidence), PostgresValue(proof.method)])
    return number
  }

  private static func serial(
    where condition: String, _ parameters: [PostgresValue], in connection: PostgresConnection
  ) throws -> SavedSerial? {
    try connection.run("SELECT \(SavedSerial.columns) FROM serials WHERE \(condition)", parameters).first
      .map(SavedSerial.init(row:))
  }

  private static func keep(
    _ serial: SavedSerial, as change: EarlierSerial.Change, in connection: PostgresConnection
  ) throws {
    try connection.run(
      """
      INSERT INTO serial_changes (serial_id, changed_at, change, serial, device_type, notes, confidence, method)
      VALUES ($1, store_now(), $2, $3, $4, $5, $6, $7)
      """,
      [
        .integer(serial.id), .text(change.rawValue), .text(serial.serial), .text(serial.deviceType ?? ""),
        PostgresValue(serial.notes), .real(serial.confidence), PostgresValue(serial.method),
      ])
  }
}

extension EarlierSerial {
  /// The columns that `init(row:)` reads.
  static let columns = "changed_at, change, serial, device_type, notes, confidence, method"

  init(row: PostgresRow) throws {
    let deviceType = try row.text("device_type")
    self.init(
      changedAt: Date(microseconds: try row.integer("changed_at")),
      change: Change(rawValue: try row.text("change")) ?? .changed, serial: try row.text("serial"),
      deviceType: deviceType.isEmpty ? nil : deviceType, notes: try row.optionalText("notes"),
      confidence: try row.optionalReal("confidence") ?? 0, method: try row.optionalText("method"))
  }
}
