import ChildProcess
import Foundation
import JobRunner
import JobStore
import Logging
import ScanModel
import StoreConformance
import Support
import Synchronization

/// Photos that contain only their own name.
struct NamedPhotos: JobPhotos {
  func photo(_ name: String) async throws -> [UInt8] { Array(name.utf8) }
}

/// A reader in this process that runs a closure with the name of each photo.
final class ScriptedReader: PhotoReader {
  typealias Script = @Sendable (String, @Sendable (ReadProgress) -> Void) async throws -> Reading

  private let script: Script
  private let state = Locked(ChildStatus.State.ready)

  init(_ script: @escaping Script) { self.script = script }

  var status: ChildStatus {
    var status = ChildStatus()
    status.state = state.withLock { $0 }
    return status
  }

  func set(_ state: ChildStatus.State) { self.state.withLock { $0 = state } }

  func read(
    _ photo: [UInt8], _ request: ReadRequest, deadline: Duration,
    progress: @escaping @Sendable (ReadProgress) -> Void
  ) async throws -> ReadAnswer {
    ReadAnswer(try await script(String(decoding: photo, as: UTF8.self), progress))
  }

  func stop() async { set(.stopped) }
}

/// A store in front of another one that fails on demand and reports each heartbeat.
final class RefusingStore: JobWatching {
  private let inner: InMemoryJobStore
  private let afterHeartbeat: @Sendable () -> Void
  private let refusesFinish = Atomic(false)
  private let refusesAll = Atomic(false)
  private let refusesReadings = Atomic(false)

  init(_ inner: InMemoryJobStore, afterHeartbeat: @escaping @Sendable () -> Void = {}) {
    self.inner = inner
    self.afterHeartbeat = afterHeartbeat
  }

  func refuseFinish(_ value: Bool) { refusesFinish.store(value, ordering: .sequentiallyConsistent) }
  /// Permanently rejects readings, and accepts failures.
  func refuseReadings() { refusesReadings.store(true, ordering: .sequentiallyConsistent) }
  func refuseAll(_ value: Bool) { refusesAll.store(value, ordering: .sequentiallyConsistent) }

  private func check() throws {
    if refusesAll.load(ordering: .sequentiallyConsistent) { throw StoreError.unavailable("told to") }
  }

  func enqueue(_ job: NewJob, photo: any StagedBlob) async throws -> EnqueuedJob {
    try await inner.enqueue(job, photo: photo)
  }
  func claimNext(worker: String, lease: TimeInterval) async throws -> ClaimedJob? {
    try check()
    return try await inner.claimNext(worker: worker, lease: lease)
  }
  func heartbeat(_ claim: Claim, lease: TimeInterval, progress: ReadProgress?) async throws {
    try check()
    try await inner.heartbeat(claim, lease: lease, progress: progress)
    afterHeartbeat()
  }
  func finish(_ claim: Claim, with outcome: JobOutcome, pictures: JobPictures) async throws -> Job {
    try check()
    if refusesFinish.load(ordering: .sequentiallyConsistent) { throw StoreError.diskFull }
    if case .read = outcome, refusesReadings.load(ordering: .sequentiallyConsistent) {
      throw StoreError.refused("told to")
    }
    return try await inner.finish(claim, with: outcome, pictures: pictures)
  }
  func giveBack(_ claim: Claim, delay: TimeInterval, countsAsAttempt: Bool) async throws {
    try check()
    try await inner.giveBack(claim, delay: delay, countsAsAttempt: countsAsAttempt)
  }
  func rescueExpired(maxAttempts: Int) async throws -> [String] {
    try check()
    return try await inner.rescueExpired(maxAttempts: maxAttempts)
  }
  func job(id: String) async throws -> Job? { try await inner.job(id: id) }
  func queuePosition(of id: String) async throws -> Int? { try await inner.queuePosition(of: id) }
  func waitForEnd(id: String, until deadline: ContinuousClock.Instant) async throws -> Job? {
    try await inner.waitForEnd(id: id, until: deadline)
  }
  func changes(of id: String) async throws -> AsyncStream<Job> { try await inner.changes(of: id) }
  func changes(where isWanted: @escaping @Sendable (JobChange) -> Bool) -> AsyncStream<JobChange> {
    inner.changes(where: isWanted)
  }
  func claimNext(worker: String, lease: TimeInterval, waiting timeout: Duration) async throws -> ClaimedJob? {
    try check()
    return try await inner.claimNext(worker: worker, lease: lease, waiting: timeout)
  }
  func endIdleWaits() { inner.endIdleWaits() }
}

/// A clock for leases that a test can advance, as if the process had been suspended.
final class JumpingClock: Sendable {
  private let isStill: Bool
  private let ahead = Atomic<Int64>(0)

  /// - Parameter isStill: Whether only the test advances it.
  init(isStill: Bool = false) { self.isStill = isStill }

  func jump(seconds: TimeInterval) { ahead.add(Int64(seconds * 1_000_000), ordering: .sequentiallyConsistent) }

  var clock: StoreClock {
    let system = StoreClock.system
    return StoreClock(
      now: system.now,
      tick: { (self.isStill ? 0 : system.tick()) + self.ahead.load(ordering: .sequentiallyConsistent) }, boot: "test")
  }
}

extension JobWatching {
  /// Stores a job whose photo has this name; returns its id.
  func add(_ photo: String, persist: Bool = true) async throws -> String {
    let id = UUID().uuidString.lowercased()
    let request = JobRequest(photo: photo, photoBytes: 1, preset: nil, deviceType: nil, persist: persist)
    return try await enqueue(NewJob(id: id, request: request)).id
  }

  /// The job at its end, or nil after twenty seconds.
  func end(of id: String) async throws -> Job? {
    let job = try await waitForEnd(id: id, timeout: .seconds(20))
    return job?.state.isEnd == true ? job : nil
  }
}

extension Reading {
  static func of(_ serial: String?, _ verdict: Verdict = .accepted) -> Reading {
    let serials = serial.map {
      [SerialRead(serial: $0, confidence: 0.97, method: "test", strategy: "text", isValid: true)]
    }
    return Reading(
      verdict: serial == nil ? .refused : verdict, serials: serials ?? [], preset: .etched, presetWasDetected: true,
      strategyUsed: "text", fallbackUsed: false, trace: [], notes: [], photoSize: PixelSize(width: 4, height: 3),
      processingTime: 0.01, cpuTime: 0.01)
  }
}

/// Runs `body` with a working runner, which is stopped afterwards.
func withRunner<Result>(
  store: any JobWatching, photos: any JobPhotos = NamedPhotos(), workers: Int = 1,
  change: (inout RunnerConfiguration) -> Void = { _ in },
  readers: (Int) throws -> any PhotoReader, _ body: (JobRunner) async throws -> Result
) async throws -> Result {
  var configuration = RunnerConfiguration(
    workers: workers, lease: 15, maxAttempts: 2, retryDelay: 0.02,
    request: ReadRequest(timeBudget: 10, limits: PictureLimits(maxPixels: 1_000_000)), readDeadline: .seconds(30))
  configuration.rescueInterval = .milliseconds(50)
  change(&configuration)
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let runner = try JobRunner(
    store: store, photos: photos, configuration: configuration, logger: logger, makeReader: readers)
  async let running: Void = runner.run()
  do {
    let result = try await body(runner)
    await runner.stop(grace: .zero)
    await running
    return result
  } catch {
    await runner.stop(grace: .zero)
    await running
    throw error
  }
}

/// Waits until a condition holds, for up to a minute.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  for _ in 0..<6000 {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(10))
  }
  return false
}
