import BlobFiles
import Foundation
import JobStore
import PostgresClient
import SQLStore
import ScanModel
import Support

// Enqueuing, and looking up jobs that wait. `PostgresClaims.swift` has the transitions of claimed jobs.

extension PostgresStore {
  /// See `JobStore`. After a commit whose result was lost, the insertion is repeated with the same job id: it waits for
  /// the first one if that is still in progress, and then finds its row.
  public func enqueue(_ job: NewJob, photo: any StagedBlob) async throws -> EnqueuedJob {
    let enqueued: EnqueuedJob
    do {
      try await requireTables()
      if let folder {
        enqueued = try await enqueue(job, photo: photo, in: folder)
      } else {
        enqueued = try await enqueueWithRows(of: photo, job)
      }
    } catch {
      await photo.discard()
      throw error
    }
    await photo.discard()
    guard !enqueued.isDuplicate else { return enqueued }
    FaultPoint.enqueued.reached()
    feed.announceArrivals(1)
    return enqueued
  }

  /// Stores the photo's rows and the job's row in one transaction.
  private func enqueueWithRows(of photo: any StagedBlob, _ job: NewJob) async throws -> EnqueuedJob {
    let limits = options.limits
    let path = try await photo.inspect { $0 }
    FaultPoint.photoWritten.reached()
    return try await seenThrough { _ in
      try await self.pool.transaction { connection in
        let enqueued = try self.enqueue(job, within: limits, in: connection)
        // If the row already existed, so does the photo.
        guard enqueued.isNew else { return enqueued.job }
        try PostgresBlobs.insert(fileAt: path, as: BlobName(.photo, job.request.photo), in: connection)
        FaultPoint.enqueuing.reached()
        return enqueued.job
      }
    }
  }

  /// Stores the photo's file before the row, so that no row lacks its photo.
  ///
  /// The file is deleted only if its row is known to be missing; otherwise it may become an orphan.
  private func enqueue(_ job: NewJob, photo: any StagedBlob, in folder: BlobFolder) async throws -> EnqueuedJob {
    let limits = options.limits
    let name = BlobName(.photo, job.request.photo)
    try await folder.commit(photo, as: name)
    do {
      let enqueued = try await seenThrough { _ in
        try await self.pool.transaction { connection in
          let enqueued = try self.enqueue(job, within: limits, in: connection)
          if enqueued.isNew { FaultPoint.enqueuing.reached() }
          return enqueued.job
        }
      }
      if enqueued.isDuplicate { try? await folder.delete(name) }
      return enqueued
    } catch let error as BatchError {
      try? await folder.delete(name)
      throw error
    } catch let error as StoreError {
      switch error {
      case .queueFull, .idempotencyConflict, .serialTaken: try? await folder.delete(name)
      case .claimLost, .saveConflict, .diskFull, .unavailable, .unreadable, .refused, .lost: break
      }
      throw error
    }
  }

  /// Retries `work` if its commit's result was lost, and passes it whether this is a retry, so that it can check for
  /// completion.
  func seenThrough<Value>(_ work: (_ isAgain: Bool) async throws -> Value) async throws -> Value {
    var tries = 1
    while true {
      do {
        return try await work(tries > 1)
      } catch let error as PostgresError {
        guard error.isOutcomeUnknown || (tries > 1 && error.isOutage), tries < Self.mostTries else {
          throw StoreError.from(error)
        }
        tries += 1
        try await Task.sleep(for: Self.pauseBetweenTries)
      }
    }
  }

  private static let mostTries = 4
  private static let pauseBetweenTries = Duration.milliseconds(500)

  /// See `JobStore`.
  public func job(id: String) async throws -> Job? {
    try await reading { try Self.job(id: id, in: $0) }
  }

  /// See `JobStore`.
  public func queuePosition(of id: String) async throws -> Int? {
    try await reading { connection in try Self.queuePosition(of: id, in: connection) }
  }
}

// MARK: - Statements

