import Foundation
import Logging
import Support

/// Ends the program if a stop takes longer than allowed, whatever delays it: everything accepted is on disk, and the
/// next start continues from there.
final class StopLimit: Sendable {
  /// Seconds that cancelled work gets for cleaning up.
  private static let clearing = 3.0

  private let seconds: Double
  private let logger: Logger
  private let begun = Locked(false)

  /// Creates a limit.
  ///
  /// - Parameter seconds: The duration of the stop after which remaining work is cancelled.
  init(seconds: Double, logger: Logger) {
    self.seconds = seconds
    self.logger = logger
  }

  /// Whether the program has been asked to stop.
  var hasBegun: Bool { begun.withLock { $0 } }

  /// Starts the time limit.
  func begin() {
    begun.withLock { $0 = true }
    // A dedicated queue, so that the limit works even if every other thread is busy.
    let queue = DispatchQueue(label: "serialscan.stop-limit", qos: .userInteractive)
    queue.asyncAfter(deadline: .now() + seconds + Self.clearing) { [logger] in
      logger.warning("stopped forcibly: something did not end within server.stop_timeout; its work is retried")
      _exit(0)
    }
  }
}
