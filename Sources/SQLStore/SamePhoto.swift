import Foundation
import JobStore
import ScanModel

// Photos sent again, whose serial is saved once and confirmed once; and custom values from the codes in a photo.

extension SQLBackedStore {
  /// Returns the id of the job of the same key and batch that read the same part of the same photo first; nil if there
  /// is none.
  package static func firstReading(ofPhotoOf id: String, in connection: any SQLConnection) throws -> String? {
    try connection.first(firstReading(ofPhotoOf: id))?.text("id")
  }

  /// Selects the job that `firstReading(ofPhotoOf:in:)` returns. Jobs that failed before their photo was read are
  /// skipped, unless a person confirmed their serial.
  package static func firstReading(ofPhotoOf id: String) -> SQLStatement {
    """
    SELECT other.id \(firstJobs(ofPhotoOf: id)) AND (other.reading IS NOT NULL OR other.confirmed_at IS NOT NULL)
      AND other.batch_id \(dialect.isSame) mine.batch_id
    ORDER BY other.seq LIMIT 1
    """
  }

  /// Selects the first job of the same photo about which a person decided last.
  package static func decidedJob(ofPhotoOf id: String) -> SQLStatement {
    """
    SELECT \(sql: Job.columns), confirmed_at, reviewed_at FROM jobs WHERE id = (
      SELECT other.id \(firstJobs(ofPhotoOf: id)) AND (other.confirmed_at IS NOT NULL OR other.review IS NOT NULL)
      ORDER BY coalesce(other.confirmed_at, other.reviewed_at) DESC, other.seq LIMIT 1)
    """
  }

  /// The ended jobs (`other`) of the same key that read the same part of the same photo as a job (`mine`), without
  /// their own duplicates.
  private static func firstJobs(ofPhotoOf id: String) -> SQLStatement {
    """
    FROM jobs AS mine JOIN jobs AS other ON other.photo_hash = mine.photo_hash
    WHERE mine.id = \(id) AND other.id <> mine.id AND other.ended_at IS NOT NULL AND other.duplicate_of IS NULL
      AND other.key_id \(dialect.isSame) mine.key_id AND other.region \(dialect.isSame) mine.region
      AND other.multiple = mine.multiple
    """
  }

  /// Saves the reads of an ended job, except those below the requested confidence, those that an earlier job of the
  /// same photo has saved and those that a person has replaced; sets the custom values from the photo's codes on its
  /// device; and takes over what a person has decided about the photo. Returns the job as it is then.
  package static func save(
    _ reads: [SerialRead], of job: Job, at present: SQLStatement, in connection: any SQLConnection
  ) throws -> Job {
    let decision = try PhotoDecision(onPhotoOf: job, in: connection, Self.self)
    let kept = reads.filter {
      $0.confidence >= job.request.minConfidence ?? 0 && decision?.rejects($0, of: job) != true
    }
    // Without an earlier job of the photo, no lookup is necessary.
    let decided = (decision?.confirmed.map(\.serial) ?? []) + [decision?.job.confirmedSerial].compactMap(\.self)
    let asked = Set(kept.map(\.serial) + decided)
    var saved = try job.duplicateOf.map { try Self.saved(asked, fromPhoto: $0, in: connection) } ?? []
    let isOne = decision?.confirmed.isEmpty != false && kept.count < 2 && job.reading?.custom?.isEmpty != false
    if !isOne { try lockSerials(in: connection) }
    for confirmed in decision?.confirmed ?? [] where job.request.persist && saved.insert(confirmed.serial).inserted {
      try insert(confirmed, of: job, at: present, into: connection)
    }
    for read in kept where saved.insert(read.serial).inserted {
      try insert(NewSerial(read, of: job), jobID: job.id, saveID: nil, at: present, into: connection)
    }
    let accepted = job.reading?.told.filter { $0.verdict == .accepted } ?? []
    if accepted.count == 1, kept.map(\.serial) == [accepted[0].read.serial] {
      try setCodes(of: job, onDevice: accepted[0].read.serial, at: present, in: connection)
    }
    return try takeOver(decision, to: job, isSaved: !kept.isEmpty, alreadySaved: saved, at: present, in: connection)
  }

