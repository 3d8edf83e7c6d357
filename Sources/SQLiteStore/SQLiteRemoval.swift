import BlobFiles
import Foundation
import GRDB
import JobStore
import Support

// Deletes jobs, photos and annotations. A row's file is deleted after the row, and its name stays in `blob_removals`
// until then, so that neither a crash nor a failure leaves a file permanently.

extension SQLiteJobStore {
  /// See `JobListing`.
  @discardableResult
  public func deleteJob(id: String, alsoSerial: Bool) async throws -> JobDeletion? {
    let now = clock.now()
    let files: @Sendable (Database) throws -> [BlobName] = { database in
      try Self.blobs(
        of: Row.fetchAll(database, sql: "SELECT id, photo FROM jobs WHERE id = ?", arguments: [id]))
    }
    let (job, blobs, isFound, left) = try await changingOnFullDisk(files) {
      database -> (Job?, [BlobName], Bool, (keeper: String?, jobs: [String])?) in
      let job = try Self.job(id: id, in: database)
      let heir = try alsoSerial ? job.flatMap { try Self.heir(of: $0, in: database) } : nil
      let serials = try alsoSerial ? database.change(Self.deleteSerials(ofJob: id)) : 0
      let blobs = try Self.takeAway(
        "DELETE FROM jobs WHERE id = ? RETURNING id, photo, photo_pruned", [id], in: database
      ).blobs
      let isFound = job != nil || serials > 0
      if isFound { FaultPoint.deleting.reached() }
      let left = try heir.map { try Self.forgetDeleted(fromPhotoOf: $0, at: "\(now.microseconds)", in: database) }
      return (job, blobs, isFound, left)
    }
    if isFound { FaultPoint.deleted.reached() }
    ended.forget([id])
    guard let job else { return isFound ? .savedSerialAlone : nil }
    announce(deleted: job, at: now)
    await announce(changed: left?.jobs ?? [])
    // The job is deleted; `maintain` retries files that remain.
    _ = try? await removeBlobs(blobs)
    return .job(serialKeptBy: left?.keeper)
  }

  /// See `JobListing`.
  public func prunePhotos(endedBefore date: Date, limit: Int) async throws -> Int {
    try await inBatches(of: limit) {
      try await self.prunePhotos(Self.prunePhotosStatement, [date.microseconds, $0])
    }
  }

  /// See `JobListing`.
  public func prunePhotos(beyond bytes: Int, limit: Int) async throws -> Int {
    // Computed outside the transaction, so that uploads do not wait for it. Nobody else removes photos of this folder.
    let kept = try await reading { try Int.fetchOne($0.cachedStatement(sql: Self.photoBytes)) ?? 0 }
    guard kept > bytes else { return 0 }
    return try await inBatches(of: limit) {
      try await self.prunePhotos(Self.pruneOldestPhotosStatement, [$0, kept - max(0, bytes)])
    }
  }

  /// Retries with a smaller batch if the disk has no space for the whole one.
  private func inBatches(of limit: Int, _ prune: (Int) async throws -> Int) async throws -> Int {
    do {
      return try await prune(limit)
    } catch StoreError.diskFull where limit > Self.smallBatch {
      return try await prune(Self.smallBatch)
    }
  }

  private func prunePhotos(_ sql: String, _ arguments: StatementArguments) async throws -> Int {
    let (ids, blobs) = try await changingOnFullDisk(Self.blobs(ofRowsIn: sql, arguments)) {
      database -> ([String], [BlobName]) in
      let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
      let blobs = try Self.remember(rows, in: database)
      if !rows.isEmpty { FaultPoint.pruningPhotos.reached() }
      return (rows.map { $0["id"] }, blobs)
    }
    guard !blobs.isEmpty else { return 0 }
    FaultPoint.photosPruned.reached()
    ended.forget(ids)
    try await removeBlobs(blobs)
    return blobs.count { $0.kind == .photo }
  }

