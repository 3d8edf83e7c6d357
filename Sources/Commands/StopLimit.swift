import Foundation
import Logging
import Support

/// Ends the program where a stop takes longer than it may, whatever holds it up: everything accepted is on the disk, and
/// the next start goes on from there.
final class StopLimit: Sendable {
  /// Seconds that work which was cancelled is given to clear away.
  private static let clearing = 3.0

  private let seconds: Double
  private let logger: Logger
  private let begun = Locked(false)

  /// - Parameter seconds: What the stop may take until what still runs is cancelled.
  init(seconds: Double, logger: Logger) {
    self.seconds = seconds
    self.logger = logger
  }

  /// Whether the program has been told to stop.
  var hasBegun: Bool { begun.withLock { $0 } }

  /// Sets the limit, from now.
  func begin() {
    begun.withLock { $0 = true }
    // A queue of its own: a stop is also held to its time where every other thread is busy.
    let queue = DispatchQueue(label: "serialscan.stop-limit", qos: .userInteractive)
    queue.asyncAfter(deadline: .now() + seconds + Self.clearing) { [logger] in
      logger.warning("stopped without clearing away: something did not end in time")
      _exit(0)
    }
  }
}