extension PostgresStore {
  /// Stores a job unless the queue is full, counting and inserting in one statement. Two concurrent uploads may both
  /// take the last place.
  package static let enqueueStatement = """
    WITH waiting AS MATERIALIZED (
      SELECT count(*) AS total, count(*) FILTER (WHERE priority >= $4::int) AS ahead FROM jobs WHERE state = 'queued')
    \(insertion) FROM waiting, \(moment) WHERE waiting.total < $23
    ON CONFLICT DO NOTHING
    RETURNING (SELECT total FROM waiting) AS total, (SELECT ahead FROM waiting) AS ahead
    """

  /// Stores a job without counting the waiting ones.
  package static let enqueueUncountedStatement = "\(insertion) FROM \(moment) ON CONFLICT DO NOTHING RETURNING id"

  private static let insertion = """
    INSERT INTO jobs (id, state, message, priority, created_at, updated_at, photo, photo_bytes, preset, device_type,
      persist, annotate, idempotency_key, photo_digest, filename, key_id, request_id, trace_id, accepted_by, region,
      multiple, callback_url, photo_hash, batch_id, min_confidence)
    SELECT $1, 'queued', $2, $4::int, now.at, now.at, $3, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
      $20, $21, $22::float8
    """
  private static let moment = "(SELECT store_now() AS at) AS now"

  private func enqueue(
    _ job: NewJob, within limits: QueueLimits, in connection: PostgresConnection
  ) throws -> (job: EnqueuedJob, isNew: Bool) {
    try Self.releaseKey(of: job, in: connection)
    if let batch = job.request.batchID {
      do {
        // A shared lock: uploads don't wait for each other, but ending the batch waits for all of them.
        try Self.requireOpen(batch: batch, lock: " FOR SHARE", in: connection)
      } catch let error as BatchError {
        // A repeated request returns its job even if the batch has ended since.
        guard let known = try known(job, in: connection) else { throw error }
        return (known, false)
      }
    }
    let most = limits.most(priority: job.priority)
    if let ahead = try insert(job, most: most, in: connection) {
      return (EnqueuedJob(id: job.id, queuePosition: ahead + 1, isDuplicate: false), true)
    }
    if let known = try known(job, in: connection) { return (known, false) }
    let waiting = try connection.run("SELECT count(*) AS n FROM jobs WHERE state = 'queued'").first
    throw StoreError.queueFull(waiting: try waiting?.count("n") ?? 0)
  }

  /// Returns the earlier job with the same idempotency key, or this one if it is already stored.
  private func known(_ job: NewJob, in connection: PostgresConnection) throws -> EnqueuedJob? {
    if let earlier = try Self.earlier(job, in: connection) {
      try markAwaited(earlier.id, in: connection)
      return earlier
    }
    guard let stored = try Self.job(id: job.id, in: connection) else { return nil }
    let position = try Self.queuePosition(of: job.id, in: connection) ?? 0
    return EnqueuedJob(id: job.id, queuePosition: position, isDuplicate: false, state: stored.state)
  }

  /// Inserts a job and returns how many are ahead of it; nil if it exists or the queue is full.
  private func insert(_ job: NewJob, most: Int64, in connection: PostgresConnection) throws -> Int? {
    let request = job.request
    let values: [PostgresValue] = [
      .text(job.id), .text(JobMessage.queued), .text(request.photo), .init(job.priority), .init(request.photoBytes),
      PostgresValue(request.preset?.rawValue), PostgresValue(request.deviceType), .boolean(request.persist),
      .boolean(request.annotate), PostgresValue(job.idempotencyKey),
      PostgresValue(job.idempotencyKey == nil ? nil : job.photoDigest), PostgresValue(request.filename),
      PostgresValue(request.origin.keyID), PostgresValue(request.origin.requestID),
      PostgresValue(request.origin.traceID), .text(holder), PostgresValue(request.part?.description),
      .boolean(request.everySerial), PostgresValue(job.callbackURL), PostgresValue(job.photoHash),
      PostgresValue(request.batchID), request.minConfidence.map(PostgresValue.real) ?? .null,
    ]
    if let ahead = waiting.take(priority: job.priority, most: most) {
      guard try connection.run(Self.enqueueUncountedStatement, values).first != nil else {
        waiting.change(by: -1, priority: job.priority)
        return nil
      }
      return ahead
    }
    var isCounted = false
    // After a failed count or a full queue, discard older counts, which would mislead the next upload.
    defer { if !isCounted { waiting.forget() } }
    guard let row = try connection.run(Self.enqueueStatement, values + [.integer(most)]).first else { return nil }
    let ahead = try row.count("ahead")
    waiting.renew(priority: job.priority, total: try row.count("total"), ahead: ahead)
    isCounted = true
    return ahead
  }

