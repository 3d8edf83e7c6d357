import Foundation
import JobStore
import PostgresClient
import SQLStore
import Support

extension PostgresStore {
  /// See `JobListing`.
  public func now() async throws -> Int64 {
    try await reading { try $0.run("SELECT store_now() AS now").first?.integer("now") ?? 0 }
  }

  /// See `JobListing`.
  public func queueStatus() async throws -> QueueStatus {
    try await reading { connection in
      var counts: [Job.State: Int] = [:]
      for row in try connection.run(Self.countsStatement).rows {
        guard let state = Job.State(rawValue: try row.text("state")) else { continue }
        let count = try row.count("n")
        if count > 0 { counts[state] = count }
      }
      let wait = try connection.run(Self.longestWait).first?.optionalInteger("wait")
      return try QueueStatus(
        counts: counts, longestWait: wait.map { max(0, Double($0) / 1_000_000) },
        throughput: Self.throughput(in: connection), machines: Self.machines(in: connection))
    }
  }

  /// See `JobListing`.
  public func throughput() async throws -> Throughput? {
    if let known = latestThroughput.withLock({ $0 }), known.until > .now { return known.throughput }
    let throughput = try await reading { try Self.throughput(in: $0) }
    // Cached, because every upload needs it.
    latestThroughput.withLock { $0 = (throughput, .now + .seconds(1)) }
    return throughput
  }

  /// See `JobListing`. A job that a client of another server waits for is not cancelled either.
  @discardableResult
  public func cancel(id: String, because error: JobError) async throws -> Job? {
    let (job, hasEnded) = try await changing { connection -> (Job?, Bool) in
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
  package static let countsStatement = """
    SELECT 'queued' AS state, count(*) AS n FROM jobs WHERE state = 'queued'
    UNION ALL SELECT 'processing', count(*) FROM jobs WHERE state = 'processing'
    UNION ALL SELECT state, sum(count)::bigint FROM ended_counts GROUP BY state
    """

  package static let longestWait = "SELECT store_now() - min(created_at) AS wait FROM jobs WHERE state = 'queued'"

  /// Selects the latest readings of all machines, because a server may not read photos itself.
  package static let latestReadings = """
    SELECT worker, ended_at - started_at AS took FROM jobs WHERE ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT $1
    """

  /// Selects the machines with recent heartbeats and the number of jobs each holds.
  package static let machinesStatement = """
    SELECT servers.name, servers.workers, servers.version, store_now() - servers.beat_at AS silence,
      coalesce(held.jobs, 0) AS reading
    FROM servers LEFT JOIN (SELECT holder, count(*) AS jobs FROM jobs WHERE state = 'processing' GROUP BY holder) AS held
      ON held.holder = servers.id
    WHERE servers.beat_at >= store_now() - $1 ORDER BY servers.name, servers.id LIMIT $2
    """

  /// Selects other instances that have heartbeats, receive notifications, and have idle workers.
  package static let idleStatement = """
    SELECT servers.id, greatest(0, servers.workers - coalesce(held.jobs, 0)) AS idle
    FROM servers LEFT JOIN (SELECT holder, count(*) AS jobs FROM jobs WHERE state = 'processing' GROUP BY holder) AS held
      ON held.holder = servers.id
    WHERE servers.id <> $1 AND servers.beat_at >= store_now() - $2 AND servers.workers > 0 AND servers.hears
    """

  /// Seconds for which a dead machine is still listed.
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
    // Each worker is assumed to have its own core, because other machines' cores are unknown.
    return Throughput(readings, mostWorkers: .max)
  }
}
