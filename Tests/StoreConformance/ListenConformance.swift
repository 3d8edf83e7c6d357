import Foundation
import JobStore
import ScanModel
import Testing

/// Waiting for a job's end, for its changes, and for work.
public struct ListenConformance<Stores: TestedStores>: ConformanceGroup {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("Waiting for a job returns when it ends, at the deadline, or immediately if it has ended") {
        try await $0.waitForEndReturnsAtEndOrDeadline()
      },
      Check("Cancelling the task stops the wait") { try await $0.cancellingTaskStopsWait() },
      Check("The stream of a job's changes ends with the job") { try await $0.changesEndWithJob() },
      Check("A follower of all jobs receives every change, until it falls too far behind") {
        try await $0.followerReceivesEveryChangeUntilTooSlow()
      },
      Check("A follower of all jobs receives decisions about ended jobs, and deletions") {
        try await $0.followerReceivesDecisionsAndDeletions()
      },
      Check("A new job wakes an idle worker, which otherwise times out") { try await $0.newJobWakesIdleWorker() },
      Check("Idle workers stop waiting on request") { try await $0.idleWorkersStopWaiting() },
    ]
  }

  func waitForEndReturnsAtEndOrDeadline() async throws {
    try await stores.withStore { store, _ in
      let new = newJob()
      _ = try await store.enqueue(new)
      #expect(try await store.waitForEnd(id: "unknown", timeout: .seconds(5)) == nil)
      #expect(try await store.waitForEnd(id: new.id, timeout: .milliseconds(5))?.state == .queued)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      let waiting = (0..<500).map { _ in Task { try await store.waitForEnd(id: new.id, timeout: .seconds(60)) } }
      try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      for task in waiting { #expect(try await task.value?.state == .completed) }
      #expect(try await store.waitForEnd(id: new.id, timeout: .seconds(60))?.state == .completed)
    }
  }

  func cancellingTaskStopsWait() async throws {
    try await stores.withStore { store, _ in
      let new = newJob()
      _ = try await store.enqueue(new)
      let waiting = Task { try await store.waitForEnd(id: new.id, timeout: .seconds(600)) }
      await Task.yield()
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
  }

  func changesEndWithJob() async throws {
    try await stores.withStore { store, _ in
      let new = newJob()
      _ = try await store.enqueue(new)
      var iterator = try await store.changes(of: new.id).makeAsyncIterator()
      #expect(await iterator.next()?.state == .queued)
      let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
      #expect(await iterator.next()?.state == .processing)
      try await store.heartbeat(claimed.claim, lease: 10, progress: ReadProgress(fraction: 0.4, message: "Text"))
      let middle = await iterator.next()
      #expect(middle?.progress == 40 && middle?.message == "Text")
      try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      #expect(await iterator.next()?.state == .completed)
      #expect(await iterator.next() == nil)
      var unknown = try await store.changes(of: "unknown").makeAsyncIterator()
      #expect(await unknown.next() == nil)
    }
  }

  func followerReceivesEveryChangeUntilTooSlow() async throws {
    try await stores.withStore { store, _ in
      let jobs = [newJob(), newJob()]
      var iterator = store.changes { $0.jobID == jobs[1].id }.makeAsyncIterator()
      let slow = store.changes { _ in true }
      for job in jobs { _ = try await store.enqueue(job) }
      for _ in jobs {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.heartbeat(claimed.claim, lease: 10, progress: ReadProgress(fraction: 0.4, message: "Text"))
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: true))
      }
      #expect(await iterator.next()?.advanced?.state == .processing)
      #expect(await iterator.next()?.advanced?.progress == 40)
      #expect(await iterator.next()?.advanced?.state == .completed)
      for _ in 0..<350 {
        _ = try await store.enqueue(newJob())
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.heartbeat(claimed.claim, lease: 10, progress: nil)
        try await store.finish(claimed.claim, with: .read(reading("C02XL0THJHCC"), save: false))
      }
      var count = 0
      for await _ in slow { count += 1 }
      #expect(count == 1024)
    }
  }

  func followerReceivesDecisionsAndDeletions() async throws {
    guard Stores.Store.self is any ServerStore.Type else { return }
    try await stores.withStore { anyStore, _ in
      let store = try #require(anyStore as? any ServerStore)
      let jobs = [newJob(), newJob(), newJob()]
      for job in jobs { _ = try await store.enqueue(job) }
      for serial in ["C02XL0THJHCC", nil] {
        let claimed = try #require(try await store.claimNext(worker: "w", lease: 10))
        try await store.finish(claimed.claim, with: .read(reading(serial), save: serial != nil))
      }
      // Earlier ends may be announced twice.
      var changes = store.changes { $0.advanced == nil || $0.jobID == jobs[2].id }.makeAsyncIterator()
      _ = try await store.confirm(job: jobs[0].id, serial: "C02XL0THJHC1", isValid: true)
      var heard = await changes.next()?.changed
      #expect(heard?.id == jobs[0].id && heard?.confirmedSerial == "C02XL0THJHC1")
      let saved = try #require(try await store.serials(SerialQuery()).items.first)
      _ = try await store.changeSerial(id: saved.id, SerialChange(serial: ("C02XL0THJHC2", true)))
      #expect(await changes.next()?.changed?.confirmedSerial == "C02XL0THJHC2")
      try await store.deleteSerial(id: saved.id)
      heard = await changes.next()?.changed
      #expect(heard?.id == jobs[0].id && heard?.confirmedSerial == nil && heard?.savedToDatabase == false)
      for review in [Review.noSerial, nil] {
        _ = try await store.review(job: jobs[1].id, as: review)
        heard = await changes.next()?.changed
        #expect(heard?.id == jobs[1].id && heard?.review == review)
      }
      _ = try await store.confirm(job: jobs[1].id, serial: "C02XL0THJHC3", isValid: true)
      #expect(await changes.next()?.changed?.id == jobs[1].id)
      #expect(try await store.deleteDevice(serial: "C02XL0THJHC3") == 1)
      #expect(await changes.next()?.changed?.confirmedSerial == nil)
      // Deleting a waiting job announces its end, then its deletion.
      for job in [jobs[1], jobs[2]] { try await store.deleteJob(id: job.id, alsoSerial: true) }
      #expect(await changes.next() == .deleted(DeletedJob(id: jobs[1].id, keyID: nil, batchID: nil)))
      #expect(await changes.next()?.advanced?.error?.code == .jobDeleted)
      #expect(await changes.next() == .deleted(DeletedJob(id: jobs[2].id, keyID: nil, batchID: nil)))
    }
  }

  func newJobWakesIdleWorker() async throws {
    try await stores.withStore { store, _ in
      #expect(try await store.claimNext(worker: "w", lease: 10, waiting: .milliseconds(5)) == nil)
      let workers = (0..<3).map { number in
        Task { try await store.claimNext(worker: "w\(number)", lease: 10, waiting: .seconds(60)) }
      }
      let jobs = (0..<3).map { _ in newJob() }
      for job in jobs { _ = try await store.enqueue(job) }
      var claimed: Set<String> = []
      for worker in workers { claimed.insert(try #require(try await worker.value).job.id) }
      #expect(claimed == Set(jobs.map(\.id)))
    }
  }

  func idleWorkersStopWaiting() async throws {
    try await stores.withStore { store, _ in
      let workers = (0..<2).map { number in
        Task { try await store.claimNext(worker: "w\(number)", lease: 10, waiting: .seconds(600)) }
      }
      // Repeated, because a worker may not wait yet.
      let ending = Task {
        while !Task.isCancelled {
          store.endIdleWaits()
          try? await Task.sleep(for: .milliseconds(10))
        }
      }
      for worker in workers {
        let claimed = try await worker.value
        #expect(claimed == nil)
      }
      ending.cancel()
    }
  }
}
