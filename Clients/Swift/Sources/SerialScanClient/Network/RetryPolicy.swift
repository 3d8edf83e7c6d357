import Foundation

/// When a failed request is sent again: after a pause that doubles, with jitter so that many clients don't return at once.
///
/// A request is sent again if it failed with an error that is ``SerialScanError/isRetryable``, and if sending it twice
/// does no harm: it reads, it carries an Idempotency-Key, or it changes the same row again.
public struct RetryPolicy: Sendable {
  /// Attempts in all, at least 1.
  public var attempts: Int
  /// The pause after the first attempt.
  public var firstPause: Duration
  /// The longest pause, unless the server asks for more with Retry-After.
  public var longestPause: Duration

  /// Creates a policy.
  public init(attempts: Int = 6, firstPause: Duration = .milliseconds(500), longestPause: Duration = .seconds(30)) {
    self.attempts = attempts
    self.firstPause = firstPause
    self.longestPause = longestPause
  }

  /// One attempt.
  public static let never = RetryPolicy(attempts: 1)

  /// The pause after so many failed attempts: half of it fixed, half of it random. A server's Retry-After is the least.
  func pause(afterAttempt attempt: Int, retryAfter: Double? = nil) -> Duration {
    let doubled = firstPause * (1 << min(max(0, attempt - 1), 20))
    let jittered = min(doubled, longestPause) * Double.random(in: 0.5...1)
    guard let retryAfter else { return jittered }
    return max(jittered, .seconds(retryAfter) + min(jittered, .seconds(1)))
  }
}
