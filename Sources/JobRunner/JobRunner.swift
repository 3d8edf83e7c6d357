import ChildProcess
import Foundation
import JobStore
import Logging

/// Runs a store's jobs: workers claim, read and finish them, and a check every second rescues abandoned ones.
public final class JobRunner: Sendable {
  private let configuration: RunnerConfiguration
  private let store: any JobWatching
  private let photos: any JobPhotos
  private let readers: [any PhotoReader]
  private let shared = RunnerState()
  private let logger: Logger

  /// Creates the readers, which start warming up. Jobs are claimed only by `run`.
  ///
  /// - Parameters:
  ///   - store: The store of the jobs.
  ///   - photos: The source of their photos.
  ///   - makeReader: Creates the reader of the worker with a number. Its errors are rethrown.
  public init(
    store: any JobWatching, photos: any JobPhotos, configuration: RunnerConfiguration, logger: Logger,
    makeReader: (Int) throws -> any PhotoReader
  ) rethrows {
    self.store = store
    self.photos = photos
    self.configuration = configuration
    self.logger = logger
    readers = try (0..<max(0, configuration.workers)).map(makeReader)
  }

  /// The workers' counts and their readers' status.
  public var status: RunnerStatus {
    var status = shared.status
    status.readers = readers.map(\.status)
    return status
  }

  /// Counts of results, and times of the stages.
  public var figures: ReadingFigures { shared.figures }

  /// Whether at least one reader is ready or starting.
  public var canRead: Bool {
    readers.contains { ![.unavailable, .stopped].contains($0.status.state) }
  }

  /// Runs until `stop` has been called and every worker has finished its job. Cancelling the task stops without a grace
  /// period.
  public func run() async {
    await withTaskCancellationHandler {
      await work()
    } onCancel: {
      shared.cancelReads()
    }
  }

  private func work() async {
    await rescue()
    // Workers on other machines may use the same store.
    let machine = ProcessInfo.processInfo.hostName
    await withTaskGroup(of: Void.self) { group in
      for (number, reader) in readers.enumerated() {
        let name = "\(machine):\(ProcessInfo.processInfo.processIdentifier)/\(number)"
        let worker = Worker(
          name: name, reader: reader, store: store, photos: photos, configuration: configuration, shared: shared,
          logger: logger)
        group.addTask { await worker.run() }
      }
      group.addTask { await self.rescueWhileRunning() }
    }
  }

  /// Stops claiming jobs; running reads continue.
  public func stopClaiming() {
    shared.stopClaiming()
    store.endIdleWaits()
  }

  /// Lets workers finish within `grace`, then returns their remaining jobs to the queue without counting the attempt.
  ///
  /// `run` returns when that is done. A second call with a shorter grace period shortens the first.
  public func stop(grace: Duration) async {
    stopClaiming()
    let deadline = ContinuousClock.now + grace
    while shared.status.busyWorkers > 0, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(10))
      if Task.isCancelled { break }
    }
    shared.cancelReads()
  }

  private func rescueWhileRunning() async {
    while !shared.isStopping {
      await shared.pause(configuration.rescueInterval)
      if !shared.isStopping { await rescue() }
    }
  }

  /// Rescues jobs whose lease expired.
  ///
  /// Allows more attempts than for a crashed reader, because a lease that expires while its worker is alive is rarely
  /// caused by the photo; but not unlimited ones.
  private func rescue() async {
    do {
      let rescued = try await store.rescueExpired(maxAttempts: configuration.maxAttempts + 3)
      guard !rescued.isEmpty else { return }
      shared.count { $0.rescued += rescued.count }
      logger.notice(
        "jobs whose worker stopped responding were queued again",
        metadata: ["jobs": "\(rescued.joined(separator: " "))"])
    } catch {
      shared.count { $0.storeErrors += 1 }
      logger.error("jobs with an expired lease could not be queued again; retrying", metadata: ["error": "\(error)"])
    }
  }
}
