import Foundation
import JobStore
import ScanModel
import Testing

/// Claims, leases and ends of jobs.
public struct ClaimConformance<Stores: TestedStores>: ConformanceGroup {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Jobs are claimed by priority, then age, and their queue positions match") {
        try await $0.claimsByPriorityThenAge()
      },
      Check("A claim returns the complete request") { try await $0.claimReturnsRequest() },
      Check("A finished job stores its reading, or fails with an error if it has no serial") {
        try await $0.finishStoresReadingOrError()
      },
      Check("A worker whose lease expired can't extend, return or finish its job") {
        try await $0.expiredClaimCannotChangeJob()
      },
      Check("A job fails after its last attempt, and its error has the reason") {
        try await $0.failsJobAfterLastAttempt()
      },
      Check("A returned job is due after its delay, and counts as an attempt on request") {
        try await $0.returnedJobIsDueAfterDelay()
      },
      Check("Setting the wall clock affects neither leases nor delays") { try await $0.wallClockDoesNotAffectLeases() },
      Check("Progress never decreases, and reaches 100 only at the end") { try await $0.progressNeverDecreases() },
    ]
  }

  func claimsByPriorityThenAge() async throws {
    try await stores.withStore { store, _ in
      let jobs = [newJob(), newJob(), newJob(priority: 5), newJob(priority: 5)]
      for job in jobs { _ = try await store.enqueue(job) }
      let expected = [jobs[2], jobs[3], jobs[0], jobs[1]].map(\.id)
      for (index, id) in expected.enumerated() {
        #expect(try await store.queuePosition(of: id) == index + 1)
      }
      #expect(try await store.enqueue(newJob(priority: 5)).queuePosition == 3)
      for id in expected.prefix(2) {
        #expect(try await store.claimNext(worker: "w", lease: 10)?.job.id == id)
      }
      #expect(try await store.queuePosition(of: expected[0]) == nil)
      #expect(try await store.queuePosition(of: expected[2]) == 2)
    }
  }

  func claimReturnsRequest() async throws {
    try await stores.withStore { store, _ in
      var job = newJob()
      job.request.part = PhotoPart(left: 0.25, top: 0, right: 1, bottom: 1.0 / 3)
      job.request.everySerial = true
      _ = try await store.enqueue(job)
      #expect(try await store.claimNext(worker: "w", lease: 10)?.job.request == job.request)
    }
  }

  func finishStoresReadingOrError() async throws {
    try await stores.withStore { store, _ in
      let (good, bad) = (newJob(), newJob())
      _ = try await store.enqueue(good)
      _ = try await store.enqueue(bad)
      let first = try #require(try await store.claimNext(worker: "w", lease: 10))
      let ended = try await store.finish(first.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      #expect(ended.state == .completed && ended.progress == 100 && ended.savedToDatabase)
      #expect(ended.reading == reading("C02XL0THJHCC"))
      #expect(try await store.job(id: good.id) == ended)
      let second = try #require(try await store.claimNext(worker: "w", lease: 10))
      let failed = try await store.finish(second.claim, with: .read(reading(nil), save: true))
      #expect(failed.state == .failed && failed.progress == 100 && !failed.savedToDatabase)
      #expect(failed.error?.code == .noTextDetected)
      await #expect(throws: StoreError.claimLost(jobID: bad.id)) {
        try await store.finish(second.claim, with: .failed(JobError(code: .damagedImage, detail: "x")))
      }
    }
  }

  func expiredClaimCannotChangeJob() async throws {
    try await stores.withStore { store, time in
      let new = newJob()
      _ = try await store.enqueue(new)
      let slow = try #require(try await store.claimNext(worker: "slow", lease: 10))
      try await time.pass(9)
      try await store.heartbeat(slow.claim, lease: 10, progress: nil)
      try await time.pass(9)
      #expect(try await store.rescueExpired(maxAttempts: 3) == [])
      try await time.pass(1)
      #expect(try await store.rescueExpired(maxAttempts: 3) == [new.id])
      let quick = try #require(try await store.claimNext(worker: "quick", lease: 10))
      #expect(quick.job.attempts == 2)
      let lost = StoreError.claimLost(jobID: new.id)
      await #expect(throws: lost) { try await store.heartbeat(slow.claim, lease: 10, progress: nil) }
      await #expect(throws: lost) { try await store.giveBack(slow.claim, delay: 0, countsAsAttempt: true) }
      await #expect(throws: lost) { try await store.finish(slow.claim, with: .read(reading("AAAA"), save: true)) }
      let ended = try await store.finish(quick.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      #expect(ended.reading?.topSerial?.serial == "C02XL0THJHCC")
    }
  }

  func failsJobAfterLastAttempt() async throws {
    try await stores.withStore { store, time in
      let new = newJob()
      _ = try await store.enqueue(new)
      for _ in 0..<2 {
        _ = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await time.pass(11)
        #expect(try await store.rescueExpired(maxAttempts: 2) == [new.id])
      }
      let job = try #require(try await store.job(id: new.id))
      #expect(job.state == .failed && job.progress == 100 && job.error?.code == .readerCrashed)
      #expect(try await store.claimNext(worker: "w", lease: 10) == nil)
    }
  }

  func returnedJobIsDueAfterDelay() async throws {
    try await stores.withStore { store, time in
      let (first, second) = (newJob(), newJob())
      _ = try await store.enqueue(first)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await store.giveBack(claimed.claim, delay: 5, countsAsAttempt: true)
      _ = try await store.enqueue(second)
      #expect(try await store.claimNext(worker: "w", lease: 10)?.job.id == second.id)
      #expect(try await store.claimNext(worker: "w", lease: 10) == nil)
      try await time.pass(5)
      let again = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(again.job.id == first.id && again.job.attempts == 2)
      try await store.giveBack(again.claim, delay: 0, countsAsAttempt: false)
      #expect(try await store.job(id: first.id)?.attempts == 1)
      #expect(try await store.claimNext(worker: "w", lease: 10)?.job.id == first.id)
    }
  }

  func wallClockDoesNotAffectLeases() async throws {
    try await stores.withStore { store, time in
      let new = newJob()
      _ = try await store.enqueue(new)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      try await time.setWallClock(by: 86_400 * 365)
      #expect(try await store.rescueExpired(maxAttempts: 2) == [])
      try await store.giveBack(claimed.claim, delay: 1, countsAsAttempt: false)
      try await time.setWallClock(by: -86_400 * 365 * 20)
      try await time.pass(1)
      let again = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(again.job.updatedAt >= claimed.job.updatedAt)
      try await store.finish(again.claim, with: .read(reading("C02XL0THJHCC"), save: true))
    }
  }

  func progressNeverDecreases() async throws {
    try await stores.withStore { store, _ in
      let new = newJob()
      _ = try await store.enqueue(new)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      var seen: [Int] = []
      for fraction in [0.1, 0.5, 0.3, 7, -1, .nan] {
        try await store.heartbeat(claimed.claim, lease: 10, progress: ReadProgress(fraction: fraction, message: "m"))
        seen.append(try #require(try await store.job(id: new.id)).progress)
      }
      #expect(seen == [10, 50, 50, 99, 99, 99])
      try await store.giveBack(claimed.claim, delay: 0, countsAsAttempt: true)
      #expect(try await store.job(id: new.id)?.progress == 99)
    }
  }
}
