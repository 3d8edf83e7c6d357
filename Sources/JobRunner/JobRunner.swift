import ChildProcess
import Foundation
import JobStore
import Logging

/// Runs the jobs of a store: workers that claim, read and finish, and a look every second for jobs that somebody left.
public final class JobRunner: Sendable {
  private let configuration: RunnerConfiguration
  private let store: any JobWatching
  private let photos: any JobPhotos
  private let readers: [any PhotoReader]
  private let shared = RunnerState()
  private let logger: Logger

  /// Makes the readers, which begin to warm up; no job is claimed before `run`.
  ///
  /// - Parameters:
  ///   - store: Whose jobs are run.
  ///   - photos: Where their photos are.
  ///   - makeReader: Makes the reader of the worker with this number; may throw, which is passed on.
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

  /// What the workers have done, and how their readers are.
  public var status: RunnerStatus {
    var status = shared.status
    status.readers = readers.map(\.status)
    return status
  }

  /// What became of the photos, and how long the stages took.
  public var figures: ReadingFigures { shared.figures }

  /// Whether at least one reader can read, or is about to.
  public var canRead: Bool {
    readers.contains { ![.unavailable, .stopped].contains($0.status.state) }
  }

  /// Works until `stop` has been called and every worker has put down its job. Cancelling the task is a stop without
  /// grace.
  public func run() async {
    await withTaskCancellationHandler {
      await work()
    } onCancel: {
      shared.cancelReads()
    }
  }

  private func work() async {
    await rescue()
    // Workers of other machines may work for the same store.
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

  /// Claims no further job; what is being read goes on.
  public func stopClaiming() { shared.stopClaiming() }

  /// Lets the workers finish what they read for as long as `grace`, then gives the rest back, uncounted. `run` returns
  /// when that is done. A second call with a shorter grace cuts the first one short.
  public func stop(grace: Duration) async {
    shared.stopClaiming()
    let deadline = ContinuousClock.now + grace
    while shared.status.busyWorkers > 0, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(10))
      if Task.isCancelled { break }
    }
    shared.cancelReads()
  }

  private func rescueWhileRunning() async {
    while !shared.isStopping {
      try? await Task.sleep(for: configuration.rescueInterval)
      if !shared.isStopping { await rescue() }
    }
  }

  /// A lease that runs out while its worker lives says little against the photo, so that more attempts are allowed
  /// than for a dead reader; still not endless ones.
  private func rescue() async {
    do {
      let rescued = try await store.rescueExpired(maxAttempts: configuration.maxAttempts + 3)
      guard !rescued.isEmpty else { return }
      shared.count { $0.rescued += rescued.count }
      logger.notice("jobs rescued", metadata: ["jobs": "\(rescued.joined(separator: " "))"])
    } catch {
      shared.count { $0.storeErrors += 1 }
      logger.error("no jobs could be rescued", metadata: ["error": "\(error)"])
    }
  }
}
