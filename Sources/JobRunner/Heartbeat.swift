import Foundation
import JobStore
import Logging
import ScanModel

/// Extends a claim's lease while its photo is read, and stores the progress.
struct Heartbeat: Sendable {
  let claim: Claim
  let store: any JobWatching
  let configuration: RunnerConfiguration
  let shared: RunnerState
  let logger: Logger

  /// Sends heartbeats until the task is cancelled or the claim is lost, which calls `onLoss`. Returns whether it was
  /// lost.
  func beat(_ steps: ProgressSteps, onLoss: @escaping @Sendable () -> Void) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { await extend(onLoss: onLoss) }
      group.addTask { await report(steps, onLoss: onLoss) }
      var isLost = false
      for await lost in group where lost {
        isLost = true
        group.cancelAll()
      }
      return isLost
    }
  }

  /// Extends the lease every third of it, and sooner after a store error, so that the lease is renewed before others
  /// consider the job abandoned once the store is available again.
  private func extend(onLoss: @Sendable () -> Void) async -> Bool {
    let usual = Duration.seconds(configuration.lease / 3)
    var pause = usual
    while await sleeps(pause) {
      switch await beat(with: nil) {
      case .stored: pause = usual
      case .refused: pause = min(usual, configuration.longestStorePause)
      case .lost:
        onLoss()
        return true
      }
    }
    return false
  }

  /// Stores progress steps, no more often than the configured interval.
  private func report(_ steps: ProgressSteps, onLoss: @Sendable () -> Void) async -> Bool {
    // A read that ends before the first interval reports no progress; its result makes that unnecessary.
    guard await sleeps(configuration.progressInterval) else { return false }
    for await step in steps.all {
      if Task.isCancelled { return false }
      if await beat(with: step) == .lost {
        onLoss()
        return true
      }
      guard await sleeps(configuration.progressInterval) else { return false }
    }
    return false
  }

  private enum Answer {
    case stored
    case refused
    case lost
  }

  private func beat(with step: ReadProgress?) async -> Answer {
    do {
      try await store.heartbeat(claim, lease: configuration.lease, progress: step)
      return .stored
    } catch StoreError.claimLost {
      return .lost
    } catch is CancellationError {
      return .refused
    } catch {
      // The token decides at the end, however long the store is unavailable.
      shared.count { $0.storeErrors += 1 }
      logger.warning(
        "the lease of a job could not be extended; retrying",
        metadata: ["job": "\(claim.jobID)", "error": "\(error)"])
      return .refused
    }
  }

  /// Sleeps; returns false if the task was cancelled.
  private func sleeps(_ duration: Duration) async -> Bool {
    (try? await Task.sleep(for: duration)) != nil
  }
}
