import Foundation
import GRDB
import JobStore
import SQLiteStore
import ScanModel
import StoreConformance
import Testing

/// Durability of the SQLite store: its settings, restarts, and disk faults.
@Suite struct DurabilityTests {
  @Test func syncsEveryCommitInWALMode() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      try store.pool.writeWithoutTransaction { (database) throws -> Void in
        // 2 is FULL.
        #expect(try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2)
        #expect(try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal")
        #expect(try Int.fetchOne(database, sql: "PRAGMA foreign_keys") == 1)
        #expect(try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint") == 1000)
        #expect(try Int.fetchOne(database, sql: "PRAGMA journal_size_limit") == 16 << 20)
        #expect(try Int.fetchOne(database, sql: "PRAGMA busy_timeout") == 5000)
      }
    }
  }

  @Test func rescuesJobsOfPreviousServerWithoutCountingAttempt() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let new = newJob()
      var gone: SQLiteJobStore? = try SQLiteJobStore(path: path, options: .init(isServer: true))
      _ = try await gone?.enqueue(new)
      let claim = try #require(try await gone?.claimNext(worker: "w", lease: 600)).claim
      try gone?.close()
      gone = nil
      let next = try SQLiteJobStore(path: path, options: .init(isServer: true))
      #expect(try await next.job(id: new.id)?.state == .processing)
      #expect(try await next.rescueExpired(maxAttempts: 1) == [new.id])
      let job = try #require(try await next.job(id: new.id))
      #expect(job.state == .queued && job.attempts == 0)
      await #expect(throws: StoreError.claimLost(jobID: new.id)) {
        try await next.finish(claim, with: .read(reading("C02XL0THJHCC"), save: true))
      }
      // Its own claims stay.
      _ = try #require(try await next.claimNext(worker: "w", lease: 600))
      #expect(try await next.rescueExpired(maxAttempts: 1) == [])
    }
  }

  @Test func failsJobAbandonedByTwentyServers() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let clock = TestClock()
      let options = SQLiteJobStore.Options(isServer: true, clock: clock.storeClock())
      let new = newJob()
      for round in 1...LeaseExpiry.most {
        let store = try SQLiteJobStore(path: path, options: options)
        if round == 1 { _ = try await store.enqueue(new) }
        try await store.rescueExpired(maxAttempts: 2)
        if round > 1 { clock.pass(LeaseExpiry.delay(after: round - 1)) }
        _ = try #require(try await store.claimNext(worker: "w", lease: 600))
        try store.close()
      }
      let store = try SQLiteJobStore(path: path, options: options)
      try await store.rescueExpired(maxAttempts: 2)
      let job = try #require(try await store.job(id: new.id))
      #expect(job.state == .failed && job.error?.code == .readerCrashed && job.progress == 100)
      #expect(LeaseExpiry.delay(after: 3) == 0 && LeaseExpiry.delay(after: 4) == 1)
      #expect(LeaseExpiry.delay(after: 100) == LeaseExpiry.longestDelay)
    }
  }

  @Test func onlyOneServerOpensDatabase() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let server = try SQLiteJobStore(path: path, options: .init(isServer: true))
      #expect(throws: StoreOpenError.inUse(path: path)) {
        try SQLiteJobStore(path: path, options: .init(isServer: true))
      }
      let reader = try SQLiteJobStore(path: path)
      let new = newJob()
      _ = try await server.enqueue(new)
      #expect(try await reader.job(id: new.id) != nil)
      let claim = try await server.claimNext(worker: "w", lease: 600)
      #expect(claim != nil)
      #expect(try await reader.rescueExpired(maxAttempts: 2) == [])
    }
  }

  @Test func rebootExpiresLeasesAndDelays() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let clock = TestClock()
      let before = try SQLiteJobStore(path: path, options: .init(clock: clock.storeClock(boot: "one")))
      let (held, delayed) = (newJob(), newJob())
      _ = try await before.enqueue(held)
      _ = try await before.enqueue(delayed)
      _ = try await before.claimNext(worker: "w", lease: 600)
      let second = try #require(try await before.claimNext(worker: "w", lease: 600))
      try await before.giveBack(second.claim, delay: 600, countsAsAttempt: true)
      try before.close()
      let after = try SQLiteJobStore(path: path, options: .init(clock: clock.storeClock(boot: "two")))
      #expect(try await after.claimNext(worker: "w", lease: 1)?.job.id == delayed.id)
      #expect(try await after.rescueExpired(maxAttempts: 5) == [held.id])
    }
  }

  @Test func failedWriteLeavesOthersOfItsCommit() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let jobs = (0..<100).map { _ in newJob() }
      // The table rejects an id the second time.
      let outcomes = await withTaskGroup(of: Bool.self) { group in
        for job in jobs + jobs { group.addTask { (try? await store.enqueue(job)) != nil } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0 } == 100)
      for job in jobs { #expect(try await store.job(id: job.id) != nil) }
    }
  }

  @Test func reportsFullDiskAndRecovers() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let kept = newJob()
      _ = try await store.enqueue(kept)
      try await store.pool.writeWithoutTransaction { database in
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        try database.execute(sql: "PRAGMA max_page_count = \(pages)")
      }
      let failures = await withTaskGroup(of: (any Error)?.self) { group in
        for _ in 0..<100 {
          group.addTask {
            do {
              _ = try await store.enqueue(newJob())
              return nil
            } catch {
              return error
            }
          }
        }
        return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
      }
      #expect(!failures.isEmpty)
      for failure in failures { #expect(failure as? StoreError == .diskFull) }
      await #expect(throws: StoreError.diskFull) {
        for _ in 0..<100 { _ = try await store.enqueue(newJob()) }
      }
      try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
      _ = try await store.enqueue(newJob())
      try await store.checkWritable()
      #expect(try await store.job(id: kept.id) != nil)
      let check = try await store.pool.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
      #expect(check == "ok")
    }
  }

  @Test func lockedDatabaseIsUnavailable() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let store = try SQLiteJobStore(path: path, options: .init(busyTimeout: 0.05))
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let other = try DatabaseQueue(path: path, configuration: configuration)
      try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
      let failure = await #expect(throws: StoreError.self) { try await store.enqueue(newJob()) }
      if case .unavailable = failure {} else { Issue.record("\(String(describing: failure))") }
      try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
      _ = try await store.enqueue(newJob())
    }
  }

  @Test func checkpointEmptiesLog() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      for _ in 0..<50 { _ = try await store.enqueue(newJob()) }
      #expect(try await store.checkpoint() == 0)
    }
  }

  /// A copy or a synchronisation may leave out the log of a stopped server.
  @Test func closedDatabaseIsCompleteWithoutItsLog() async throws {
    try await withTemporaryFolder { folder in
      let path = folder + "/s.sqlite"
      let store = try SQLiteJobStore(path: path, options: .init(isServer: true))
      let new = newJob()
      _ = try await store.enqueue(new)
      #expect(try await store.job(id: new.id) != nil)
      try store.close()
      for ending in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
      #expect(try await SQLiteJobStore(path: path).job(id: new.id) != nil)
    }
  }

  /// A server's maintenance may come after its end.
  @Test func closedDatabaseRefusesFurtherUse() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite", options: .init(isServer: true))
      try store.close()
      await #expect(throws: (any Error).self) { try await store.checkpoint() }
      await #expect(throws: (any Error).self) { try await store.maintain() }
      try store.close()
    }
  }

  @Test func logStaysBoundedUnderConstantReads() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let new = newJob()
      _ = try await store.enqueue(new)
      let readers = (0..<4).map { _ in
        Task { while !Task.isCancelled { _ = try await store.job(id: new.id) } }
      }
      // Each writes two pages and more: some 40 MB altogether.
      for round in 0..<20 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<250 { group.addTask { try await store.checkWritable() } }
          try await group.waitForAll()
        }
        if round % 5 == 4 { #expect(try await store.checkpoint() <= 16 << 20) }
      }
      for reader in readers { reader.cancel() }
      #expect(try await store.checkpoint() == 0)
    }
  }

  @Test func endOfJobAndItsSerialAreOneTransaction() async throws {
    try await withTemporaryFolder { folder in
      let store = try SQLiteJobStore(path: folder + "/s.sqlite")
      let new = newJob()
      _ = try await store.enqueue(new)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 600))
      // The serial can't be saved, so the job must not end either.
      try await store.pool.write {
        try $0.execute(
          sql:
            "INSERT INTO serials (created_at, serial, confidence, source, valid, job_id) VALUES (1, 'C02XL0THJHCC', 1, 'scan', 1, ?)",
          arguments: [new.id])
      }
      await #expect(throws: StoreError.self) {
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      }
      #expect(try await store.job(id: new.id)?.state == .processing)
      try await store.heartbeat(claimed.claim, lease: 600, progress: nil)
    }
  }
}
