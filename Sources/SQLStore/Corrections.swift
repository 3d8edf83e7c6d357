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
      try Self.lockPhoto(ofJob: id, in: connection)
      guard let job = try Self.job(where: "id = \(id)\(Self.dialect.lock)", in: connection) else { return (nil, []) }
      guard job.state.isEnd else { return (.notEnded, []) }
      try Self.lockSerials(in: connection)
      let typed = TypedText(serial, isValid: isValid)
      let earlier = try Self.serials(ofPhoto: job.firstOfPhoto, in: connection)
      guard let done = try Self.confirm(job, as: typed, replacing: replaced, at: present, in: connection) else {
        return (.unknownSerial, [])
      }
      let jobs =
        try done.jobs
        + Self.confirmOthers(ofPhotoOf: job, as: typed, replacing: done.earlier, at: present, in: connection)
      let later = try Self.serials(ofPhoto: job.firstOfPhoto, in: connection)
      try Self.countCodes(confirmedBefore: earlier, after: later, in: connection)
      let saved = later.first { $0.id == done.row }
      return (saved.map { .saved($0, isCorrected: done.isCorrected) }, jobs)
    }
    if case .saved = confirmation { await announce(changed: jobs) }
    return confirmation
  }

  /// Confirms the serial of a job and of its duplicates; returns nil if the job does not have the replaced serial.
  private static func confirm(
    _ job: Job, as typed: TypedText, replacing replaced: String?, at present: SQLStatement,
    in connection: any SQLConnection
  ) throws -> ConfirmedRow? {
    let read = job.confirmedRead(replacing: replaced)
    let known =
      try savedSerial(ofJob: job.id, replacing: replaced, by: typed.serial, read, in: connection)
      ?? savedSerial(ofPhotoOf: job, replacing: replaced, by: typed.serial, read, in: connection)
    if replaced != nil, known == nil, read == nil { return nil }
    let proof = PersonsProof(of: typed.serial, read: read)
    let number: Int64
    if let known {
      number = known.id
      if known.serial != typed.serial { try keep(known, as: .confirmed, at: present, in: connection) }
      // Another row of the photo may already have this serial.
      try connection.change(
        "DELETE \(fromSerials([typed.serial], ofPhoto: job.firstOfPhoto)) AND id <> \(number)")
    } else {
      let new = NewSerial(typed.serial, isValid: typed.isValid, proof, read, of: job)
      number = try insert(new, jobID: job.id, saveID: nil, at: present, into: connection).integer("id")
    }
    let text = SerialSearch.text(
      serial: typed.serial, deviceType: known.map(\.deviceType) ?? job.request.deviceType,
      filename: known.map(\.filename) ?? job.request.filename)
    try connection.change(
      """
      UPDATE serials SET serial = \(typed.serial), valid = \(typed.isValid), confidence = \(proof.confidence),
        method = \(proof.method), confirmed_at = \(present), search_text = \(text) WHERE id = \(number)
      """)
    return ConfirmedRow(
      row: number, earlier: replaced ?? known?.serial ?? read?.serial, isCorrected: proof.isCorrected,
      jobs: try setConfirmed(job, as: typed.serial, at: present, in: connection))
  }

  /// Marks a job and its duplicates as confirmed, and sets the values from the photo's codes on the device. Returns the
  /// jobs: the same photo is confirmed once, however often it was sent.
  private static func setConfirmed(
    _ job: Job, as serial: String, at present: SQLStatement, in connection: any SQLConnection
  ) throws -> [String] {
    let jobs = try set(
      StoredDecision(confirmed: serial, at: present), onJobsWhere: isOfPhoto(job.firstOfPhoto), at: present,
      in: connection)
    try setCodes(of: job, onDevice: serial, at: present, in: connection)
    return jobs
  }

  /// Confirms the same photo wherever else it was saved. Returns the jobs.
  ///
  /// - Parameter replaced: The serial that is confirmed or replaced. It only matters if every serial was read.
  private static func confirmOthers(
    ofPhotoOf job: Job, as typed: TypedText, replacing replaced: String?, at present: SQLStatement,
    in connection: any SQLConnection
  ) throws -> [String] {
    try otherFirstJobs(ofPhotoOf: job, in: connection).filter(\.request.persist).flatMap { other in
      let replaced = other.request.everySerial ? replaced : nil
      return try confirm(other, as: typed, replacing: replaced, at: present, in: connection)?.jobs ?? []
    }
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
      // The job is locked before its serial, as in a confirmation.
      let job = try Self.lockedJob(ofSerial: id, in: connection)
      try Self.lockSerials(in: connection)
      guard let known = try Self.serial(where: "id = \(id)\(Self.dialect.lock)", in: connection) else {
        return (nil, [])
      }
      let earlier = try Self.serials(fromPhotoOf: known, job, in: connection)
      if let text = change.serial?.text, earlier.contains(where: { $0.serial == text && $0.id != id }) {
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
      var jobs = [known.jobID].compactMap(\.self)
      if let typed = change.serial.map({ TypedText($0.text, isValid: $0.isValid) }) {
        jobs += try Self.confirm(known, of: job, as: typed, at: present, in: connection)
      }
      let later = try Self.serials(fromPhotoOf: known, job, in: connection)
      try Self.countCodes(confirmedBefore: earlier, after: later, in: connection)
      return (later.first { $0.id == id }, jobs)
    }
    await announce(changed: jobs)
    return changed
  }

  /// Marks a saved serial that a person typed as confirmed, and its job with it. Returns the jobs that are confirmed.
  private static func confirm(
    _ known: SavedSerial, of job: Job?, as typed: TypedText, at present: SQLStatement, in connection: any SQLConnection
  ) throws -> [String] {
    try connection.change("UPDATE serials SET confirmed_at = \(present) WHERE id = \(known.id)")
    if typed.serial != known.serial {
      let proof = PersonsProof(of: typed.serial, read: job?.reading?.serials.first { $0.serial == typed.serial })
      try connection.change(
        "UPDATE serials SET confidence = \(proof.confidence), method = \(proof.method) WHERE id = \(known.id)")
    }
    guard let job else { return [] }
    return try setConfirmed(job, as: typed.serial, at: present, in: connection)
      + confirmOthers(ofPhotoOf: job, as: typed, replacing: known.serial, at: present, in: connection)
  }

  /// The serials saved from the photo of a saved serial: by its job if that is deleted, only itself without one.
  private static func serials(
    fromPhotoOf known: SavedSerial, _ job: Job?, in connection: any SQLConnection
  ) throws -> [SavedSerial] {
    if let job { return try serials(ofPhoto: job.firstOfPhoto, in: connection) }
    let ofJob: SQLStatement = known.jobID.map { "job_id = \($0)" } ?? "id = \(known.id)"
    return try connection.rows("SELECT \(sql: SavedSerial.columns) FROM serials WHERE \(ofJob)")
      .map(SavedSerial.init(row:))
  }

  /// Locks and returns the job of a saved serial; nil if there is none.
  private static func lockedJob(ofSerial id: Int64, in connection: Connection) throws -> Job? {
    guard let job = try connection.first("SELECT job_id FROM serials WHERE id = \(id)")?.optionalText("job_id") else {
      return nil
    }
    try lockPhoto(ofJob: job, in: connection)
    return try self.job(where: "id = \(job)\(dialect.lock)", in: connection)
  }

  /// See `SerialCorrecting`.
  @discardableResult
  public func deleteSerial(id: Int64) async throws -> SavedSerial? {
    let present = present
    let deleted = try await changingOnFullDisk { connection -> (serial: SavedSerial, jobs: [String])? in
      let job = try Self.lockedJob(ofSerial: id, in: connection)
      try Self.lockSerials(in: connection)
      guard let known = try Self.serial(where: "id = \(id)\(Self.dialect.lock)", in: connection) else { return nil }
      try connection.change("DELETE FROM serials WHERE id = \(id)")
      let left = try job.map { try Self.forgetDeleted(fromPhotoOf: $0.firstOfPhoto, at: present, in: connection) }
      return (known, left?.jobs ?? [])
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
  package static func job(where condition: SQLStatement, in connection: any SQLConnection) throws -> Job? {
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

/// A serial as a person typed it.
private struct TypedText {
  var serial: String
  var isValid: Bool

  init(_ serial: String, isValid: Bool) { (self.serial, self.isValid) = (serial, isValid) }
}

/// The effects of a confirmation.
private struct ConfirmedRow {
  /// The number of the saved serial.
  var row: Int64
  /// The serial that stood there before or was read; nil if there was none.
  var earlier: String?
  /// Whether it differs from the confirmed read.
  var isCorrected: Bool
  /// The jobs that are confirmed now.
  var jobs: [String]
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
