import Foundation
import GRDB
import JobStore
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

/// The steps of a statement's plan, in SQLite's words.
func plan(of sql: String, in store: SQLiteJobStore) async throws -> [String] {
  try await store.pool.read { database in
    let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
    statement.setUncheckedArguments(StatementArguments())
    return try Row.fetchAll(statement).map { $0["detail"] }
  }
}
