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
  /// same photo has saved and those that a person has replaced; sets the custom values from the photo's codes on its device; and takes over what a person has
  /// decided about the photo. Returns the job as it is then.
  package static func save(
    _ reads: [SerialRead], of job: Job, at present: SQLStatement, in connection: any SQLConnection
  ) throws -> Job {
    let decision = try PhotoDecision(onPhotoOf: job, in: connection, Self.self)
    // Without an earlier job of the photo, no lookup is necessary.
    let earlier = try job.duplicateOf == nil ? [] : serials(ofPhotoOf: job, in: connection)
    var saved = Set(earlier.map(\.serial))
    for confirmed in decision?.confirmed ?? [] where job.request.persist && saved.insert(confirmed.serial).inserted {
      try insert(confirmed, of: job, at: present, into: connection)
    }
    let kept = reads.filter {
      $0.confidence >= job.request.minConfidence ?? 0 && decision?.rejects($0, of: job) != true
    }
    for read in kept where saved.insert(read.serial).inserted {
      try insert(NewSerial(read, of: job), jobID: job.id, saveID: nil, at: present, into: connection)
    }
    let accepted = job.reading?.told.filter { $0.verdict == .accepted } ?? []
    if accepted.count == 1, kept.map(\.serial) == [accepted[0].read.serial] {
      try setCodes(of: job, onDevice: accepted[0].read.serial, at: present, in: connection)
    }
    return try takeOver(decision, to: job, isSaved: !kept.isEmpty, alreadySaved: saved, in: connection)
  }

  /// Saves a serial that a person confirmed in the same photo, as confirmed then.
  private static func insert(
    _ confirmed: SavedSerial, of job: Job, at present: SQLStatement, into connection: any SQLConnection
  ) throws {
    let read = job.reading?.serials.first { $0.serial == confirmed.serial }
    let new = NewSerial(
      confirmed.serial, isValid: confirmed.isValid, PersonsProof(of: confirmed.serial, read: read), read, of: job)
    let id = try insert(new, jobID: job.id, saveID: nil, at: present, into: connection)
    try connection.change(
      "UPDATE serials SET confirmed_at = \(confirmed.confirmedAt?.microseconds) WHERE id = \(id)")
  }

  /// Confirms or reviews an ended job as a person did the same photo before.
  private static func takeOver(
    _ decision: PhotoDecision?, to job: Job, isSaved: Bool, alreadySaved: Set<String>,
    in connection: any SQLConnection
  ) throws -> Job {
    var new = job
    new.savedToDatabase = isSaved
    var (confirmedAt, reviewedAt): (Int64?, Int64?) = (nil, nil)
    if let decision, let serial = decision.job.confirmedSerial, alreadySaved.contains(serial) {
      (new.confirmedSerial, confirmedAt, new.savedToDatabase) = (serial, decision.confirmedAt, true)
    } else if let decision, let review = decision.job.review, !isSaved {
      (new.review, reviewedAt) = (review, decision.reviewedAt)
    }
    guard new != job else { return job }
    try connection.change(
      """
      UPDATE jobs SET confirmed_serial = \(new.confirmedSerial), confirmed_at = \(confirmedAt),
        review = \(new.review?.rawValue), reviewed_at = \(reviewedAt), saved = \(new.savedToDatabase)
      WHERE id = \(job.id)
      """)
    return new
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

  /// The condition that a job has read the same part of the same photo as this one.
  static func isOfPhoto(of job: Job) -> SQLStatement {
    let first = job.duplicateOf ?? job.id
    return "(id = \(job.id) OR id = \(first) OR duplicate_of = \(first))"
  }

  /// Returns the first job of a photo as it will be once a job of the photo is deleted; nil if none is left.
  package static func heir(of job: Job, in connection: any SQLConnection) throws -> String? {
    if let first = job.duplicateOf { return first }
    return try connection.first("SELECT id FROM jobs WHERE duplicate_of = \(job.id) ORDER BY seq LIMIT 1")?.text("id")
  }

  /// Returns the job that has a saved serial among the first job of a photo and its duplicates; nil if none has.
  package static func keeper(ofPhotoOf first: String, in connection: any SQLConnection) throws -> String? {
    try connection.first(
      """
      SELECT job_id FROM serials\(dialect.index("serials_job"))
      WHERE job_id IN (SELECT id FROM jobs WHERE id = \(first) OR duplicate_of = \(first)) ORDER BY id LIMIT 1
      """)?.text("job_id")
  }

  /// The first jobs of the same photo that are not duplicates of each other, except this job's own.
  static func otherFirstJobs(ofPhotoOf job: Job, in connection: any SQLConnection) throws -> [Job] {
    try connection.rows(
      """
      SELECT \(sql: Job.columns) FROM jobs WHERE id IN (SELECT other.id \(firstJobs(ofPhotoOf: job.id)))
        AND id <> \(job.duplicateOf ?? job.id) ORDER BY seq\(dialect.lock)
      """
    ).map(Job.init(row:))
  }

  /// The serials that the jobs of a photo saved.
  static func serials(ofPhotoOf job: Job, in connection: any SQLConnection) throws -> [SavedSerial] {
    try connection.rows(
      """
      SELECT \(sql: SavedSerial.columns) FROM serials\(dialect.index("serials_job"))
      WHERE job_id IN (SELECT id FROM jobs WHERE \(isOfPhoto(of: job))) ORDER BY id
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
      SELECT \(sql: SavedSerial.columns) FROM serials\(dialect.index("serials_job"))
      WHERE job_id IN (SELECT id FROM jobs WHERE \(isOfPhoto(of: job)) AND id <> \(job.id)) AND serial = \(serial)
      ORDER BY id LIMIT 1\(dialect.lock)
      """
    ).map(SavedSerial.init(row:))
  }
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
    saved = try Store.serials(ofPhotoOf: self.job, in: connection)
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