  /// Releases the idempotency key of a job that failed for a reason other than its photo, because the client wants the
  /// photo read.
  private static func releaseKey(of job: NewJob, in connection: PostgresConnection) throws {
    guard let key = job.idempotencyKey else { return }
    try connection.run(
      """
      UPDATE jobs SET idempotency_key = NULL
      WHERE idempotency_key = $1 AND photo_digest IS NOT DISTINCT FROM $2 AND id <> $3
        AND error_code IN (\(transientCodes))
      """, [.text(key), PostgresValue(job.photoDigest), .text(job.id)])
  }

  private static let transientCodes = ErrorCode.allCases.filter(\.isTransient).map { "'\($0.rawValue)'" }
    .joined(separator: ", ")

  /// Returns the earlier job with the same idempotency key.
  private static func earlier(_ job: NewJob, in connection: PostgresConnection) throws -> EnqueuedJob? {
    guard let key = job.idempotencyKey else { return nil }
    let found = try connection.run(
      "SELECT id, photo_digest, state FROM jobs WHERE idempotency_key = $1", [.text(key)])
    guard let row = found.first else { return nil }
    let id = try row.text("id")
    // This is the same job's row, whose first result was lost.
    guard id != job.id else { return nil }
    guard try row.optionalText("photo_digest") == job.photoDigest else {
      throw StoreError.idempotencyConflict(jobID: id)
    }
    return EnqueuedJob(
      id: id, queuePosition: try queuePosition(of: id, in: connection) ?? 0, isDuplicate: true,
      state: Job.State(rawValue: try row.text("state")) ?? .failed)
  }

  /// Records that a client of this instance waits for another instance's job, so that a disconnect there does not
  /// cancel it.
  func markAwaited(_ id: String, in connection: PostgresConnection) throws {
    try connection.run(
      """
      UPDATE jobs SET is_awaited = true
      WHERE id = $1 AND state = 'queued' AND accepted_by IS DISTINCT FROM $2 AND NOT is_awaited
      """, [.text(id), .text(holder)])
  }

  /// See `ChangeAnnouncing`. Only jobs with a priority are cancelled, because their clients wait where they were
  /// accepted.
  package func willWait(for job: Job) async throws {
    guard job.state == .queued, job.priority > 0 else { return }
    try await repeating { try self.markAwaited(job.id, in: $0) }
  }

  static func job(id: String, in connection: PostgresConnection) throws -> Job? {
    guard !id.utf8.contains(0) else { return nil }
    return try connection.run("SELECT \(Job.columns) FROM jobs WHERE id = $1", [.text(id)]).first.map(Job.init(row:))
  }

  static func queuePosition(of id: String, in connection: PostgresConnection) throws -> Int? {
    let row = try connection.run(
      """
      SELECT 1 + (SELECT count(*) FROM jobs WHERE state = 'queued' AND priority > mine.priority)
        + (SELECT count(*) FROM jobs WHERE state = 'queued' AND priority = mine.priority AND seq < mine.seq) AS place
      FROM jobs AS mine WHERE id = $1 AND state = 'queued'
      """, [.text(id)]
    ).first
    return try row?.count("place")
  }
}

extension QueueLimits {
  /// Number of waiting jobs at which one of this priority is refused.
  fileprivate func most(priority: Int) -> Int64 {
    let places = waiting.addingReportingOverflow(priority > 0 ? reserved : 0)
    return places.overflow ? .max : Int64(clamping: places.partialValue)
  }
}

extension PostgresError {
  /// Whether a change may have been made although its result was lost.
  var isOutcomeUnknown: Bool {
    if case .connectionLost(_, mayHaveChanged: true) = self { true } else { false }
  }
}
