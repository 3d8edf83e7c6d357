import Foundation
import JobStore
import ScanModel

extension SQLBackedStore {
  /// See `BatchStore`.
  public func addBatch(id: String, name: String, keyID: String?) async throws -> Batch {
    let statement: SQLStatement = """
      INSERT INTO batches (id, name, name_key, created_at, key_id)
      VALUES (\(id), \(name), \(SerialSearch.folded(name)), \(present), \(keyID))
      ON CONFLICT (id) DO UPDATE SET key_id = excluded.key_id RETURNING \(sql: Batch.columns)
      """
    return try await repeating { connection in
      do {
        guard let row = try connection.first(statement) else { throw StoreError.noRow }
        return try Self.withTally([Batch(row: row)], in: connection)[0]
      } catch {
        if Self.isUniqueViolation(error) { throw BatchError.nameTaken(name) }
        throw error
      }
    }
  }

  /// See `BatchStore`.
  public func batch(id: String) async throws -> Batch? {
    guard id.isStorable else { return nil }
    return try await reading { try Self.batch(id: id, in: $0) }
  }

  /// See `BatchStore`.
  public func hasBatch(id: String) async throws -> Bool {
    guard id.isStorable else { return false }
    return try await reading { try $0.first("SELECT 1 AS one FROM batches WHERE id = \(id)") != nil }
  }

  /// See `BatchStore`.
  public func batches(areOpen: Bool?, limit: Int, cursor: String?) async throws -> Page<Batch> {
    var page = try await page(of: "batches", limit: limit, after: cursor) { before, most in
      Self.latestBatches(areOpen: areOpen, before: before, limit: most)
    } _: {
      try Batch(row: $0)
    }
    let batches = page.items
    page.items = try await reading { try Self.withTally(batches, in: $0) }
    return page
  }

  /// See `BatchStore`.
  public func changeBatch(id: String, _ change: BatchChange) async throws -> Batch? {
    guard id.isStorable else { return nil }
    let present = present
    return try await changing { connection in
      let row = try connection.first("SELECT \(sql: Batch.columns) FROM batches WHERE id = \(id)\(Self.dialect.lock)")
      guard let known = try row.map(Batch.init(row:)) else { return nil }
      let name = change.name ?? known.name
      let endedAt: SQLStatement =
        switch change.isEnded {
        case nil: "ended_at"
        case true?: "coalesce(ended_at, \(present))"
        case false?: "NULL"
        }
      do {
        try connection.change(
          """
          UPDATE batches SET name = \(name), name_key = \(SerialSearch.folded(name)), ended_at = \(endedAt)
          WHERE id = \(id)
          """)
      } catch {
        if Self.isUniqueViolation(error) { throw BatchError.nameTaken(name) }
        throw error
      }
      return try Self.batch(id: id, in: connection)
    }
  }

  /// See `BatchStore`. Takes several transactions, so that uploads do not wait for a large batch; if it is interrupted,
  /// the batch has ended and some of its jobs have left it.
  public func deleteBatch(id: String) async throws -> Bool {
    guard id.isStorable else { return false }
    let present = present
    var wasFound = false
    while true {
      let (isFound, isGone, jobs) = try await changingOnFullDisk { connection -> (Bool, Bool, [String]) in
        let ended = try connection.change(
          "UPDATE batches SET ended_at = coalesce(ended_at, \(present)) WHERE id = \(id)")
        guard ended > 0 else { return (false, true, []) }
        // The jobs first: serials that a worker saves after this have no batch, and those saved before are found below.
        let jobs = try connection.rows(
          """
          UPDATE jobs SET batch_id = NULL, updated_at = \(Self.dialect.greatest)(updated_at + 1, \(present))
          WHERE seq IN (SELECT seq FROM jobs WHERE batch_id = \(id) LIMIT \(mostAtOnce)) RETURNING id
          """
        ).map { try $0.text("id") }
        let serials = try connection.change(
          """
          UPDATE serials SET batch_id = NULL
          WHERE id IN (SELECT id FROM serials WHERE batch_id = \(id) LIMIT \(mostAtOnce))
          """)
        let isEmpty = max(jobs.count, serials) < mostAtOnce
        if isEmpty { try connection.change("DELETE FROM batches WHERE id = \(id)") }
        return (true, isEmpty, jobs)
      }
      forgetEnded(jobs)
      wasFound = wasFound || isFound
      if isGone { return wasFound }
    }
  }

