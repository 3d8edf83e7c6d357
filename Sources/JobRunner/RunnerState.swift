import Foundation
import JobStore
import ScanModel
import Support

/// The state shared by the workers.
final class RunnerState: Sendable {
  private struct State {
    var isStopping = false
    /// Set once the grace period is over: reads started later are cancelled immediately.
    var isCancelling = false
    var running: [String: Task<ReadAnswer, any Error>] = [:]
    var pauses: [UUID: Task<Void, Never>] = [:]
    var status = RunnerStatus()
    var figures = ReadingFigures()
  }

  private let state = Locked(State())

  /// Whether workers must not claim more jobs.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// The current counts.
  var status: RunnerStatus { state.withLock { $0.status } }

  /// Changes the counts.
  func count(_ change: (inout RunnerStatus) -> Void) { state.withLock { change(&$0.status) } }

  /// The current statistics of results and times.
  var figures: ReadingFigures { state.withLock { $0.figures } }

  /// Updates the statistics.
  func figure(_ change: (inout ReadingFigures) -> Void) { state.withLock { change(&$0.figures) } }

  /// Makes workers claim no more jobs.
  func stopClaiming() {
    let pauses = state.withLock {
      $0.isStopping = true
      return $0.pauses.values
    }
    pauses.forEach { $0.cancel() }
  }

  /// Waits for this time, or until the runner stops or the task is cancelled.
  func pause(_ duration: Duration) async {
    let (id, pause) = (UUID(), Task { _ = try? await Task.sleep(for: duration) })
    let isLate = state.withLock {
      $0.pauses[id] = pause
      return $0.isStopping
    }
    if isLate { pause.cancel() }
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    state.withLock { $0.pauses[id] = nil }
  }

  /// Records a running read.
  func begin(_ claim: Claim, _ reading: Task<ReadAnswer, any Error>) {
    let isLate = state.withLock {
      $0.running[claim.token] = reading
      return $0.isCancelling
    }
    if isLate { reading.cancel() }
  }

  /// Records the end of a read.
  func end(_ claim: Claim) { state.withLock { _ = $0.running.removeValue(forKey: claim.token) } }

  /// Cancels all reads.
  func cancelReads() {
    stopClaiming()
    let running = state.withLock {
      $0.isCancelling = true
      return Array($0.running.values)
    }
    running.forEach { $0.cancel() }
  }
}
