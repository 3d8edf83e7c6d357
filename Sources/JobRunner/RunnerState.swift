import JobStore
import ScanModel
import Support

/// What the workers share.
final class RunnerState: Sendable {
  private struct State {
    var isStopping = false
    /// Set once the time for finishing is over: reads that begin later are cancelled at once.
    var isCancelling = false
    var running: [String: Task<ReadAnswer, any Error>] = [:]
    var status = RunnerStatus()
    var figures = ReadingFigures()
  }

  private let state = Locked(State())

  /// Whether no further job is to be claimed.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// What has been counted so far.
  var status: RunnerStatus { state.withLock { $0.status } }

  /// Changes the counts.
  func count(_ change: (inout RunnerStatus) -> Void) { state.withLock { change(&$0.status) } }

  /// What became of the photos so far.
  var figures: ReadingFigures { state.withLock { $0.figures } }

  /// Changes the figures.
  func figure(_ change: (inout ReadingFigures) -> Void) { state.withLock { change(&$0.figures) } }

  /// Lets no worker claim any more.
  func stopClaiming() { state.withLock { $0.isStopping = true } }

  /// Notes a read that runs.
  func begin(_ claim: Claim, _ reading: Task<ReadAnswer, any Error>) {
    let isLate = state.withLock {
      $0.running[claim.token] = reading
      return $0.isCancelling
    }
    if isLate { reading.cancel() }
  }

  /// Notes its end.
  func end(_ claim: Claim) { state.withLock { _ = $0.running.removeValue(forKey: claim.token) } }

  /// Cancels all reads.
  func cancelReads() {
    let running = state.withLock {
      $0.isStopping = true
      $0.isCancelling = true
      return Array($0.running.values)
    }
    running.forEach { $0.cancel() }
  }
}