  /// Saves a serial that a person confirmed in the same photo, as confirmed then.
  private static func insert(
    _ confirmed: SavedSerial, of job: Job, at present: SQLStatement, into connection: any SQLConnection
  ) throws {
    let read = job.reading?.serials.first { $0.serial == confirmed.serial }
    let new = NewSerial(
      confirmed.serial, isValid: confirmed.isValid, PersonsProof(of: confirmed.serial, read: read), read, of: job)
    let id = try insert(new, jobID: job.id, saveID: nil, at: present, into: connection).integer("id")
    try connection.change(
      "UPDATE serials SET confirmed_at = \(confirmed.confirmedAt?.microseconds) WHERE id = \(id)")
  }

  /// Confirms or reviews an ended job as a person did the same photo before.
  private static func takeOver(
    _ decision: PhotoDecision?, to job: Job, isSaved: Bool, alreadySaved: Set<String>, at present: SQLStatement,
    in connection: any SQLConnection
  ) throws -> Job {
    var stored = StoredDecision(isSaved: isSaved)
    if let decision, let serial = decision.job.confirmedSerial, alreadySaved.contains(serial) {
      stored = StoredDecision(confirmed: serial, at: "\(decision.confirmedAt)")
    } else if let decision, let review = decision.job.review, !isSaved {
      stored = StoredDecision(review: review, at: "\(decision.reviewedAt)")
    }
    guard stored.differs(from: job) else { return job }
    try set(stored, onJobsWhere: "id = \(job.id)", at: present, in: connection)
    return try self.job(where: "id = \(job.id)", in: connection) ?? job
  }

  /// Writes what a person has decided about a photo, and whether a serial is saved from it, to its jobs. Returns their
  /// ids: a photo may have been sent thousands of times, and decoding all readings takes longer than changing the jobs.
  @discardableResult
  static func set(
    _ decision: StoredDecision, onJobsWhere condition: SQLStatement, at present: SQLStatement,
    in connection: any SQLConnection
  ) throws -> [String] {
    try connection.rows(
      """
      UPDATE jobs SET confirmed_serial = \(decision.confirmedSerial), confirmed_at = \(decision.confirmedAt),
        review = \(decision.review?.rawValue), reviewed_at = \(decision.reviewedAt), saved = \(decision.isSaved),
        updated_at = \(dialect.greatest)(updated_at + 1, \(present))
      WHERE \(condition) RETURNING id
      """
    ).map { try $0.text("id") }
  }

  /// Updates those jobs of a photo that count as saved after some of its saved serials were deleted, also with one of its
  /// jobs. Returns the job that has a saved serial, if any is left, and the ids of the updated jobs.
  ///
  /// The serial that a person confirmed last of those that are left becomes the photo's confirmed one, so that what the
  /// person replaced is not saved again.
  ///
  /// - Parameter first: The photo's first job; after a job was deleted, its `heir`.
  package static func forgetDeleted(
    fromPhotoOf first: String, at present: SQLStatement, in connection: any SQLConnection
  ) throws -> (keeper: String?, jobs: [String]) {
    let left = try serials(ofPhoto: first, in: connection)
    let confirmed = left.filter { $0.confirmedAt != nil }
    let last = confirmed.max { ($0.confirmedAt ?? .distantPast, $0.id) < ($1.confirmedAt ?? .distantPast, $1.id) }
    var decision = StoredDecision(isSaved: !left.isEmpty)
    if let last { decision = StoredDecision(confirmed: last.serial, at: "\(last.confirmedAt?.microseconds)") }
    let jobs = try set(decision, onJobsWhere: "\(isOfPhoto(first)) AND saved", at: present, in: connection)
    return (left.first?.jobID, jobs)
  }

  /// Sets the custom values from the codes in a job's photo on the device in the photo.
  static func setCodes(
    of job: Job, onDevice serial: String, at present: SQLStatement, in connection: any SQLConnection
  ) throws {
    guard !job.request.everySerial || job.reading?.serials.count == 1 else { return }
    for (name, value) in (job.reading?.custom ?? [:]).sorted(by: { $0.key < $1.key }) {
      try set(value, as: name, by: .code, ofDevice: serial, at: present, in: connection)
    }
  }

  /// The condition that a job is the first one of a photo or its duplicate: all jobs of the same key and batch that have
  /// read the same part of the same photo.
  static func isOfPhoto(_ first: String) -> SQLStatement { "(id = \(first) OR duplicate_of = \(first))" }

  /// Returns the first job of a photo as it will be once a job of the photo is deleted; nil if none is left.
  package static func heir(of job: Job, in connection: any SQLConnection) throws -> String? {
    if let first = job.duplicateOf { return first }
    return try connection.first(duplicate(of: job.id, by: "min"))?.text("id")
  }

