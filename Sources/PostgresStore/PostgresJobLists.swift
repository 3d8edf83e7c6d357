import Foundation
import JobStore
import PostgresClient
import Support

extension PostgresStore: JobListing {
  /// See `JobListing`.
  public func jobs(_ filter: JobFilter, limit: Int, cursor: String?) async throws -> Page<Job> {
    let order = "jobs"
    let before = try cursor.map { try Cursor($0, order: order).number } ?? Int64.max
    let wanted = [filter.state?.rawValue, filter.verdict?.rawValue, filter.keyID].compactMap(\.self)
      .map(PostgresValue.text)
    let (jobs, last) = try await repeatable { connection -> ([Job], Int64?) in
      let rows = try connection.run(Self.latestJobs(filter), [.integer(before), .init(limit + 1)] + wanted).rows
      let shown = rows.prefix(limit)
      let last = rows.count > limit ? try shown.last.map { try $0.integer("seq") } : nil
      return (try shown.map(Job.init(row:)), last)
    }
    return Page(items: jobs, nextCursor: last.map { Cursor(value: .integer($0), number: $0, order: order).text })
  }

  /// See `JobListing`.
  public func endedJobs(after position: EndPosition, keyID: String?, limit: Int) async throws -> [EndedJob] {
    let key = [keyID].compactMap(\.self).map(PostgresValue.text)
    return try await repeatable { connection in
      try connection.run(
        Self.endedJobs(ofOneKey: keyID != nil),
        [.integer(position.time), .integer(position.number), .init(limit)] + key
      ).rows.map { row in
        EndedJob(
          job: try Job(row: row),
          position: EndPosition(time: try row.integer("ended_at"), number: try row.integer("seq")))
      }
    }
  }

  /// See `JobListing`.
  public func now() async throws -> Int64 {
    try await repeatable { try $0.run("SELECT store_now() AS now").first?.integer("now") ?? 0 }
  }

  /// See `JobListing`.
  public func queueStatus() async throws -> QueueStatus {
    try await repeatable { connection in
      var counts: [Job.State: Int] = [:]
      for row in try connection.run(Self.countsStatement).rows {
        guard let state = Job.State(rawValue: try row.text("state")) else { continue }
        let count = try row.count("n")
        if count > 0 { counts[state] = count }
      }
      let oldest = try connection.run(Self.oldestWaiting).first?.optionalInteger("oldest")
      return try QueueStatus(
        counts: counts, oldestWaiting: oldest.map(Date.init(microseconds:)),
        throughput: Self.throughput(in: connection), machines: Self.machines(in: connection))
    }
  }

  /// See `JobListing`.
  public func throughput() async throws -> Throughput? {
    if let known = latestThroughput.withLock({ $0 }), known.until > .now { return known.throughput }
    let throughput = try await repeatable { try Self.throughput(in: $0) }
    // Every upload asks.
    latestThroughput.withLock { $0 = (throughput, .now + .seconds(1)) }
    return throughput
  }

  /// See `JobListing`.
  public func verdictStatistics(days: Int) async throws -> VerdictStatistics {
    try await repeatable { connection in
      let now = try connection.run("SELECT store_now() / 3600000000 AS hour").first?.integer("hour") ?? 0
      let first = VerdictStatistics.firstHour(of: days, at: now)
      let rows = try connection.run(Self.verdictsByHour, [.integer(first), .integer(now)]).rows
      let hours = try rows.map { row in
        (
          hour: try row.integer("hour"),
          counts: VerdictCounts(
            accepted: try row.count("accepted"), uncertain: try row.count("uncertain"),
            refused: try row.count("refused"))
        )
      }
      return VerdictStatistics(hours, days: days, thisHour: now)
    }
  }

  /// See `JobListing`. A job that a client of another server waits for stays too.
  @discardableResult
  public func cancel(id: String, because error: JobError) async throws -> Job? {
    let (job, hasEnded) = try await write { connection -> (Job?, Bool) in
      let ended = try connection.run(
        """
        UPDATE jobs SET state = 'failed', progress = 100, message = $2, error_code = $3, error_detail = $2,
          updated_at = greatest(updated_at, store_now()), ended_at = store_now(), due_at = NULL, verdict = 'refused'
        WHERE id = $1 AND state = 'queued' AND NOT is_awaited RETURNING \(Job.columns)
        """, [.text(id), .text(error.detail), .text(error.code.rawValue)]
      ).first
      if let ended {
        FaultPoint.cancelling.reached()
        return (try Job(row: ended), true)
      }
      return (try Self.job(id: id, in: connection), false)
    }
    if let job, hasEnded {
      FaultPoint.cancelled.reached()
      waiting.change(by: -1, priority: job.priority)
      tellEnd(of: job)
    }
    return job
  }
}

