import Foundation
import GRDB
import JobStore
import Support

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
  public func endedJobs(after position: EndPosition, keyID: String?, limit: Int) async throws -> [EndedJob] {
    let sql = Self.endedJobs(ofOneKey: keyID != nil)
    let key = StatementArguments([keyID].compactMap(\.self))
    let arguments = StatementArguments([position.time, position.time, position.number]) + key + [limit]
    return try await read { database in
      try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).map { row in
        EndedJob(job: Job(row: row), position: EndPosition(time: row["ended_at"], number: row["seq"]))
      }
    }
  }

  /// See `JobListing`.
  public func now() async throws -> Int64 { clock.now().microseconds }

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
    // One program at a time serves a file, and it is this one that is asked.
    let machine = Machine(
      name: Machine.thisName, workers: options.workers, reading: byState[.processing] ?? 0, version: options.version,
      silence: 0)
    return QueueStatus(
      counts: byState, oldestWaiting: oldest.map(Date.init(microseconds:)), throughput: meter.throughput,
      machines: [machine])
  }

  /// See `JobListing`.
  public func throughput() async throws -> Throughput? { meter.throughput }

  /// See `JobListing`.
  public func verdictStatistics(days: Int) async throws -> VerdictStatistics {
    let thisHour = clock.now().microseconds / 3_600_000_000
    let first = VerdictStatistics.firstHour(of: days, at: thisHour)
    let hours = try await read { database in
      try Row.fetchAll(database.cachedStatement(sql: Self.verdictsByHour), arguments: [first, thisHour]).map { row in
        (
          hour: row["hour"] as Int64,
          counts: VerdictCounts(accepted: row["accepted"], uncertain: row["uncertain"], refused: row["refused"])
        )
      }
    }
    return VerdictStatistics(hours, days: days, thisHour: thisHour)
  }

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

  /// Parameters: the time twice and the number after which, the key if there is one, and how many.
  package static func endedJobs(ofOneKey isOfOneKey: Bool) -> String {
    """
    SELECT seq, ended_at, \(Job.columns) FROM jobs INDEXED BY jobs_ended
    WHERE ended_at >= ? AND (ended_at, seq) > (?, ?)\(isOfOneKey ? " AND key_id = ?" : "")
    ORDER BY ended_at, seq LIMIT ?
    """
  }

  /// Parameters: the first hour and the last.
  package static let verdictsByHour = """
    SELECT hour, accepted, uncertain, refused FROM verdict_counts WHERE hour BETWEEN ? AND ?
    """

  package static let oldestWaiting = """
    SELECT min(created_at) FROM jobs INDEXED BY jobs_waiting_since WHERE state = 'queued'
    """
}
