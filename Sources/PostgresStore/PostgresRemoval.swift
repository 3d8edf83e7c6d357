import BlobFiles
import Foundation
import JobStore
import PostgresClient
import Support

// Deletes jobs, photos and annotations. Photos in the database are deleted in the same transaction as their rows. A
// photo in a folder is deleted after its row, and its name stays in `blob_removals` until then.

extension PostgresStore {
  /// See `JobListing`.
  @discardableResult
  public func deleteJob(id: String, alsoSerial: Bool) async throws -> JobDeletion? {
    guard !id.utf8.contains(0) else { return nil }
    let isInFolder = folder != nil
    let (job, files, isFound, left) = try await changing {
      connection -> (Job?, [BlobName], Bool, (keeper: String?, jobs: [String])?) in
      try connection.run("SELECT pg_advisory_xact_lock_shared($1)", [.integer(Self.jobPruningLock)])
      try Self.lockPhoto(ofJob: id, in: connection)
      let job = try Self.job(where: "id = \(id)\(Self.dialect.lock)", in: connection)
      if alsoSerial { try Self.lockSerials(in: connection) }
      let heir = try alsoSerial ? job.flatMap { try Self.heir(of: $0, in: connection) } : nil
      let serials = try alsoSerial ? connection.change(Self.deleteSerials(ofJob: id)) : 0
      let files = try Self.takeAway(
        "DELETE FROM jobs WHERE id = $1 RETURNING id, photo, photo_pruned", [.text(id)],
        isInFolder: isInFolder, in: connection
      ).files
      let isFound = job != nil || serials > 0
      if isFound { FaultPoint.deleting.reached() }
      let left = try heir.map { try Self.forgetDeleted(fromPhotoOf: $0, at: "store_now()", in: connection) }
      return (job, files, isFound, left)
    }
    if isFound { FaultPoint.deleted.reached() }
    guard let job else { return isFound ? .savedSerialAlone : nil }
    if job.state == .queued { waiting.change(by: -1, priority: job.priority) }
    announce(deleted: job, at: max(job.updatedAt, Date()))
    await announce(changed: left?.jobs ?? [])
    // The job is deleted; `maintain` retries files that remain.
    try? await removeFiles(files)
    return .job(serialKeptBy: left?.keeper)
  }

  /// See `JobListing`.
  public func prunePhotos(endedBefore date: Date, limit: Int) async throws -> Int {
    try await prunePhotos { try $0.run(Self.prunePhotosStatement, [.integer(date.microseconds), .init(limit)]).rows }
  }

  /// See `JobListing`.
  public func prunePhotos(beyond bytes: Int, limit: Int) async throws -> Int {
    try await prunePhotos { connection in
      // One server at a time: two that find the same excess would together delete twice as much.
      guard try Self.tryLock(Self.photoBytesLock, in: connection) else { return [] }
      let kept = try connection.run(Self.photoBytes).rows.first?.integer("bytes") ?? 0
      guard kept > bytes else { return [] }
      return try connection.run(
        Self.pruneOldestPhotosStatement, [.init(limit), .integer(kept - Int64(clamping: max(0, bytes)))]
      ).rows
    }
  }

  private func prunePhotos(
    _ choose: @escaping @Sendable (PostgresConnection) throws -> [PostgresRow]
  ) async throws -> Int {
    let isInFolder = folder != nil
    let (count, files) = try await changing { connection in
      let rows = try choose(connection)
      let files = try Self.letGo(of: rows, isInFolder: isInFolder, in: connection)
      if !rows.isEmpty { FaultPoint.pruningPhotos.reached() }
      return (rows.count, files)
    }
    guard count > 0 else { return 0 }
    FaultPoint.photosPruned.reached()
    try await removeFiles(files)
    return count
  }

  /// See `JobListing`. Returns 0 while another server deletes jobs.
  public func pruneJobs(endedBefore date: Date, limit: Int) async throws -> Int {
    let isInFolder = folder != nil
    let (count, files) = try await changing { connection -> (Int, [BlobName]) in
      guard try Self.tryLock(Self.jobPruningLock, in: connection) else { return (0, []) }
      let parameters: [PostgresValue] = [.integer(date.microseconds), .init(limit)]
      for row in try connection.run(Self.expiringFirstsStatement, parameters).rows {
        try Self.passOn(first: row.text("id"), in: connection)
      }
      let gone = try Self.takeAway(
        Self.pruneJobsStatement, parameters, isInFolder: isInFolder, in: connection)
      try Self.keepTallies(of: gone.rows, in: connection)
      if !gone.rows.isEmpty { FaultPoint.pruningJobs.reached() }
      return (gone.rows.count, gone.files)
    }
    guard count > 0 else { return 0 }
    FaultPoint.jobsPruned.reached()
    try await removeFiles(files)
    return count
  }

  /// See `ServerStore`.
  @discardableResult
  public func removeOrphans(olderThan age: TimeInterval) async throws -> Orphans {
    // A machine whose own clock is ahead must not delete what others have just stored.
    let now = min(Date(), Date(microseconds: try await self.now()))
    return try await blobs.removeOrphans(olderThan: age, now: now) { ids in
      try await reading { connection in
        try Set(ids.filter { try connection.run("SELECT 1 FROM jobs WHERE id = $1", [.text($0)]).count > 0 })
      }
    }
  }

