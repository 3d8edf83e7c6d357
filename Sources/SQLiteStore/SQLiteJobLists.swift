import Foundation
import GRDB
import JobStore
import SQLStore
import Support

extension SQLiteJobStore {
  /// See `JobListing`.
  public func now() async throws -> Int64 { clock.now().microseconds }

  /// See `JobListing`.
  public func queueStatus() async throws -> QueueStatus {
    let (counts, oldest) = try await reading { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT state, total(count) AS n FROM job_counts GROUP BY state"))
      let oldest = try Int64.fetchOne(database.cachedStatement(sql: Self.oldestWaiting))
      return (rows.map { ($0["state"] as String, $0["n"] as Int) }, oldest)
    }
    var byState: [Job.State: Int] = [:]
    for (name, count) in counts {
      if let state = Job.State(rawValue: name) { byState[state] = count }
    }
    // Only one program at a time serves a file, and it is this one.
    let machine = Machine(
      name: Machine.thisName, workers: options.workers, reading: byState[.processing] ?? 0, version: options.version,
      silence: 0)
    return QueueStatus(
      counts: byState, longestWait: oldest.map { max(0, clock.now().timeIntervalSince(Date(microseconds: $0))) },
      throughput: meter.throughput, machines: [machine])
  }

  /// See `JobListing`.
  public func throughput() async throws -> Throughput? { meter.throughput }

  /// See `JobListing`.
  @discardableResult
  public func cancel(id: String, because error: JobError) async throws -> Job? {
    let now = clock.now().microseconds
    let (job, hasEnded) = try await changing { database -> (Job?, Bool) in
      let statement = try database.cachedStatement(
        sql: """
          UPDATE jobs SET state = 'failed', progress = 100, message = ?, error_code = ?, error_detail = ?,
            updated_at = max(updated_at, ?), ended_at = ?, due_tick = NULL
          WHERE id = ? AND state = 'queued' RETURNING \(Job.columns)
          """)
      let row = try Row.fetchOne(statement, arguments: [error.detail, error.code.rawValue, error.detail, now, now, id])
      if let row {
        FaultPoint.cancelling.reached()
        return (try Job(row: row), true)
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
  package static let oldestWaiting = """
    SELECT min(created_at) FROM jobs INDEXED BY jobs_waiting_since WHERE state = 'queued'
    """
}
