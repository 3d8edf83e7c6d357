import Foundation
import GRDB
import JobStore
import SQLiteStore
import StoreConformance
import Testing

/// That no query of the store looks at every job: each plan names an index, and none scans the table.
@Suite("Query plans")
struct QueryPlanTests {
  @Test("Claiming, rescuing and placing use their indexes")
  func queue() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let statements: [(String, index: String)] = [
        (SQLiteJobStore.nextJob, "jobs_waiting"),
        (SQLiteJobStore.claimStatement, "jobs_waiting"),
        (SQLiteJobStore.aheadStatement, "jobs_waiting"),
        (SQLiteJobStore.rescueAbandonedStatement, "jobs_held"),
        (SQLiteJobStore.rescueExpiredStatement, "jobs_held"),
        (SQLiteJobStore.oldestWaiting, "jobs_waiting_since"),
        (SQLiteJobStore.prunePhotosStatement, "jobs_photo_kept"),
        (SQLiteJobStore.pruneJobsStatement, "jobs_ended"),
        (SQLiteJobStore.latestJobs(JobFilter()), "PRIMARY KEY"),
        (SQLiteJobStore.latestJobs(JobFilter(state: .failed)), "jobs_state"),
        (SQLiteJobStore.latestJobs(JobFilter(verdict: .uncertain)), "jobs_verdict"),
        (SQLiteJobStore.latestJobs(JobFilter(verdict: .uncertain, isConfirmed: false)), "jobs_to_check"),
        (SQLiteJobStore.latestJobs(JobFilter(isConfirmed: true)), "jobs_confirmed"),
        (SQLiteJobStore.latestJobs(JobFilter(keyID: "k")), "jobs_key"),
        (SQLiteJobStore.endedJobs(ofOneKey: false), "jobs_ended"),
        (SQLiteJobStore.endedJobs(ofOneKey: true), "jobs_ended"),
        (SQLiteJobStore.earlierRead, "serials_serial"),
        (SQLiteJobStore.verdictsByHour, "INTEGER PRIMARY KEY"),
      ]
      for (sql, index) in statements {
        let plan = try await plan(of: sql, in: store)
        #expect(plan.contains { $0.contains(index) }, "\(plan)")
        for step in plan where step.hasPrefix("SCAN") {
          #expect(step.contains("USING") || step.contains("CONSTANT ROW"), "\(sql): \(plan)")
        }
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(sql): \(plan)")
      }
    }
  }
}

/// The lists of saved serials.
@Suite("Query plans of saved serials")
struct SerialQueryPlanTests {
  @Test("Every order walks its index, forward and by cursor", arguments: SerialQuery.Sort.allCases)
  func orders(sort: SerialQuery.Sort) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      for number in 0..<2 {
        _ = try await store.save(
          NewSerial(serial: "C02XL0THJHCC", confidence: 1, source: .ios, isValid: true, deviceType: "iPad \(number)"))
      }
      for ascending in [true, false] {
        var query = SerialQuery(sort: sort, ascending: ascending, limit: 1)
        for _ in 0..<2 {
          let plan = try await plan(of: SerialStatement(query).sql, in: store)
          #expect(plan.contains { $0.contains("serials_\(sort.rawValue)") }, "\(plan)")
          #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
          query.cursor = try await store.serials(query).nextCursor
        }
      }
    }
  }

  @Test("A search goes through its index")
  func search() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let long = try await plan(of: SerialStatement(SerialQuery(filter: .init(search: "MD6N"))).sql, in: store)
      #expect(long.contains { $0.contains("serial_search VIRTUAL TABLE INDEX") }, "\(long)")
      let short = try await plan(of: SerialStatement(SerialQuery(filter: .init(search: "C0"))).sql, in: store)
      #expect(short.contains { $0.contains("SEARCH serials USING INDEX serials_serial") }, "\(short)")
    }
  }
}

/// The steps of a statement's plan, in SQLite's words.
func plan(of sql: String, in store: SQLiteJobStore) async throws -> [String] {
  try await store.pool.read { database in
    let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
    statement.setUncheckedArguments(StatementArguments())
    return try Row.fetchAll(statement).map { $0["detail"] }
  }
}
