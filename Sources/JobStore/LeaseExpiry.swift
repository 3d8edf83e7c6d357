import Foundation

/// What becomes of a job whose whole server died while reading it.
///
/// The photo is hardly to blame (readers are processes of their own), so this does not count as an attempt. The job
/// is due at once the first times, then later and later, so that one that does bring the server down lets the others
/// pass, and fails at last.
package enum LeaseExpiry {
  /// Deaths after which a job fails: with the delays below they span more than three minutes of a server that does
  /// nothing else.
  package static let most = 20
  /// Deaths after which the job waits before it is due again.
  package static let withoutDelay = 3
  /// The longest wait in seconds.
  package static let longestDelay: TimeInterval = 15

  /// Seconds until a job is due again after it was left for the `count`th time.
  package static func delay(after count: Int) -> TimeInterval {
    count <= withoutDelay ? 0 : min(longestDelay, pow(2, Double(count - withoutDelay - 1)))
  }
}