extension PostgresStore {
  /// Parameters: the number before which, how many, and the state and the verdict where the filter has them.
  package static func latestJobs(_ filter: JobFilter) -> String {
    var conditions = ["seq < $1"]
    var next = 3
    for (column, isAsked) in [
      ("state", filter.state != nil), ("verdict", filter.verdict != nil), ("key_id", filter.keyID != nil),
    ] where isAsked {
      conditions.append("\(column) = $\(next)")
      next += 1
    }
    if let isConfirmed = filter.isConfirmed {
      conditions.append("confirmed_at IS \(isConfirmed ? "NOT NULL" : "NULL")")
    }
    return """
      SELECT seq, \(Job.columns) FROM jobs WHERE \(conditions.joined(separator: " AND ")) ORDER BY seq DESC LIMIT $2
      """
  }

  /// Parameters: the time and the number after which, how many, and the key if there is one.
  package static func endedJobs(ofOneKey isOfOneKey: Bool) -> String {
    """
    SELECT seq, ended_at, \(Job.columns) FROM jobs
    WHERE ended_at IS NOT NULL AND ended_at >= $1 AND (ended_at, seq) > ($1, $2)\(isOfOneKey ? " AND key_id = $4" : "")
    ORDER BY ended_at, seq LIMIT $3
    """
  }

  package static let countsStatement = """
    SELECT 'queued' AS state, count(*) AS n FROM jobs WHERE state = 'queued'
    UNION ALL SELECT 'processing', count(*) FROM jobs WHERE state = 'processing'
    UNION ALL SELECT state, sum(count)::bigint FROM ended_counts GROUP BY state
    """

  /// Parameters: the first hour and the last.
  package static let verdictsByHour = """
    SELECT hour, sum(accepted)::bigint AS accepted, sum(uncertain)::bigint AS uncertain, sum(refused)::bigint AS refused
    FROM verdict_counts WHERE hour BETWEEN $1 AND $2 GROUP BY hour
    """

  package static let oldestWaiting = "SELECT min(created_at) AS oldest FROM jobs WHERE state = 'queued'"

  /// The latest readings, wherever they were done: who answers may read nothing itself.
  package static let latestReadings = """
    SELECT worker, ended_at - started_at AS took FROM jobs WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT $1
    """

  /// Who has beaten lately, with what each holds.
  package static let machinesStatement = """
    SELECT servers.name, servers.workers, servers.version, store_now() - servers.beat_at AS silence,
      coalesce(held.jobs, 0) AS reading
    FROM servers LEFT JOIN (SELECT holder, count(*) AS jobs FROM jobs WHERE state = 'processing' GROUP BY holder) AS held
      ON held.holder = servers.id
    WHERE servers.beat_at >= store_now() - $1 ORDER BY servers.name, servers.id LIMIT $2
    """

  /// Who else beats, hears and has workers that hold no job.
  package static let idleStatement = """
    SELECT servers.id, greatest(0, servers.workers - coalesce(held.jobs, 0)) AS idle
    FROM servers LEFT JOIN (SELECT holder, count(*) AS jobs FROM jobs WHERE state = 'processing' GROUP BY holder) AS held
      ON held.holder = servers.id
    WHERE servers.id <> $1 AND servers.beat_at >= store_now() - $2 AND servers.workers > 0 AND servers.hears
    """

  /// A machine that died is told of for so long.
  private static let longestSilence: TimeInterval = 60
  private static let mostMachines = 1000

  private static func machines(in connection: PostgresConnection) throws -> [Machine] {
    let rows = try connection.run(
      machinesStatement, [.integer(longestSilence.microseconds), .init(mostMachines)]
    ).rows
    return try rows.map { row in
      Machine(
        name: try row.text("name"), workers: try row.optionalInteger("workers").map { Int(clamping: $0) },
        reading: try row.count("reading"), version: try row.optionalText("version"),
        silence: max(0, Double(try row.integer("silence")) / 1_000_000))
    }
  }

  private static func throughput(in connection: PostgresConnection) throws -> Throughput? {
    let rows = try connection.run(latestReadings, [.init(ThroughputMeter.most)]).rows
    let readings = try rows.compactMap { row -> (seconds: Double, worker: String)? in
      guard let took = try row.optionalInteger("took"), let worker = try row.optionalText("worker") else { return nil }
      return (Double(took) / 1_000_000, worker)
    }
    // Each worker is taken to have a core of its own: what other machines have is not known here.
    return Throughput(readings, mostWorkers: .max)
  }
}
