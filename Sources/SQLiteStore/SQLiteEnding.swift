import Foundation
import GRDB
import JobStore
import SQLStore
import ScanModel
import Support

// Ends jobs: stores the result, the annotation and the serial, and measures the time.

extension SQLiteJobStore {
  /// See `JobStore`.
  @discardableResult
  public func finish(_ claim: Claim, with outcome: JobOutcome, pictures: JobPictures) async throws -> Job {
    var staged: (any StagedBlob)?
    if let annotation = pictures.annotation { staged = try? await files.stage(annotation) }
    do {
      do {
        return try await finish(claim, with: outcome, placing: staged, thumbnail: pictures.thumbnail)
      } catch StoreError.diskFull where pictures.thumbnail != nil {
        // The result matters more than the thumbnail.
        return try await finish(claim, with: outcome, placing: staged, thumbnail: nil)
      }
    } catch {
      await staged?.discard()
      throw error
    }
  }

  private func finish(
    _ claim: Claim, with outcome: JobOutcome, placing annotation: (any StagedBlob)?, thumbnail: [UInt8]?
  ) async throws -> Job {
    let end = JobEnd(outcome)
    let now = clock.now().microseconds
    let reading = try end.reading.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    let (job, worker, seconds) = try await changing { database in
      let original = try Self.firstReading(ofPhotoOf: claim.jobID, in: database)
      let statement = try database.cachedStatement(
        sql: """
          UPDATE jobs SET state = ?, progress = 100, message = ?, updated_at = max(updated_at, ?), ended_at = ?,
            reading = ?, error_code = ?, error_detail = ?, saved = ?, duplicate_of = ?, has_thumbnail = ?,
            token = NULL, holder = NULL, boot = NULL, due_tick = NULL, lease_tick = NULL
          WHERE \(Self.isHeld)
          RETURNING \(Job.columns), worker, ended_at - started_at AS took
          """)
      let row = try Row.fetchOne(
        statement,
        arguments: [
          end.state.rawValue, end.message, now, now, reading, end.error?.code.rawValue, end.error?.detail,
          !end.saved.isEmpty, original, thumbnail != nil, claim.jobID, claim.token,
        ])
      guard let row else { throw StoreError.claimLost(jobID: claim.jobID) }
      let ended = try Job(row: row)
      if let thumbnail { try Self.keep(thumbnail: thumbnail, ofJob: ended.id, in: database) }
      end.points.written.reached()
      let job = try Self.save(end.saved, of: ended, at: "\(now)", in: database)
      if !end.saved.isEmpty { FaultPoint.saving.reached() }
      let worker: String? = row["worker"]
      let took: Int64? = row["took"]
      return (job, worker ?? "", Double(took ?? 0) / 1_000_000)
    }
    if let annotation { await place(annotation, ofJob: job.id) }
    end.points.committed.reached()
    meter.record(seconds: seconds, worker: worker)
    changes.publish(job)
    return job
  }

  /// Publishes an annotation before the job's end is announced.
  ///
  /// If the job is deleted concurrently, so is its annotation: either the deletion finds the file, or this finds no
  /// job.
  private func place(_ annotation: any StagedBlob, ofJob id: String) async {
    let name = BlobName.annotation(ofJob: id)
    do {
      try await files.place(annotation, as: name)
      if try await reading({ try Self.job(id: id, in: $0) }) == nil { await giveUp(name) }
    } catch {
      // The result is stored, and matters more than the annotation.
      await annotation.discard()
    }
  }

  /// Restores the throughput measured before the start.
  func recallThroughput() throws {
    let rows = try pool.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT worker, ended_at - started_at AS took FROM jobs
          WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?
          """, arguments: [ThroughputMeter.most])
    }
    for row in rows.reversed() {
      guard let took: Int64 = row["took"], let worker: String = row["worker"] else { continue }
      meter.record(seconds: Double(took) / 1_000_000, worker: worker)
    }
  }
}
