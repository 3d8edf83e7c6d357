import Foundation
import GRDB
import JobStore
import SQLiteStore
import ScanModel
import StoreConformance
import Testing

/// Counts of the queue, and jobs after their end or deletion.
@Suite struct JobListsTests {
  @Test func storedCountsMatchRowsAfterEveryTransition() async throws {
    try await withTemporaryFolder { folder in
      let clock = TestClock()
      let store = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(clock: clock.storeClock()))
      var random = SystemRandomNumberGenerator()
      for step in 0..<400 {
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: _ = try await store.enqueue(newJob(priority: Int.random(in: 0..<3, using: &random)))
        case 2:
          if let claimed = try await store.claimNext(worker: "w", lease: 10) {
            try await store.finish(
              claimed.claim, with: .read(reading(step % 2 == 0 ? "C02XL0THJHCC" : nil), save: true))
          }
        case 3:
          if let claimed = try await store.claimNext(worker: "w", lease: 10) {
            try await store.giveBack(claimed.claim, delay: 1, countsAsAttempt: true)
          }
        case 4: _ = try await store.claimNext(worker: "w", lease: 10)
        case 5:
          clock.pass(3)
          try await store.rescueExpired(maxAttempts: 2)
        default:
          if let job = try await store.jobs(in: nil, limit: 3, cursor: nil).items.last {
            try await store.deleteJob(id: job.id, alsoSerial: step % 2 == 0)
          }
        }
      }
      let (kept, real) = try store.pool.read { database in
        let kept = try Row.fetchAll(
          database, sql: "SELECT state, priority, count AS n FROM job_counts WHERE count <> 0 ORDER BY 1, 2")
        let real = try Row.fetchAll(
          database, sql: "SELECT state, priority, count(*) AS n FROM jobs GROUP BY 1, 2 ORDER BY 1, 2")
        return (kept, real)
      }
      #expect(kept == real)
      let status = try await store.queueStatus()
      #expect(status.waiting == real.filter { $0["state"] == "queued" }.reduce(0) { $0 + ($1["n"] as Int) })
    }
  }

  @Test func queueStatusReportsWaitsAndSurvivesRestart() async throws {
    try await withTemporaryFolder { folder in
      let clock = TestClock()
      let options = SQLiteJobStore.Options(clock: clock.storeClock())
      let store = try SQLiteJobStore(path: folder + "/s.sqlite", options: options)
      #expect(try await store.queueStatus().estimatedWait == nil)
      _ = try await store.enqueue(newJob())
      clock.pass(30)
      _ = try await store.enqueue(newJob())
      #expect(try await store.queueStatus().longestWait == 30)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      clock.pass(2)
      try await store.finish(claimed.claim, with: .read(reading(nil), save: true))
      let status = try await store.queueStatus()
      #expect(status.counts == [.queued: 1, .processing: 0, .failed: 1])
      #expect(status.throughput == Throughput(secondsPerReading: 2, workers: 1))
      #expect(status.estimatedWait == 4)
      try store.close()
      // The next start has the measured time.
      let next = try SQLiteJobStore(path: folder + "/s.sqlite", options: options)
      #expect(try await next.throughput()?.secondsPerReading == 2)
    }
  }

  @Test(arguments: [true, false]) func deletedJobIsNeverReturnedFromCache(isServer: Bool) async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: isServer))
      func end() async throws -> String {
        let new = newJob()
        _ = try await store.enqueue(new)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false))
        return new.id
      }
      for _ in 0..<100 {
        let id = try await end()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<4 {
            group.addTask { for _ in 0..<3 { _ = try await store.job(id: id) } }
          }
          group.addTask { try await store.deleteJob(id: id, alsoSerial: false) }
          try await group.waitForAll()
        }
        #expect(try await store.job(id: id) == nil)
      }
      var kept: [String] = []
      for _ in 0..<3 { kept.append(try await end()) }
      for id in kept + kept { #expect(try await store.job(id: id)?.state == .completed) }
      #expect(try await store.pruneJobs(endedBefore: .distantFuture, limit: 100) == 3)
      for id in kept { #expect(try await store.job(id: id) == nil) }
    }
  }

  @Test func returnsEndedJobAsItEnded() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: true))
      let new = newJob()
      _ = try await store.enqueue(new)
      #expect(try await store.job(id: new.id)?.state == .queued)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(try await store.job(id: new.id)?.state == .processing)
      let end = try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      for _ in 0..<2 { #expect(try await store.job(id: new.id) == end) }
    }
  }
}