  /// Selects open or ended batches, or both, latest first.
  package static func latestBatches(areOpen: Bool?, before: Int64, limit: Int) -> SQLStatement {
    let condition: SQLStatement = areOpen.map { $0 ? "ended_at IS NULL AND " : "ended_at IS NOT NULL AND " } ?? ""
    return """
      SELECT \(sql: Batch.columns) FROM batches WHERE \(condition)seq < \(before) ORDER BY seq DESC LIMIT \(limit)
      """
  }

  /// Counts the photos of batches by batch and verdict: those sent again, and of the others all, the confirmed and the
  /// otherwise reviewed ones.
  package static func photoTallies(of ids: [String]) -> SQLStatement {
    """
    SELECT batch_id, verdict, count(duplicate_of) AS again, count(*) - count(duplicate_of) AS photos,
      count(CASE WHEN duplicate_of IS NULL THEN confirmed_at END) AS confirmed,
      count(CASE WHEN duplicate_of IS NULL AND confirmed_at IS NULL THEN review END) AS reviewed
    FROM jobs\(dialect.index("jobs_batch_tally")) WHERE batch_id IN (\(SQLStatement.list(ids))) GROUP BY batch_id, verdict
    """
  }

  /// Counts the saved serials of batches, and the different ones.
  package static func serialTallies(of ids: [String]) -> SQLStatement {
    """
    SELECT batch_id, count(*) AS reads, count(DISTINCT serial) AS devices
    FROM serials\(dialect.index("serials_batch_serial")) WHERE batch_id IN (\(SQLStatement.list(ids))) GROUP BY batch_id
    """
  }

  /// Counts the jobs of a batch by state.
  package static func jobStates(inBatch id: String) -> SQLStatement {
    "SELECT state, count(*) AS n FROM jobs\(dialect.index("jobs_batch")) WHERE batch_id = \(id) GROUP BY state"
  }

  private static func batch(id: String, in connection: any SQLConnection) throws -> Batch? {
    let row = try connection.first("SELECT \(sql: Batch.columns) FROM batches WHERE id = \(id)")
    return try row.map { try withTally([Batch(row: $0)], in: connection)[0] }
  }

  /// Adds the current counts to the tallies of batches.
  private static func withTally(_ batches: [Batch], in connection: any SQLConnection) throws -> [Batch] {
    guard !batches.isEmpty else { return [] }
    let ids = batches.map(\.id)
    var tallies = Dictionary(batches.map { ($0.id, $0.tally) }) { first, _ in first }
    func fetch(_ statement: SQLStatement) throws -> [any SQLRow] {
      // The number of batches on a page varies, so the statement is not kept prepared.
      var statement = statement
      statement.isReused = ids.count == 1
      return try connection.rows(statement)
    }
    for row in try fetch(photoTallies(of: ids)) {
      let verdict = try row.optionalText("verdict").flatMap(Reading.Verdict.init(rawValue:))
      tallies[try row.text("batch_id")]?.add(
        try row.count("photos"), confirmed: try row.count("confirmed"), reviewed: try row.count("reviewed"),
        again: try row.count("again"), verdict: verdict)
    }
    for row in try fetch(serialTallies(of: ids)) {
      let (reads, devices) = (try row.count("reads"), try row.count("devices"))
      let id = try row.text("batch_id")
      tallies[id]?.devices = devices
      tallies[id]?.duplicates += max(0, reads - devices)
    }
    return batches.map { batch in
      var batch = batch
      batch.tally = tallies[batch.id] ?? batch.tally
      return batch
    }
  }

  /// Throws `BatchError` unless the batch is open. It stays open until the transaction ends.
  ///
  /// - Parameter lock: The clause that locks the row in a database with several writers.
  package static func requireOpen(
    batch id: String, lock: SQLStatement = "", in connection: any SQLConnection
  ) throws {
    let row = try connection.first("SELECT name, ended_at FROM batches WHERE id = \(id)\(lock)")
    guard let row else { throw BatchError.notFound(id: id) }
    if try row.optionalInteger("ended_at") != nil { throw BatchError.ended(name: try row.text("name")) }
  }