  /// Deletes the bytes of deleted photos, and retries failed file deletions.
  func purgeDeletedBlobs() async throws {
    while try await changing({ try PostgresBlobs.removeParts(in: $0) }) > 0 { try Task.checkCancellation() }
    guard folder != nil else { return }
    var last = BlobName(.annotation, "")
    while true {
      try Task.checkCancellation()
      let from = last
      let names = try await reading { connection in
        try connection.run(
          "SELECT kind, name FROM blob_removals WHERE (kind, name) > ($1, $2) ORDER BY kind, name LIMIT $3",
          [.text(from.kind.rawValue), .text(from.name), .init(Self.batch)]
        ).rows.compactMap { row in
          let name = try row.text("name")
          return BlobKind(rawValue: try row.text("kind")).map { BlobName($0, name) }
        }
      }
      guard let end = names.last else { return }
      last = end
      try await removeFiles(names)
    }
  }

  /// Deletes files and forgets those deleted; the others stay remembered.
  private func removeFiles(_ names: [BlobName]) async throws {
    guard let folder, !names.isEmpty else { return }
    var gone: [BlobName] = []
    for name in names where (try? await folder.delete(name)) != nil {
      FaultPoint.photoRemoved.reached()
      gone.append(name)
    }
    let forgotten = gone
    guard !forgotten.isEmpty else { return }
    try await changing { connection in
      for name in forgotten {
        try connection.run(
          "DELETE FROM blob_removals WHERE kind = $1 AND name = $2", [.text(name.kind.rawValue), .text(name.name)])
      }
      FaultPoint.forgettingPhoto.reached()
    }
    FaultPoint.photoForgotten.reached()
  }
}

// MARK: - Statements

extension PostgresStore {
  /// Rows per transaction: few enough that uploads hardly wait for it.
  static let batch = 200

  // An array instead of a set: with a set, the planner scans all jobs if it expects a large batch.

  package static let prunePhotosStatement = """
    UPDATE jobs SET photo_pruned = true
    WHERE seq = ANY (ARRAY(
      SELECT seq FROM jobs WHERE ended_at IS NOT NULL AND NOT photo_pruned AND ended_at < $1
      ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED))
    RETURNING id, photo
    """

  // Keys of advisory locks, specific to this program and different from that of migrations.

  private static let photoBytesLock: Int64 = 0x5E21_A15C_0002
  /// Held while expired jobs are deleted, and shared by other deletions, which `lockPhoto` separates from each other. If
  /// a photo's first job and the duplicate that takes its place were deleted at the same moment, the saved serial and the
  /// other duplicates would be left to a job that is gone.
  package static let jobPruningLock: Int64 = 0x5E21_A15C_0003

  /// Takes an advisory lock until the transaction's end; false if another transaction has it.
  private static func tryLock(_ key: Int64, in connection: PostgresConnection) throws -> Bool {
    try connection.run("SELECT pg_try_advisory_xact_lock($1) AS mine", [.integer(key)]).first?.flag("mine") == true
  }

  /// Total bytes of all photos kept.
  package static let photoBytes = """
    SELECT (
      (SELECT coalesce(sum(photo_bytes), 0) FROM jobs WHERE ended_at IS NOT NULL AND NOT photo_pruned)
      + (SELECT coalesce(sum(photo_bytes), 0) FROM jobs WHERE state = 'queued')
      + (SELECT coalesce(sum(photo_bytes), 0) FROM jobs WHERE state = 'processing'))::bigint AS bytes
    """

  /// Marks the oldest photos as pruned until the given number of bytes is freed.
  package static let pruneOldestPhotosStatement = """
    UPDATE jobs SET photo_pruned = true
    WHERE seq = ANY (ARRAY(
      SELECT seq FROM (
        SELECT seq, sum(photo_bytes) OVER (ORDER BY ended_at, seq) - photo_bytes AS bytes_before FROM (
          SELECT seq, ended_at, photo_bytes FROM jobs WHERE ended_at IS NOT NULL AND NOT photo_pruned
          ORDER BY ended_at, seq LIMIT $1::bigint FOR UPDATE) AS oldest) AS summed
      WHERE bytes_before < $2::bigint))
    RETURNING id, photo
    """

  package static let pruneJobsStatement = """
    DELETE FROM jobs WHERE \(isExpired) RETURNING id, photo, photo_pruned, \(tallied)
    """

  /// Those of the jobs that `pruneJobsStatement` deletes that are the first ones of photos that were sent again.
  package static let expiringFirstsStatement = "SELECT id FROM jobs WHERE \(isExpired) AND \(hasDuplicates) ORDER BY id"

  private static let isExpired = """
    seq = ANY (ARRAY(
      SELECT seq FROM jobs WHERE ended_at IS NOT NULL AND ended_at < $1
      ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED))
    """

  /// Deletes jobs with their photos. Remembers and returns photos in a folder.
  private static func takeAway(
    _ sql: String, _ parameters: [PostgresValue], isInFolder: Bool, in connection: PostgresConnection
  ) throws -> (rows: [PostgresRow], files: [BlobName]) {
    let rows = try connection.run(sql, parameters).rows
    let kept = try rows.filter { try !$0.flag("photo_pruned") }
    return (rows, try letGo(of: kept, isInFolder: isInFolder, in: connection))
  }

  /// Deletes the photos and annotations of job rows, or remembers and returns their files.
  private static func letGo(
    of rows: [PostgresRow], isInFolder: Bool, in connection: PostgresConnection
  ) throws -> [BlobName] {
    // Any of them may have been annotated since.
    let names = try rows.flatMap { row -> [BlobName] in
      [BlobName(.photo, try row.text("photo")), .annotation(ofJob: try row.text("id"))]
    }
    guard isInFolder else {
      try PostgresBlobs.delete(names, in: connection)
      return []
    }
    for name in names {
      try connection.run(
        "INSERT INTO blob_removals VALUES ($1, $2) ON CONFLICT DO NOTHING",
        [.text(name.kind.rawValue), .text(name.name)])
    }
    return names
  }
}
