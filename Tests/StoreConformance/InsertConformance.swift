import Foundation
import JobStore
import ScanModel
import Testing

/// New jobs: queue positions, limits, idempotency.
public struct InsertConformance<Stores: TestedStores>: ConformanceGroup {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A new job is stored unchanged, as queued") { try await $0.storesJobAsQueued() },
      Check("A new job returns its queue position, whatever was claimed or returned before") {
        try await $0.returnsQueuePosition()
      },
      Check("A full queue rejects jobs until one leaves it") { try await $0.fullQueueRejectsUntilJobLeaves() },
      Check("A full queue accepts priority jobs in its reserved places") {
        try await $0.reservesPlacesForPriorityJobs()
      },
      Check("An idempotency key returns its first job, and rejects another photo") {
        try await $0.idempotencyKeyReturnsFirstJob()
      },
      Check("A job that failed for a reason outside its photo releases its key") {
        try await $0.transientFailureReleasesIdempotencyKey()
      },
    ]
  }

  func storesJobAsQueued() async throws {
    try await stores.withStore { store, _ in
      let new = newJob()
      let enqueued = try await store.enqueue(new)
      #expect(enqueued == EnqueuedJob(id: new.id, queuePosition: 1, isDuplicate: false))
      let job = try #require(try await store.job(id: new.id))
      #expect(job.state == .queued)
      #expect(job.request == new.request)
      #expect(job.progress == 0 && job.attempts == 0)
      #expect(try await store.job(id: "unknown") == nil)
    }
  }

  func returnsQueuePosition() async throws {
    try await stores.withStore { store, _ in
      func place(priority: Int = 0) async throws -> Int {
        try await store.enqueue(newJob(priority: priority)).queuePosition
      }
      let jobs = (0..<4).map { _ in newJob() }
      for (index, job) in jobs.enumerated() { #expect(try await store.enqueue(job).queuePosition == index + 1) }
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(try await place() == 4)
      #expect(try await place(priority: 5) == 1)
      #expect(try await place() == 6)
      try await store.giveBack(claimed.claim, delay: 60, countsAsAttempt: true)
      #expect(try await place() == 8)
      #expect(try await place(priority: 5) == 2)
      try await Task.sleep(for: .milliseconds(150))
      #expect(try await place() == 10, "after a while as well")
    }
  }

  func fullQueueRejectsUntilJobLeaves() async throws {
    try await stores.withStore(limits: QueueLimits(waiting: 3, reserved: 0)) { store, _ in
      for _ in 0..<3 { _ = try await store.enqueue(newJob()) }
      await #expect(throws: StoreError.queueFull(waiting: 3)) { try await store.enqueue(newJob()) }
      _ = try await store.claimNext(worker: "w", lease: 10)
      #expect(try await store.enqueue(newJob()).queuePosition == 3)
      let accepted = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<20 { group.addTask { (try? await store.enqueue(newJob())) != nil } }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(accepted == 0)
    }
  }

  func reservesPlacesForPriorityJobs() async throws {
    try await stores.withStore(limits: QueueLimits(waiting: 2, reserved: 2)) { store, _ in
      for _ in 0..<2 { _ = try await store.enqueue(newJob()) }
      await #expect(throws: StoreError.queueFull(waiting: 2)) { try await store.enqueue(newJob()) }
      for position in 1...2 {
        #expect(try await store.enqueue(newJob(priority: 10)).queuePosition == position)
      }
      await #expect(throws: StoreError.queueFull(waiting: 4)) { try await store.enqueue(newJob(priority: 10)) }
      _ = try await store.claimNext(worker: "w", lease: 10)
      await #expect(throws: StoreError.queueFull(waiting: 3)) { try await store.enqueue(newJob()) }
      #expect(try await store.enqueue(newJob(priority: 10)).queuePosition == 2)
    }
  }

  func idempotencyKeyReturnsFirstJob() async throws {
    try await stores.withStore { store, _ in
      let first = newJob(key: "k", digest: "aa")
      _ = try await store.enqueue(first)
      let again = try await store.enqueue(newJob(key: "k", digest: "aa"))
      #expect(again == EnqueuedJob(id: first.id, queuePosition: 1, isDuplicate: true, state: .queued))
      await #expect(throws: StoreError.idempotencyConflict(jobID: first.id)) {
        try await store.enqueue(newJob(key: "k", digest: "bb"))
      }
      #expect(try await store.enqueue(newJob(key: "other", digest: "aa")).isDuplicate == false)
      #expect(try await store.enqueue(newJob(digest: "aa")).isDuplicate == false)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(claimed.job.id == first.id)
      let reading = try await store.enqueue(newJob(key: "k", digest: "aa"))
      #expect(reading == EnqueuedJob(id: first.id, queuePosition: 0, isDuplicate: true, state: .processing))
      try await store.finish(claimed.claim, with: .read(StoreConformance.reading("C02XL0THJHCC"), save: true))
      #expect(try await store.enqueue(newJob(key: "k", digest: "aa")).state == .completed)
    }
  }

  func transientFailureReleasesIdempotencyKey() async throws {
    try await stores.withStore { store, _ in
      for (code, isReadAgain) in [(ErrorCode.readerCrashed, true), (.readerTimedOut, true), (.damagedImage, false)] {
        let first = newJob(key: code.rawValue, digest: "aa")
        _ = try await store.enqueue(first)
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .failed(JobError(code: code, detail: "It failed.")))
        await #expect(throws: StoreError.idempotencyConflict(jobID: first.id)) {
          try await store.enqueue(newJob(key: code.rawValue, digest: "bb"))
        }
        let second = newJob(key: code.rawValue, digest: "aa")
        let again = try await store.enqueue(second)
        #expect(again.isDuplicate == !isReadAgain && again.id == (isReadAgain ? second.id : first.id))
        #expect(try await store.job(id: first.id)?.state == .failed)
        if isReadAgain { _ = try await store.claimNext(worker: "w", lease: 10) }
      }
    }
  }
}
