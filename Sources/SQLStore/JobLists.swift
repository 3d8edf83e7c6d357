import Foundation
import JobStore

extension SQLBackedStore {
  /// See `JobListing`.
  public func jobs(_ filter: JobFilter, limit: Int, cursor: String?) async throws -> Page<Job> {
    try await page(of: "jobs", limit: limit, after: cursor) { before, most in
      Self.latestJobs(filter, before: before, limit: most)
    } _: {
      try Job(row: $0)
    }
  }

  /// See `JobListing`.
  public func endedJobs(
    after position: EndPosition, keyID: String?, batchID: String?, limit: Int
  ) async throws -> [EndedJob] {
    try await reading { connection in
      try connection.rows(Self.endedJobs(after: position, keyID: keyID, batchID: batchID, limit: limit)).map { row in
        EndedJob(
          job: try Job(row: row),
          position: EndPosition(time: try row.integer("ended_at"), number: try row.integer("seq")))
      }
    }
  }

  /// See `JobListing`.
  public func verdictStatistics(days: Int, batchID: String?) async throws -> VerdictStatistics {
    let thisHour = try await now() / 3_600_000_000
    let first = VerdictStatistics.firstHour(of: days, at: thisHour)
    let hours = try await reading { connection in
      try connection.rows(Self.verdictsByHour(from: first, to: thisHour, batchID: batchID)).map { row in
        (
          hour: try row.integer("hour"),
          counts: VerdictCounts(
            accepted: try row.count("accepted"), uncertain: try row.count("uncertain"),
            refused: try row.count("refused"))
        )
      }
    }
    return VerdictStatistics(hours, days: days, thisHour: thisHour)
  }

  /// See `JobListing`.
  public func jobStates(inBatch id: String) async throws -> [Job.State: Int] {
    guard id.isStorable else { return [:] }
    let rows = try await reading { connection in
      try connection.rows(Self.jobStates(inBatch: id)).map { (try $0.text("state"), try $0.count("n")) }
    }
    return Dictionary(rows.compactMap { name, count in Job.State(rawValue: name).map { ($0, count) } }) { $0 + $1 }
  }

  /// Selects the jobs that match a filter, latest first.
  package static func latestJobs(_ filter: JobFilter, before: Int64, limit: Int) -> SQLStatement {
    let conditions: [SQLStatement?] = [
      filter.state.map { "state = \($0.rawValue)" }, filter.verdict.map { "verdict = \($0.rawValue)" },
      filter.keyID.map { "key_id = \($0)" }, filter.batchID.map { "batch_id = \($0)" },
      filter.isConfirmed.map { $0 ? "confirmed_at IS NOT NULL" : "confirmed_at IS NULL" },
      filter.isReviewed.map { $0 ? "review IS NOT NULL" : "review IS NULL" },
      filter.from.map { "created_at >= \($0.microseconds)" }, filter.until.map { "created_at < \($0.microseconds)" },
      "seq < \(before)",
    ]
    return """
      SELECT seq, \(sql: Job.columns) FROM jobs\(index(for: filter)) WHERE \(SQLStatement.joined(conditions.compactMap(\.self), by: " AND "))
      ORDER BY seq DESC LIMIT \(limit)
      """
  }

  /// The index that SQLite must use for a filter. It does not know that few jobs are of a batch, confirmed or reviewed, and
  /// would search all jobs of a verdict for them.
  private static func index(for filter: JobFilter) -> SQLStatement {
    if filter.batchID != nil { return dialect.index("jobs_batch") }
    if filter.isReviewed == true { return dialect.index("jobs_reviewed") }
    return filter.isConfirmed == true && filter.keyID == nil ? dialect.index("jobs_confirmed") : ""
  }

  /// Selects the jobs of one key or all keys, and of one batch or all jobs, that ended after a position, in the order of
  /// their ends.
  package static func endedJobs(
    after position: EndPosition, keyID: String?, batchID: String? = nil, limit: Int
  ) -> SQLStatement {
    let ofKey: SQLStatement = keyID.map { " AND key_id = \($0)" } ?? ""
    let ofBatch: SQLStatement = batchID.map { " AND batch_id = \($0)" } ?? ""
    return """
      SELECT seq, ended_at, \(sql: Job.columns) FROM jobs\(dialect.index("jobs_ended"))
      WHERE ended_at IS NOT NULL AND ended_at >= \(position.time)
        AND (ended_at, seq) > (\(position.time), \(position.number))\(ofKey)\(ofBatch)
      ORDER BY ended_at, seq LIMIT \(limit)
      """
  }

  /// Selects verdict counts by hour, from the first hour to the last, inclusive. Those of a batch are counted from its
  /// jobs.
  package static func verdictsByHour(from first: Int64, to last: Int64, batchID: String? = nil) -> SQLStatement {
    let counts: SQLStatement =
      batchID.map {
        """
        (SELECT ended_at / 3600000000 AS hour, CASE WHEN verdict = 'accepted' THEN 1 ELSE 0 END AS accepted,
          CASE WHEN verdict = 'uncertain' THEN 1 ELSE 0 END AS uncertain,
          CASE WHEN verdict = 'refused' THEN 1 ELSE 0 END AS refused
        FROM jobs WHERE batch_id = \($0) AND ended_at IS NOT NULL) AS verdict_counts
        """
      } ?? "verdict_counts"
    return """
      SELECT hour, \(dialect.sum("accepted")) AS accepted, \(dialect.sum("uncertain")) AS uncertain,
        \(dialect.sum("refused")) AS refused
      FROM \(counts) WHERE hour BETWEEN \(first) AND \(last) GROUP BY hour
      """
  }
}
