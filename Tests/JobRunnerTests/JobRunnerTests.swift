import ChildProcess
import Foundation
import JobRunner
import JobStore
import ScanModel
import StoreConformance
import Synchronization
import Testing

/// Jobs from their claim to their end: outcomes, retries, lost claims, a failing store, and stops.
@Suite struct JobRunnerTests {
  @Test func acceptedReadCompletesJobAndIsSaved() async throws {
    let store = InMemoryJobStore()
    try await withRunner(store: store, readers: { _ in ScriptedReader { _, _ in .of("C02G414GMD6N") } }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .completed)
      #expect(job.reading?.topSerial?.serial == "C02G414GMD6N")
      #expect(job.savedToDatabase)
      #expect(job.progress == 100)
      #expect(job.attempts == 1)
    }
  }

  @Test func savesOnlyAcceptedReadsIfRequested() async throws {
    let store = InMemoryJobStore()
    let reader: ScriptedReader.Script = { photo, _ in
      .of("C02G414GMD6N", photo == "unsure.jpg" ? .uncertain : .accepted)
    }
    try await withRunner(store: store, readers: { _ in ScriptedReader(reader) }) { _ in
      let unsure = try #require(try await store.end(of: store.add("unsure.jpg")))
      #expect(unsure.state == .completed && !unsure.savedToDatabase)
      let unwanted = try #require(try await store.end(of: store.add("sure.jpg", persist: false)))
      #expect(unwanted.state == .completed && !unwanted.savedToDatabase)
    }
  }

  @Test func photoWithoutSerialFailsWithDetail() async throws {
    let store = InMemoryJobStore()
    try await withRunner(store: store, readers: { _ in ScriptedReader { _, _ in .of(nil) } }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .failed)
      #expect(job.error?.code == .noTextDetected)
      #expect(job.error?.detail.isEmpty == false)
    }
  }

  @Test func fileThatIsNotAPictureFailsImmediately() async throws {
    let store = InMemoryJobStore()
    let reader = ScriptedReader { _, _ in throw ReadFailure(.notAPicture, "This is not a picture.") }
    try await withRunner(store: store, readers: { _ in reader }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .failed && job.attempts == 1)
      #expect(job.error == JobError(code: .unsupportedImage, detail: "This is not a picture."))
    }
  }

  @Test(arguments: [ReadFailure.Code.readerCrashed, .readerTimedOut, .outOfMemory])
  func jobFailsAfterReaderDiesTwice(code: ReadFailure.Code) async throws {
    let store = InMemoryJobStore()
    let reader = ScriptedReader { _, _ in throw ReadFailure(code, "It died.") }
    try await withRunner(store: store, readers: { _ in reader }) { runner in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .failed && job.attempts == 2)
      #expect(job.error == JobError(code: ErrorCode(code), detail: "It died."))
      #expect(runner.status.retries == 1)
    }
  }

  @Test func finalFailureIsNotRetried() async throws {
    let store = InMemoryJobStore()
    let reader = ScriptedReader { _, _ in throw ReadFailure(.readerTimedOut, "Too much work.", isFinal: true) }
    try await withRunner(store: store, readers: { _ in reader }) { runner in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .failed && job.attempts == 1)
      #expect(job.error == JobError(code: .readerTimedOut, detail: "Too much work."))
      #expect(runner.status.retries == 0)
    }
  }

  @Test func readerDeathCostsOneAttempt() async throws {
    let store = InMemoryJobStore()
    let attempts = Atomic(0)
    let reader = ScriptedReader { _, _ in
      if attempts.add(1, ordering: .relaxed).newValue == 1 { throw ReadFailure(.readerCrashed, "It died.") }
      return .of("C02G414GMD6N")
    }
    try await withRunner(store: store, readers: { _ in reader }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .completed && job.attempts == 2 && job.error == nil)
    }
  }

  @Test func readerThatCannotStartCostsNoAttempt() async throws {
    let store = InMemoryJobStore()
    let attempts = Atomic(0)
    let reader = ScriptedReader { _, _ in
      if attempts.add(1, ordering: .relaxed).newValue <= 4 { throw ReadFailure(.readerUnavailable, "No model.") }
      return .of("C02G414GMD6N")
    }
    try await withRunner(store: store, readers: { _ in reader }) { _ in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .completed && job.attempts == 1)
    }
  }

  @Test func workerWithoutReaderLeavesJobsToOthers() async throws {
    let store = InMemoryJobStore()
    let broken = ScriptedReader { _, _ in throw ReadFailure(.readerUnavailable, "No model.") }
    broken.set(.unavailable)
    let sound = ScriptedReader { _, _ in .of("C02G414GMD6N") }
    try await withRunner(store: store, workers: 2, readers: { $0 == 0 ? broken : sound }) { runner in
      #expect(runner.canRead)
      for _ in 0..<10 {
        let job = try #require(try await store.end(of: store.add("a.jpg")))
        #expect(job.state == .completed && job.attempts == 1)
      }
    }
  }

  @Test func storesProgressDuringRead() async throws {
    let store = InMemoryJobStore()
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let reader = ScriptedReader { _, progress in
      progress(ReadProgress(fraction: 0.5, message: "reading text"))
      for await _ in gate { break }
      return .of("C02G414GMD6N")
    }
    try await withRunner(store: store, change: { $0.progressInterval = .milliseconds(10) }, readers: { _ in reader }) {
      _ in
      let id = try await store.add("a.jpg")
      #expect(try await eventually { try await store.job(id: id)?.message == "reading text" })
      #expect(try await store.job(id: id)?.state == .processing)
      open.yield()
      #expect(try await store.end(of: id)?.state == .completed)
    }
  }

  /// The clock of leases advances only by two thirds of a lease after each heartbeat, so that a slow machine does not
  /// matter.
  @Test func heartbeatsKeepLongReadAlive() async throws {
    let clock = JumpingClock(isStill: true)
    let beats = Atomic(0)
    let store = RefusingStore(InMemoryJobStore(clock: clock.clock)) {
      clock.jump(seconds: 0.2)
      beats.add(1, ordering: .sequentiallyConsistent)
    }
    let reader = ScriptedReader { _, _ in
      while beats.load(ordering: .sequentiallyConsistent) < 5 { try await Task.sleep(for: .milliseconds(10)) }
      return .of("C02G414GMD6N")
    }
    try await withRunner(store: store, workers: 2, change: { $0.lease = 0.3 }, readers: { _ in reader }) { runner in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .completed && job.attempts == 1)
      #expect(runner.status.lostClaims == 0)
    }
  }

  @Test func lostClaimStopsReadAndOverwritesNothing() async throws {
    let clock = JumpingClock()
    let store = InMemoryJobStore(clock: clock.clock)
    let cancelled = Atomic(false)
    let reader = ScriptedReader { _, _ in
      do {
        try await Task.sleep(for: .seconds(60))
      } catch {
        cancelled.store(true, ordering: .sequentiallyConsistent)
        throw error
      }
      return .of("WR0NGWR0NGWR")
    }
    try await withRunner(store: store, change: { $0.lease = 3 }, readers: { _ in reader }) { runner in
      let id = try await store.add("a.jpg")
      #expect(try await eventually { runner.status.busyWorkers == 1 })
      // Another process claims and ends the job, which the first one's next heartbeat discovers.
      let other = try await takeOver(id, from: store, at: clock)
      try await store.finish(other, with: .read(.of("C02G414GMD6N"), save: true))
      #expect(try await eventually { runner.status.lostClaims == 1 })
      let wasCancelled = cancelled.load(ordering: .sequentiallyConsistent)
      #expect(wasCancelled)
      #expect(try await store.job(id: id)?.reading?.topSerial?.serial == "C02G414GMD6N")
    }
  }

  @Test func discardsResultOfLateWorker() async throws {
    let clock = JumpingClock()
    let store = InMemoryJobStore(clock: clock.clock)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let reader = ScriptedReader { _, _ in
      for await _ in gate { break }
      return .of("WR0NGWR0NGWR")
    }
    try await withRunner(store: store, change: { $0.lease = 1_000 }, readers: { _ in reader }) { runner in
      let id = try await store.add("a.jpg")
      #expect(try await eventually { runner.status.busyWorkers == 1 })
      let other = try await takeOver(id, from: store, at: clock)
      open.yield()
      #expect(try await eventually { runner.status.lostClaims == 1 })
      try await store.finish(other, with: .read(.of("C02G414GMD6N"), save: true))
      #expect(try await store.job(id: id)?.reading?.topSerial?.serial == "C02G414GMD6N")
    }
  }

  @Test func retriesStoringResult() async throws {
    let store = RefusingStore(InMemoryJobStore())
    store.refuseFinish(true)
    try await withRunner(store: store, readers: { _ in ScriptedReader { _, _ in .of("C02G414GMD6N") } }) { runner in
      let id = try await store.add("a.jpg")
      #expect(try await eventually { runner.status.storeErrors >= 3 })
      #expect(try await store.job(id: id)?.state == .processing)
      store.refuseFinish(false)
      let job = try #require(try await store.end(of: id))
      #expect(job.state == .completed && job.attempts == 1)
    }
  }

  @Test func permanentlyRefusedResultFailsJob() async throws {
    let store = RefusingStore(InMemoryJobStore())
    store.refuseReadings()
    try await withRunner(store: store, readers: { _ in ScriptedReader { _, _ in .of("C02G414GMD6N") } }) { runner in
      let job = try #require(try await store.end(of: store.add("a.jpg")))
      #expect(job.state == .failed && job.error?.code == .internalError && job.attempts == 1)
      #expect(runner.status.storeErrors == 1)
    }
  }

  @Test func retriesUnavailableStore() async throws {
    let store = RefusingStore(InMemoryJobStore())
    store.refuseAll(true)
    try await withRunner(store: store, readers: { _ in ScriptedReader { _, _ in .of("C02G414GMD6N") } }) { runner in
      let id = try await store.add("a.jpg")
      #expect(try await eventually { runner.status.storeErrors >= 3 })
      store.refuseAll(false)
      #expect(try await store.end(of: id)?.state == .completed)
    }
  }

  @Test(.timeLimit(.minutes(1))) func stopInterruptsPauses() async throws {
    let store = InMemoryJobStore()
    try await withRunner(store: store, change: { $0.rescueInterval = .seconds(600) }) { _ in
      ScriptedReader { _, _ in .of("C02G414GMD6N") }
    } _: { _ in
      _ = try await store.end(of: try await store.add("a.jpg"))
    }
  }

  @Test func stopLetsReadsFinishWithinGrace() async throws {
    let store = InMemoryJobStore()
    let mayEnd = Atomic(false)
    let reader = ScriptedReader { _, _ in
      while !mayEnd.load(ordering: .sequentiallyConsistent) { try await Task.sleep(for: .milliseconds(10)) }
      return .of("C02G414GMD6N")
    }
    try await withRunner(store: store, readers: { _ in reader }) { runner in
      let (first, second) = (try await store.add("a.jpg"), try await store.add("b.jpg"))
      #expect(try await eventually { runner.status.busyWorkers == 1 })
      async let stopped: Void = runner.stop(grace: .seconds(20))
      try await Task.sleep(for: .milliseconds(300))
      mayEnd.store(true, ordering: .sequentiallyConsistent)
      await stopped
      #expect(try await eventually { try await store.job(id: first)?.state == .completed })
      #expect(try await store.job(id: second)?.state == .queued)
    }
  }

  @Test func stopGivesBackJobsWithoutCountingAttempts() async throws {
    let store = InMemoryJobStore()
    let reader = ScriptedReader { _, _ in
      try await Task.sleep(for: .seconds(60))
      return .of("C02G414GMD6N")
    }
    let id = try await withRunner(store: store, readers: { _ in reader }) { runner in
      let id = try await store.add("a.jpg")
      #expect(try await eventually { runner.status.busyWorkers == 1 })
      return id
    }
    let job = try #require(try await store.job(id: id))
    #expect(job.state == .queued && job.attempts == 0)
    #expect(try await store.claimNext(worker: "next", lease: 10)?.job.id == id)
  }

  /// Lets the lease of a job expire and claims it for another worker.
  private func takeOver(_ id: String, from store: InMemoryJobStore, at clock: JumpingClock) async throws -> Claim {
    clock.jump(seconds: 10_000)
    try await store.rescueExpired(maxAttempts: 10)
    let claimed = try #require(try await store.claimNext(worker: "other", lease: 100_000))
    #expect(claimed.job.id == id)
    return claimed.claim
  }

  @Test func figuresCountOutcomesAndTimes() async throws {
    let store = InMemoryJobStore()
    let reader = ScriptedReader { photo, _ in
      switch photo {
      case "damaged.jpg": throw ReadFailure(.damagedPicture, "damaged")
      case "many.jpg":
        var reading = Reading.of("C02XL0THJHCC", .uncertain)
        reading.trace = (0..<500).map { StrategyTrace(strategy: "made-up-\($0)", seconds: 0.1, outcome: "") }
        return reading
      default:
        var reading = Reading.of("C02XL0THJHCC")
        reading.processingTime = 0.5
        reading.trace = [StrategyTrace(strategy: "text", seconds: 0.4, outcome: "")]
        return reading
      }
    }
    try await withRunner(store: store, readers: { _ in reader }) { runner in
      for photo in ["a.jpg", "b.jpg", "damaged.jpg"] { _ = try await store.end(of: store.add(photo)) }
      #expect(try await eventually { runner.figures.endings.values.reduce(0, +) == 3 })
      let figures = runner.figures
      #expect(figures.endings == [.init("etched", "accepted"): 2, .init("undecided", "failed"): 1])
      for stage in ReadingFigures.Stage.allCases { #expect(figures.stages[stage]?.count == 3, "\(stage)") }
      #expect(figures.strategies.keys.sorted() == ["rest", "text"])
      #expect(figures.strategies["text"]?.counts == [0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2])
      #expect(abs((figures.strategies["rest"]?.sum ?? 0) - 0.2) < 1e-9)
      _ = try await store.end(of: store.add("many.jpg"))
      #expect(try await eventually { runner.figures.endings[.init("etched", "uncertain")] == 1 })
      #expect(runner.figures.strategies.count <= 33, "a reader can't fill the memory with names")
      #expect(runner.figures.strategies["other"]?.count == 470)
    }
  }
}
