import Foundation

/// The retry policy for jobs whose server died while reading them.
///
/// Readers are separate processes, so the photo is rarely the cause and the reading does not count as an attempt. After
/// the first deaths the job is due immediately, then after growing delays. A job that does bring the server down thus
/// lets others pass, and eventually fails.
package enum LeaseExpiry {
  /// Deaths after which a job fails. With the delays below they span more than three minutes of a server doing nothing
  /// else.
  package static let most = 20
  /// Deaths after which the job is still due immediately.
  package static let withoutDelay = 3
  /// The longest delay in seconds.
  package static let longestDelay: TimeInterval = 15

  /// Seconds until a job is due again after its `count`th interruption.
  package static func delay(after count: Int) -> TimeInterval {
    count <= withoutDelay ? 0 : min(longestDelay, pow(2, Double(count - withoutDelay - 1)))
  }
}