  /// The columns of a job that `keepTallies` needs, selected before jobs are deleted.
  ///
  /// If a photo was sent into a batch several times, the job deleted last counts as the photo; until then, the first
  /// remaining one does.
  package static var tallied: String {
    // Without a named index, SQLite would search all later jobs of the batch for each job.
    """
    batch_id, verdict, confirmed_at, review, (
      EXISTS (SELECT 1 FROM jobs AS later\(dialect.index("jobs_duplicates").text(in: dialect))
        WHERE jobs.batch_id IS NOT NULL AND later.duplicate_of = coalesce(jobs.duplicate_of, jobs.id)
          AND later.batch_id = jobs.batch_id AND later.seq > jobs.seq)
      OR EXISTS (SELECT 1 FROM jobs AS later
        WHERE later.id = jobs.duplicate_of AND later.batch_id = jobs.batch_id AND later.seq > jobs.seq)) AS is_again
    """
  }

  /// Keeps the counts of jobs that retention deletes in the tallies of their batches.
  ///
  /// - Parameter rows: The columns `tallied` of the jobs.
  package static func keepTallies(of rows: [any SQLRow], in connection: any SQLConnection) throws {
    var expired: [String: BatchTally] = [:]
    for row in rows {
      guard let id = try row.optionalText("batch_id") else { continue }
      let verdict = try row.optionalText("verdict").flatMap(Reading.Verdict.init(rawValue:))
      let isConfirmed = try row.optionalInteger("confirmed_at") != nil
      let isReviewed = try !isConfirmed && row.optionalText("review") != nil
      let isAgain = try row.flag("is_again")
      expired[id, default: BatchTally()].add(
        isAgain ? 0 : 1, confirmed: isConfirmed && !isAgain ? 1 : 0, reviewed: isReviewed && !isAgain ? 1 : 0,
        again: isAgain ? 1 : 0, verdict: verdict ?? .refused)
    }
    // A fixed order, so that two servers never deadlock.
    for (id, tally) in expired.sorted(by: { $0.key < $1.key }) {
      try connection.change(
        """
        UPDATE batches SET expired_accepted = expired_accepted + \(tally.accepted),
          expired_needs_review = expired_needs_review + \(tally.needsReview),
          expired_no_serial = expired_no_serial + \(tally.noSerial),
          expired_confirmed = expired_confirmed + \(tally.confirmed),
          expired_duplicates = expired_duplicates + \(tally.duplicates) WHERE id = \(id)
        """)
    }
  }
}

/// Jobs and serials that leave a batch in one transaction: few enough that uploads hardly wait for it.
private let mostAtOnce = 500

extension BatchTally {
  /// Adds photos of one verdict (nil before their end), and photos sent again. A reviewed photo counts as one without a
  /// serial, whatever was read.
  fileprivate mutating func add(
    _ photos: Int, confirmed: Int, reviewed: Int, again: Int, verdict: Reading.Verdict?
  ) {
    duplicates += again
    self.confirmed += confirmed
    let others = photos - confirmed - reviewed
    noSerial += reviewed
    switch verdict {
    case nil: waiting += others
    case .accepted: accepted += others
    case .uncertain: needsReview += others
    case .refused: noSerial += others
    }
  }
}

extension Batch {
  /// The columns that `init(row:)` reads.
  fileprivate static let columns = """
    seq, id, name, created_at, ended_at, key_id, expired_accepted, expired_needs_review, expired_no_serial, \
    expired_confirmed, expired_duplicates
    """

  /// Decodes a row of `columns`. Its tally has only the photos whose jobs retention has deleted.
  fileprivate init(row: any SQLRow) throws {
    self.init(
      id: try row.text("id"), name: try row.text("name"),
      createdAt: Date(microseconds: try row.integer("created_at")),
      endedAt: try row.optionalInteger("ended_at").map(Date.init(microseconds:)), keyID: try row.optionalText("key_id"),
      tally: BatchTally(
        accepted: try row.count("expired_accepted"), needsReview: try row.count("expired_needs_review"),
        noSerial: try row.count("expired_no_serial"), confirmed: try row.count("expired_confirmed"),
        duplicates: try row.count("expired_duplicates")))
  }
}
