import BlobFiles
import Foundation
import JobStore
import PostgresClient
import SQLStore
import ScanModel
import Support

// Ends jobs: stores the result, the annotation and the serial.

extension PostgresStore {
  /// See `JobStore`. The ended job keeps the claim's token, so that after a commit whose result was lost the end can be
  /// recognised as this one.
  @discardableResult
  public func finish(_ claim: Claim, with outcome: JobOutcome, pictures: JobPictures) async throws -> Job {
    let end = JobEnd(outcome)
    let reading = try end.reading.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    let job: Job
    do {
      job = try await finish(claim, end, reading: reading, pictures)
    } catch StoreError.diskFull where pictures != JobPictures() {
      // The result matters more than the pictures.
      job = try await finish(claim, end, reading: reading, JobPictures())
    }
    end.points.committed.reached()
    latestThroughput.withLock { $0 = nil }
    tellEnd(of: job)
    return job
  }

  private func finish(_ claim: Claim, _ end: JobEnd, reading: String?, _ pictures: JobPictures) async throws -> Job {
    let picture = folder == nil ? pictures.annotation : nil
    let job = try await seenThrough { isAgain in
      try await self.pool.transaction { connection in
        if isAgain, let ended = try Self.end(of: claim, in: connection) { return ended }
        do {
          let job = try Self.finish(claim, end, reading: reading, thumbnail: pictures.thumbnail, in: connection)
          if let picture { try PostgresBlobs.insert(picture, as: .annotation(ofJob: job.id), in: connection) }
          return job
        } catch StoreError.claimLost where isAgain {
          // The first commit may have become visible only while this transaction waited for it.
          if let ended = try Self.end(of: claim, in: connection) { return ended }
          throw StoreError.claimLost(jobID: claim.jobID)
        }
      }
    }
    if let folder, let annotation = pictures.annotation { await place(annotation, ofJob: job.id, in: folder) }
    return job
  }

  /// Publishes an annotation before the job's end is announced.
  ///
  /// If the job is deleted concurrently, so is its annotation: either the deletion finds the file, or this finds no
  /// job.
  private func place(_ annotation: [UInt8], ofJob id: String, in folder: BlobFolder) async {
    let name = BlobName.annotation(ofJob: id)
    guard let staged = try? await folder.stage(annotation) else { return }
    do {
      try await folder.place(staged, as: name)
      if try await job(id: id) == nil { try await folder.delete(name) }
    } catch {
      await staged.discard()
    }
  }

  /// Announces an end here and on other machines.
  func tellEnd(of job: Job) {
    changes.publish(job)
    feed.tellEnd(of: job.id)
  }
}

// MARK: - Statements

extension PostgresStore {
  package static let finishStatement = """
    UPDATE jobs SET state = $3, progress = 100, message = $4, updated_at = greatest(updated_at, store_now()),
      ended_at = store_now(), reading = $5, error_code = $6, error_detail = $7, saved = $8, verdict = $9, duplicate_of = $10,
      has_thumbnail = $11, holder = NULL, due_at = NULL, lease_until = NULL
    WHERE \(isHeld) RETURNING \(Job.columns)
    """

  /// Makes jobs of the same photo end one after the other and not during a person's decision about it, so that each
  /// finds those that ended before it and what was decided.
  private static let photoLock =
    "SELECT pg_advisory_xact_lock(hashtextextended(photo_hash, 0)) FROM jobs WHERE id = $1 AND photo_hash IS NOT NULL"

  /// Keeps the first jobs of the same photo from being deleted before this one refers to them. A separate statement
  /// finds the remaining ones, because one that waits for a deletion does not see its effects.
  private static let firstJobsLock = """
    SELECT 1 FROM jobs WHERE photo_hash = (SELECT photo_hash FROM jobs WHERE id = $1) AND duplicate_of IS NULL
      AND ended_at IS NOT NULL FOR KEY SHARE
    """

  package static func lockPhoto(ofJob id: String, in connection: PostgresConnection) throws {
    try connection.run(photoLock, [.text(id)])
  }

  private static func finish(
    _ claim: Claim, _ end: JobEnd, reading: String?, thumbnail: [UInt8]?, in connection: PostgresConnection
  ) throws -> Job {
    try lockPhoto(ofJob: claim.jobID, in: connection)
    try connection.run(firstJobsLock, [.text(claim.jobID)])
    let original = try firstReading(ofPhotoOf: claim.jobID, in: connection)
    let row = try connection.run(
      finishStatement,
      [
        .text(claim.jobID), .text(claim.token), .text(end.state.rawValue), .text(end.message), PostgresValue(reading),
        PostgresValue(end.error?.code.rawValue), PostgresValue(end.error?.detail), .boolean(!end.saved.isEmpty),
        .text((end.reading?.verdict ?? .refused).rawValue), PostgresValue(original), .boolean(thumbnail != nil),
      ]
    ).first
    guard let row else { throw StoreError.claimLost(jobID: claim.jobID) }
    let ended = try Job(row: row)
    if let thumbnail { try keep(thumbnail: thumbnail, ofJob: ended.id, in: connection) }
    end.points.written.reached()
    let job = try save(end.saved, of: ended, at: "store_now()", in: connection)
    if !end.saved.isEmpty { FaultPoint.saving.reached() }
    return job
  }

  /// Returns the job if this claim has ended it.
  private static func end(of claim: Claim, in connection: PostgresConnection) throws -> Job? {
    try connection.run(
      """
      SELECT \(Job.columns) FROM jobs
      WHERE id = $1 AND token = $2 AND state IN ('completed', 'failed')
      """, [.text(claim.jobID), .text(claim.token)]
    ).first.map(Job.init(row:))
  }
}