  /// Makes the latest job of a photo its first one, before retention deletes the first one.
  ///
  /// The next job, which takes its place otherwise, expires next. Whenever a photo's first job goes, all others change:
  /// a photo that is sent every minute would change tens of thousands of jobs every minute.
  package static func passOn(first id: String, in connection: any SQLConnection) throws {
    guard let latest = try connection.first(duplicate(of: id, by: "max"))?.text("id") else { return }
    try connection.change(
      """
      UPDATE serials SET job_id = \(latest) WHERE job_id = \(id)
        AND NOT EXISTS (SELECT 1 FROM serials other WHERE other.job_id = \(latest) AND other.serial = serials.serial)
      """)
    try connection.change("UPDATE jobs SET duplicate_of = nullif(\(latest), id) WHERE \(isOfPhoto(id))")
  }

  /// Selects the next duplicate of a job, by `min` of their numbers, or the latest, by `max`.
  package static func duplicate(of id: String, by function: String) -> SQLStatement {
    // A computed number, because PostgreSQL would walk all jobs by their numbers to find one of a photo.
    "SELECT id FROM jobs WHERE seq = (SELECT \(sql: function)(seq + 0) FROM jobs WHERE duplicate_of = \(id))"
  }

  /// The condition that a job is the first one of a photo that was sent again.
  package static var hasDuplicates: String {
    "duplicate_of IS NULL AND EXISTS (SELECT 1 FROM jobs AS later WHERE later.duplicate_of = jobs.id)"
  }

  /// Deletes the serials of a job that is deleted next, unless it has duplicates, the first of which takes them over.
  package static func deleteSerials(ofJob id: String) -> SQLStatement {
    "DELETE FROM serials WHERE job_id = \(id) AND NOT EXISTS (SELECT 1 FROM jobs WHERE duplicate_of = \(id))"
  }

  /// The first jobs of the same photo that are not duplicates of each other, except this job's own.
  static func otherFirstJobs(ofPhotoOf job: Job, in connection: any SQLConnection) throws -> [Job] {
    try connection.rows(
      """
      SELECT \(sql: Job.columns) FROM jobs WHERE id IN (SELECT other.id \(firstJobs(ofPhotoOf: job.id)))
        AND id <> \(job.firstOfPhoto) ORDER BY seq\(dialect.lock)
      """
    ).map(Job.init(row:))
  }

  /// Returns those of some serials that were saved from a photo.
  private static func saved(
    _ serials: Set<String>, fromPhoto first: String, in connection: any SQLConnection
  ) throws -> Set<String> {
    guard !serials.isEmpty else { return [] }
    return Set(try connection.rows(saved(serials.sorted(), fromPhoto: first).notReused).map { try $0.text("serial") })
  }

  /// Selects those of some serials that were saved from a photo.
  package static func saved(_ serials: [String], fromPhoto first: String) -> SQLStatement {
    "SELECT serial \(fromSerials(serials, ofPhoto: first))"
  }

  /// The clauses for those of some serials that were saved from a photo. Looks the serials up, because there may be
  /// thousands of jobs of the photo.
  static func fromSerials(_ serials: [String], ofPhoto first: String) -> SQLStatement {
    """
    FROM serials\(dialect.index("serials_serial")) WHERE serial IN (\(SQLStatement.list(serials)))
      AND EXISTS (SELECT 1 FROM jobs WHERE jobs.id = serials.job_id AND \(first) IN (jobs.id, jobs.duplicate_of))
    """
  }

  /// The serials that the first job of a photo and its duplicates saved.
  static func serials(ofPhoto first: String, in connection: any SQLConnection) throws -> [SavedSerial] {
    try connection.rows(
      """
      SELECT \(sql: SavedSerial.columns) FROM serials\(dialect.index("serials_job"))
      WHERE job_id IN (SELECT id FROM jobs WHERE \(isOfPhoto(first))) ORDER BY id
      """
    ).map(SavedSerial.init(row:))
  }

  /// The row that another job of the same photo saved and that a confirmation of this job changes: that of the replaced
  /// serial if one is given, that of the confirmed serial, of the one confirmed before, or of the top one.
  static func savedSerial(
    ofPhotoOf job: Job, replacing replaced: String?, by serial: String, _ read: SerialRead?,
    in connection: any SQLConnection
  ) throws -> SavedSerial? {
    // If every serial is read, the one confirmed before may be another device's.
    let candidates = replaced.map { [$0, serial] } ?? [serial, job.confirmedSerial, read?.serial].compactMap(\.self)
    for candidate in candidates {
      if let saved = try savedSerial(candidate, ofPhotoOf: job, in: connection) { return saved }
    }
    return nil
  }

