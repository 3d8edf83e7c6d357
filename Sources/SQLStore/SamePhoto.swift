import Foundation
import JobStore
import ScanModel

// Photos sent again, whose serial is saved once and confirmed once; and custom values from the codes in a photo.

extension SQLBackedStore {
  /// Returns the id of the job of the same key that read the same part of the same photo first; nil if there is none.
  package static func firstReading(ofPhotoOf id: String, in connection: any SQLConnection) throws -> String? {
    try connection.first(firstReading(ofPhotoOf: id))?.text("id")
  }

  /// Selects the job that `firstReading(ofPhotoOf:in:)` returns. Jobs that failed before their photo was read are
  /// skipped.
  package static func firstReading(ofPhotoOf id: String) -> SQLStatement {
    """
    SELECT other.id FROM jobs AS mine JOIN jobs AS other ON other.photo_hash = mine.photo_hash
    WHERE mine.id = \(id) AND other.id <> mine.id AND other.ended_at IS NOT NULL AND other.reading IS NOT NULL
      AND other.duplicate_of IS NULL AND other.key_id \(dialect.isSame) mine.key_id
      AND other.region \(dialect.isSame) mine.region AND other.multiple = mine.multiple
    ORDER BY other.seq LIMIT 1
    """
  }

  /// Saves the reads of an ended job, except those that an earlier job of the same photo has saved, and sets the custom
  /// values from the photo's codes on its device.
  package static func save(
    _ reads: [SerialRead], of job: Job, at present: SQLStatement, in connection: any SQLConnection
  ) throws {
    for read in reads {
      // Without an earlier job of the photo, no lookup is necessary.
      guard try job.duplicateOf == nil || savedSerial(read.serial, ofPhotoOf: job, in: connection) == nil else {
        continue
      }
      try insert(NewSerial(read, of: job), jobID: job.id, saveID: nil, at: present, into: connection)
    }
    let accepted = job.reading?.told.filter { $0.verdict == .accepted } ?? []
    guard accepted.count == 1, reads.map(\.serial) == [accepted[0].read.serial] else { return }
    try setCodes(of: job, onDevice: accepted[0].read.serial, at: present, in: connection)
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

  /// The row that another job of the same photo saved and that a confirmation of this job changes: that of the
  /// confirmed serial, of the one confirmed before, or of the top one.
  static func savedSerial(
    ofPhotoOf job: Job, by serial: String, _ read: SerialRead?, in connection: any SQLConnection
  ) throws -> SavedSerial? {
    for candidate in [serial, job.confirmedSerial, read?.serial].compactMap(\.self) {
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
