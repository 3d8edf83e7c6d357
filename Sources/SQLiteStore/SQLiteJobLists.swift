import FaultPoints
import Foundation
import GRDB
import JobStore

extension SQLiteJobStore: JobListing {
  /// See `JobListing`.
  public func jobs(_ filter: JobFilter, limit: Int, cursor: String?) async throws -> Page<Job> {
    let order = "jobs"
    let before = try cursor.map { try Cursor($0, order: order).number } ?? Int64.max
    let sql = Self.latestJobs(filter)
    let arguments =
      StatementArguments([filter.state?.rawValue, filter.verdict?.rawValue, filter.keyID].compactMap(\.self))
      + [before, limit + 1]
    let (jobs, lastNumber) = try await read { database in
      let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
      let shown = rows.prefix(limit)
      let last: Int64? = rows.count > limit ? shown.last.map { $0["seq"] } : nil
      return (shown.map(Job.init(row:)), last)
    }
    return Page(
      items: jobs, nextCursor: lastNumber.map { Cursor(value: .integer($0), number: $0, order: order).text })
  }

  /// See `JobListing`.
  public func queueStatus() async throws -> QueueStatus {
    let (counts, oldest) = try await read { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT state, total(count) AS n FROM job_counts GROUP BY state"))
      let oldest = try Int64.fetchOne(database.cachedStatement(sql: Self.oldestWaiting))
      return (rows.map { ($0["state"] as String, $0["n"] as Int) }, oldest)
    }
    var byState: [Job.State: Int] = [:]
    for (name, count) in counts {
      if let state = Job.State(rawValue: name) { byState[state] = count }
    }
    return QueueStatus(
      counts: byState, oldestWaiting: oldest.map(Date.init(microseconds:)), throughput: meter.throughput)
  }

  /// See `JobListing`.
  public var throughput: Throughput? { meter.throughput }

  /// See `JobListing`.
  @discardableResult
  public func cancel(id: String, because error: JobError) async throws -> Job? {
    let now = clock.now().microseconds
    let (job, hasEnded) = try await write { database -> (Job?, Bool) in
      let statement = try database.cachedStatement(
        sql: """
          UPDATE jobs SET state = 'failed', progress = 100, message = ?, error_code = ?, error_detail = ?,
            updated_at = max(updated_at, ?), ended_at = ?, due_tick = NULL
          WHERE id = ? AND state = 'queued' RETURNING \(Job.columns)
          """)
      let row = try Row.fetchOne(statement, arguments: [error.detail, error.code.rawValue, error.detail, now, now, id])
      if let row {
        FaultPoint.cancelling.reached()
        return (Job(row: row), true)
      }
      return (try Self.job(id: id, in: database), false)
    }
    if let job, hasEnded {
      FaultPoint.cancelled.reached()
      changes.publish(job)
    }
    return job
  }

  /// See `JobListing`.
  @discardableResult
  public func deleteJob(id: String, alsoSerial: Bool) async throws -> DeletedJob? {
    let now = clock.now()
    let (job, deleted) = try await write { database -> (Job?, DeletedJob?) in
      let job = try Self.job(id: id, in: database)
      var deleted = try Self.takeAway(
        "DELETE FROM jobs WHERE id = ? RETURNING id, photo, photo_pruned", [id], in: database
      ).first
      if alsoSerial {
        try database.execute(sql: "DELETE FROM serials WHERE job_id = ?", arguments: [id])
        if deleted == nil, database.changesCount > 0 { deleted = DeletedJob(id: id, photo: nil) }
      }
      if deleted != nil { FaultPoint.deleting.reached() }
      return (job, deleted)
    }
    if deleted != nil { FaultPoint.deleted.reached() }
    ended.forget([id])
    if var job, !job.state.isEnd {
      // Those who wait for its end have nothing more to wait for.
      job.state = .failed
      job.progress = 100
      job.updatedAt = now
      job.error = .deleted
      job.message = JobError.deleted.detail
      changes.publish(job)
    }
    return deleted
  }