  private static func savedSerial(
    _ serial: String, ofPhotoOf job: Job, in connection: any SQLConnection
  ) throws -> SavedSerial? {
    try connection.first(
      """
      SELECT \(sql: SavedSerial.columns) \(fromSerials([serial], ofPhoto: job.firstOfPhoto)) AND job_id <> \(job.id)
      ORDER BY id LIMIT 1\(dialect.lock)
      """
    ).map(SavedSerial.init(row:))
  }
}

/// What a person has decided about a photo, as its jobs store it.
struct StoredDecision {
  /// The serial confirmed last, which is saved; nil if none was confirmed.
  var confirmedSerial: String?
  /// When it was confirmed.
  var confirmedAt: SQLStatement = "NULL"
  /// The review; nil if there was none, or a serial is confirmed.
  var review: Review?
  /// When it was reviewed.
  var reviewedAt: SQLStatement = "NULL"
  /// Whether a serial is saved from the photo.
  var isSaved = false

  /// Creates the state of a photo about which nothing is decided.
  init(isSaved: Bool) { self.isSaved = isSaved }

  /// Creates the state of a photo with a confirmed serial.
  init(confirmed serial: String, at time: SQLStatement) {
    (confirmedSerial, confirmedAt, isSaved) = (serial, time, true)
  }

  /// Creates the state of a photo without a saved serial, with a review or without one.
  init(review: Review?, at time: SQLStatement) {
    (self.review, reviewedAt) = (review, review == nil ? "NULL" : time)
  }

  /// Whether a job has another decision, or none.
  func differs(from job: Job) -> Bool {
    confirmedSerial != job.confirmedSerial || review != job.review || isSaved != job.savedToDatabase
  }
}

extension Job {
  /// The id of the first job of its photo, which may be itself.
  package var firstOfPhoto: String { duplicateOf ?? id }
}

/// What a person decided about a photo that was sent before.
private struct PhotoDecision {
  /// The first job that has the decision.
  var job: Job
  /// When its serial was confirmed; nil if it was reviewed.
  var confirmedAt: Int64?
  /// When it was reviewed; nil if its serial was confirmed.
  var reviewedAt: Int64?
  /// All serials saved from it.
  var saved: [SavedSerial]

  /// The serials that a person confirmed in it.
  var confirmed: [SavedSerial] { saved.filter { $0.confirmedAt != nil } }

  /// Looks up the last decision about the photo of a job; nil if there is none.
  init?<Store: SQLBackedStore>(onPhotoOf job: Job, in connection: any SQLConnection, _ store: Store.Type) throws {
    guard let row = try connection.first(Store.decidedJob(ofPhotoOf: job.id)) else { return nil }
    self.job = try Job(row: row)
    confirmedAt = try row.optionalInteger("confirmed_at")
    reviewedAt = try row.optionalInteger("reviewed_at")
    saved = try Store.serials(ofPhoto: self.job.firstOfPhoto, in: connection)
  }

  /// Whether the person who decided has ruled out a read: by saying that the photo shows no serial or that the device in
  /// it has another one, or, if every serial is read, by replacing or deleting this one.
  func rejects(_ read: SerialRead, of job: Job) -> Bool {
    if self.job.review == .noSerial { return true }
    guard self.job.confirmedSerial != nil, !saved.contains(where: { $0.serial == read.serial }) else { return false }
    return !job.request.everySerial || self.job.reading?.serials.contains { $0.serial == read.serial } == true
  }
}

extension NewSerial {
  /// Creates a serial to save from a person's statement about a job's photo, with the read that it is compared with.
  init(_ serial: String, isValid: Bool, _ proof: PersonsProof, _ read: SerialRead?, of job: Job) {
    self.init(
      serial: serial, confidence: proof.confidence, source: .scan, isValid: isValid, deviceType: job.request.deviceType,
      preset: job.reading?.preset, method: proof.method, readAt: job.createdAt, filename: job.request.filename,
      verdict: read?.verdict ?? job.verdict, keyID: job.request.origin.keyID, fields: read?.fields,
      batchID: job.request.batchID)
  }
}