  /// See `JobListing`.
  public func pruneJobs(endedBefore date: Date, limit: Int) async throws -> Int {
    try await inBatches(of: limit) { try await self.pruneJobs(endedBefore: date, atMost: $0) }
  }

  private func pruneJobs(endedBefore date: Date, atMost limit: Int) async throws -> Int {
    let arguments: StatementArguments = [date.microseconds, limit]
    let (ids, blobs) = try await changingOnFullDisk(Self.blobs(ofRowsIn: Self.pruneJobsStatement, arguments)) {
      database in
      // Before the deletion, because triggers update the remaining jobs of a photo that was sent again.
      let tallied = Self.selecting(Self.tallied, ofRowsIn: Self.pruneJobsStatement)
      try Self.keepTallies(of: Row.fetchAll(database, sql: tallied, arguments: arguments), in: database)
      let firsts = Self.selecting("id", ofRowsIn: Self.pruneJobsStatement) + " AND " + Self.hasDuplicates
      for id in try String.fetchAll(database, sql: firsts, arguments: arguments) {
        try Self.passOn(first: id, in: database)
      }
      let gone = try Self.takeAway(Self.pruneJobsStatement, arguments, in: database)
      if !gone.ids.isEmpty { FaultPoint.pruningJobs.reached() }
      return (gone.ids, gone.blobs)
    }
    guard !ids.isEmpty else { return 0 }
    FaultPoint.jobsPruned.reached()
    ended.forget(ids)
    try await removeBlobs(blobs)
    return ids.count
  }

  /// See `ServerStore`.
  @discardableResult
  public func removeOrphans(olderThan age: TimeInterval) async throws -> Orphans {
    try await files.removeOrphans(olderThan: age) { ids in
      try await reading { database in
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM jobs WHERE id = ?")
        return try Set(ids.filter { try Int.fetchOne(statement, arguments: [$0]) != nil })
      }
    }
  }

  /// Retries failed file deletions, including those left by a crash between row and file.
  func removeGivenUpBlobs() async throws {
    // Files that can't be deleted come before those not tried yet.
    var left = 0
    while true {
      try Task.checkCancellation()
      let offset = left
      let rows = try await reading { database in
        try Row.fetchAll(
          database, sql: "SELECT kind, name FROM blob_removals ORDER BY kind, name LIMIT ? OFFSET ?",
          arguments: [Self.batch, offset]
        ).map { (kind: $0["kind"] as String, name: $0["name"] as String) }
      }
      guard !rows.isEmpty else { return }
      let names = rows.compactMap { row in BlobKind(rawValue: row.kind).map { BlobName($0, row.name) } }
      left += rows.count - (try await removeBlobs(names))
    }
  }

  /// Deletes a file that no row refers to. Remembers it if it can't be deleted now; if that fails too, it becomes an
  /// orphan.
  func giveUp(_ name: BlobName) async {
    do {
      try await files.delete(name)
    } catch {
      try? await changing { try Self.remember([name], in: $0) }
    }
  }

  /// Deletes remembered files and forgets those deleted. Returns how many were deleted.
  @discardableResult
  func removeBlobs(_ names: [BlobName]) async throws -> Int {
    var gone: [BlobName] = []
    for name in names where (try? await files.delete(name)) != nil {
      FaultPoint.photoRemoved.reached()
      gone.append(name)
    }
    guard !gone.isEmpty else { return 0 }
    // The disk has space again: reserve some before others take it.
    if options.isServer { try await FileThreads.run { [room] in room.keep() } }
    let forgotten = gone
    try await changingOnFullDisk { database in
      let statement = try database.cachedStatement(sql: "DELETE FROM blob_removals WHERE kind = ? AND name = ?")
      for name in forgotten { try statement.execute(arguments: [name.kind.rawValue, name.name]) }
      FaultPoint.forgettingPhoto.reached()
    }
    FaultPoint.photoForgotten.reached()
    return forgotten.count
  }
}

