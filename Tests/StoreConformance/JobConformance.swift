import Foundation
import JobStore
import ScanModel
import Testing

/// The queue: accepting, claiming, leases, ends, waiting.
public struct JobConformance<Stores: TestedStores>: ConformanceGroup {
  /// Where fresh stores come from.
  public let stores: Stores

  /// Creates the group.
  public init(_ stores: Stores) { self.stores = stores }

  /// Everything that is checked.
  public static var checks: [Check<Self>] {
    [
      Check("A job is stored as it was given, and waits") { try await $0.enqueue() },
      Check("Higher priorities are claimed first, then the older job, and positions say so") { try await $0.order() },
      Check("A new job is told how many are ahead, whatever was claimed or given back before it") {
        try await $0.places()
      },
      Check("A claim brings what the client asked for") { try await $0.requests() },
      Check("Every job is claimed exactly once by many workers at the same time") { try await $0.concurrentClaims() },
      Check("A finished job keeps its reading; one without serials fails readably") { try await $0.finish() },
      Check("A worker whose lease ran out can neither extend, give back nor finish") { try await $0.fencing() },
      Check("A job whose attempts are used up fails, and says why") { try await $0.attemptsUsedUp() },
      Check("A job given back is due after its delay, and counts or not") { try await $0.backoff() },
      Check("Setting the wall clock neither frees a lease nor holds a job back") { try await $0.wallClockJumps() },
      Check("Progress never goes back, and reaches 100 only at the end") { try await $0.progress() },
      Check("A full queue refuses, and takes again once a job has left it") { try await $0.bounded() },
      Check("A full queue has places for jobs that somebody waits for") { try await $0.reserved() },
      Check("An idempotency key answers with its first job, refuses another photo") { try await $0.idempotency() },
      Check("A job that failed for a reason outside of its photo lets go of its key") {
        try await $0.idempotencyAfterAFailure()
      },
      Check("Many requests with one idempotency key at the same time make one job") {
        try await $0.idempotencyAtOnce()
      },
      Check("Waiting for the end returns with the end, at the deadline, and for jobs long ended") {
        try await $0.waitForEnd()
      },
      Check("Waiting for the end stops with its task") { try await $0.waitCancelled() },
      Check("The stream of changes ends with the job's end") { try await $0.changes() },
      Check("Who follows all jobs hears of every change, and no more once it falls too far behind") {
        try await $0.allChanges()
      },
      Check("An idle worker is woken by a new job, and gives up at its timeout") { try await $0.idleWorkers() },
    ]
  }

  /// A job is stored as it was given, and waits.
  func enqueue() async throws {
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

  /// A new job is told how many are ahead, whatever was claimed or given back before it.
  func places() async throws {
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

  /// Higher priorities are claimed first, then the older job, and positions say so.
  func order() async throws {
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

  /// Every job is claimed exactly once by many workers at the same time.
  func concurrentClaims() async throws {
    try await stores.withStore { store, _ in
      let jobs = (0..<200).map { _ in newJob() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for job in jobs { group.addTask { _ = try await store.enqueue(job) } }
        try await group.waitForAll()
      }
      let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
        for worker in 0..<16 {
          group.addTask {
            var ids: [String] = []
            while let next = try await store.claimNext(worker: "w\(worker)", lease: 60) {
              ids.append(next.job.id)
              try await store.heartbeat(next.claim, lease: 60, progress: nil)
              try await store.finish(next.claim, with: .read(reading("C02XL0THJHCC"), save: true))
            }
            return ids
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(claimed.count == jobs.count)
      #expect(Set(claimed) == Set(jobs.map(\.id)))
      for job in jobs { #expect(try await store.job(id: job.id)?.state == .completed) }
    }
  }

  /// What the client asked for comes with the claim.
  func requests() async throws {
    try await stores.withStore { store, _ in
      var job = newJob()
      job.request.part = PhotoPart(left: 0.25, top: 0, right: 1, bottom: 1.0 / 3)
      job.request.everySerial = true
      _ = try await store.enqueue(job)
      #expect(try await store.claimNext(worker: "w", lease: 10)?.job.request == job.request)
    }
  }

  /// A finished job keeps its reading; one without serials fails readably.
  func finish() async throws {
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

  /// A worker whose lease ran out can neither extend, give back nor finish.
  func fencing() async throws {
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

  /// A job whose attempts are used up fails, and says why.
  func attemptsUsedUp() async throws {
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

  /// A job given back is due after its delay, and counts or not.
  func backoff() async throws {
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

  /// Setting the wall clock neither frees a lease nor holds a job back.
  func wallClockJumps() async throws {
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

  /// Progress never goes back, and reaches 100 only at the end.
  func progress() async throws {
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

  /// A full queue refuses, and takes again once a job has left it.
  func bounded() async throws {
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

  /// A full queue has places for jobs that somebody waits for.
  func reserved() async throws {
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

  /// An idempotency key answers with its first job, refuses another photo.
  func idempotency() async throws {
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

  /// A job that failed for a reason outside of its photo lets go of its key.
  func idempotencyAfterAFailure() async throws {
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

  /// Many requests with one idempotency key at the same time make one job.
  func idempotencyAtOnce() async throws {
    try await stores.withStore { store, _ in
      let answers = try await withThrowingTaskGroup(of: EnqueuedJob.self) { group in
        for _ in 0..<50 { group.addTask { try await store.enqueue(newJob(key: "k", digest: "aa")) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.id)).count == 1)
      #expect(answers.count { !$0.isDuplicate } == 1)
    }
  }
}