  /// See `JobListing`.
  public func prunePhotos(endedBefore date: Date, limit: Int) async throws -> [String] {
    let photos = try await write { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(sql: Self.prunePhotosStatement), arguments: [date.microseconds, limit])
      let photos = texts(of: rows, "photo")
      try Self.remember(photos, in: database)
      if !photos.isEmpty { FaultPoint.pruningPhotos.reached() }
      return photos
    }
    if !photos.isEmpty { FaultPoint.photosPruned.reached() }
    return photos
  }

  /// See `JobListing`.
  public func pruneJobs(endedBefore date: Date, limit: Int) async throws -> [DeletedJob] {
    let deleted = try await write { database in
      let deleted = try Self.takeAway(Self.pruneJobsStatement, [date.microseconds, limit], in: database)
      if !deleted.isEmpty { FaultPoint.pruningJobs.reached() }
      return deleted
    }
    guard !deleted.isEmpty else { return [] }
    FaultPoint.jobsPruned.reached()
    ended.forget(deleted.map(\.id))
    return deleted
  }

  /// See `JobListing`.
  public func photosToRemove(limit: Int) async throws -> [String] {
    try await read { database in
      let rows = try Row.fetchAll(database, sql: "SELECT photo FROM photo_removals LIMIT ?", arguments: [limit])
      return texts(of: rows, "photo")
    }
  }

  /// See `JobListing`.
  public func photosRemoved(_ photos: [String]) async throws {
    guard !photos.isEmpty else { return }
    try await write { database in
      let statement = try database.cachedStatement(sql: "DELETE FROM photo_removals WHERE photo = ?")
      for photo in photos { try statement.execute(arguments: [photo]) }
      FaultPoint.forgettingPhoto.reached()
    }
    FaultPoint.photoForgotten.reached()
  }

  /// See `JobListing`.
  public func photosInUse(among photos: [String]) async throws -> Set<String> {
    try await read { database in
      let statement = try database.cachedStatement(
        sql: "SELECT 1 FROM jobs WHERE photo = ? AND photo_pruned = 0 LIMIT 1")
      return try Set(photos.filter { try Int.fetchOne(statement, arguments: [$0]) != nil })
    }
  }
}

extension SQLiteJobStore {
  /// Parameters: the state, the verdict and the key where the filter has them, the number before which, and how many.
  package static func latestJobs(_ filter: JobFilter) -> String {
    let conditions = [
      filter.state.map { _ in "state = ?" }, filter.verdict.map { _ in "verdict = ?" },
      filter.keyID.map { _ in "key_id = ?" },
      filter.isConfirmed.map { "confirmed_at IS \($0 ? "NOT NULL" : "NULL")" }, "seq < ?",
    ]
    return """
      SELECT seq, \(Job.columns) FROM jobs WHERE \(conditions.compactMap(\.self).joined(separator: " AND "))
      ORDER BY seq DESC LIMIT ?
      """
  }

  package static let oldestWaiting = """
    SELECT min(created_at) FROM jobs INDEXED BY jobs_waiting_since WHERE state = 'queued'
    """

  package static let prunePhotosStatement = """
    UPDATE jobs SET photo_pruned = 1
    WHERE seq IN (
      SELECT seq FROM jobs INDEXED BY jobs_photo_kept
      WHERE ended_at IS NOT NULL AND photo_pruned = 0 AND ended_at < ? ORDER BY ended_at LIMIT ?)
    RETURNING photo
    """

  package static let pruneJobsStatement = """
    DELETE FROM jobs
    WHERE seq IN (
      SELECT seq FROM jobs INDEXED BY jobs_ended
      WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)
    RETURNING id, photo, photo_pruned
    """

  /// Deletes jobs, and remembers that their photos have to go.
  private static func takeAway(
    _ sql: String, _ arguments: StatementArguments, in database: Database
  ) throws -> [DeletedJob] {
    let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
    try remember(rows.filter { $0["photo_pruned"] == 0 }.map { $0["photo"] }, in: database)
    return rows.map { DeletedJob(id: $0["id"], photo: $0["photo"]) }
  }

  private static func remember(_ photos: [String], in database: Database) throws {
    let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO photo_removals VALUES (?)")
    for photo in photos { try statement.execute(arguments: [photo]) }
  }
}