// MARK: - Statements

extension SQLiteJobStore {
  /// Rows per transaction: few enough that uploads hardly wait for it.
  static let batch = 200
  /// Rows per transaction on a full disk.
  private static let smallBatch = 10

  package static let prunePhotosStatement = """
    UPDATE jobs SET photo_pruned = 1
    WHERE seq IN (
      SELECT seq FROM jobs INDEXED BY jobs_photo_kept
      WHERE ended_at IS NOT NULL AND photo_pruned = 0 AND ended_at < ? ORDER BY ended_at LIMIT ?)
    RETURNING id, photo
    """

  /// Total bytes of all photos kept.
  package static let photoBytes = """
    SELECT CAST(
      (SELECT TOTAL(photo_bytes) FROM jobs INDEXED BY jobs_photo_kept WHERE ended_at IS NOT NULL AND photo_pruned = 0)
      + (SELECT TOTAL(photo_bytes) FROM jobs WHERE state = 'queued')
      + (SELECT TOTAL(photo_bytes) FROM jobs WHERE state = 'processing') AS INTEGER)
    """

  /// Marks the oldest photos as pruned until the given number of bytes is freed.
  package static let pruneOldestPhotosStatement = """
    UPDATE jobs SET photo_pruned = 1
    WHERE seq IN (
      SELECT seq FROM (
        SELECT seq, SUM(photo_bytes) OVER (ORDER BY ended_at, seq) - photo_bytes AS bytes_before FROM (
          SELECT seq, ended_at, photo_bytes FROM jobs INDEXED BY jobs_photo_kept
          WHERE ended_at IS NOT NULL AND photo_pruned = 0 ORDER BY ended_at, seq LIMIT ?))
      WHERE bytes_before < ?)
    RETURNING id, photo
    """

  package static let pruneJobsStatement = """
    DELETE FROM jobs
    WHERE seq IN (
      SELECT seq FROM jobs INDEXED BY jobs_ended
      WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)
    RETURNING id, photo, photo_pruned
    """

  /// Deletes jobs, and remembers their files for deletion.
  private static func takeAway(
    _ sql: String, _ arguments: StatementArguments, in database: Database
  ) throws -> (ids: [String], blobs: [BlobName]) {
    let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments)
    return (rows.map { $0["id"] }, try remember(rows.filter { $0["photo_pruned"] == 0 }, in: database))
  }

  /// Remembers the files of job rows.
  private static func remember(_ rows: [Row], in database: Database) throws -> [BlobName] {
    let names = blobs(of: rows)
    try remember(names, in: database)
    return names
  }

  /// The files of job rows.
  private static func blobs(of rows: [Row]) -> [BlobName] {
    // Any of them may have been annotated since.
    rows.flatMap { row -> [BlobName] in
      [BlobName(.photo, row["photo"]), .annotation(ofJob: row["id"])]
    }
  }

  /// Reads the files of the rows that a retention statement would change.
  private static func blobs(
    ofRowsIn statement: String, _ arguments: StatementArguments
  ) -> @Sendable (Database) throws -> [BlobName] {
    let sql = selecting("id, photo", ofRowsIn: statement)
    return { try blobs(of: Row.fetchAll($0, sql: sql, arguments: arguments)) }
  }

  /// A query for the rows that a retention statement would change.
  private static func selecting(_ columns: String, ofRowsIn statement: String) -> String {
    let end = statement.range(of: "RETURNING")?.lowerBound ?? statement.endIndex
    // The condition begins on the second line.
    let condition = statement[..<end].drop { $0 != "\n" }
    return "SELECT \(columns) FROM jobs\(condition)"
  }

  private static func remember(_ names: [BlobName], in database: Database) throws {
    let statement = try database.cachedStatement(sql: "INSERT OR IGNORE INTO blob_removals VALUES (?, ?)")
    for name in names { try statement.execute(arguments: [name.kind.rawValue, name.name]) }
  }
}
