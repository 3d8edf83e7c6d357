import Foundation

/// When to retry a failed request: after a pause that doubles, with jitter so that many clients don't return at once.
///
/// A request is retried if its error is ``SerialScanError/isRetryable`` and sending it twice is harmless: it only
/// reads, it has an Idempotency-Key, or it changes the same row again.
public struct RetryPolicy: Sendable {
  /// Maximum number of attempts, at least 1.
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

  /// A policy with one attempt.
  public static let never = RetryPolicy(attempts: 1)

  /// Returns the pause after a number of failed attempts: half fixed, half random, and at least the server's
  /// Retry-After.
  func pause(afterAttempt attempt: Int, retryAfter: Double? = nil) -> Duration {
    let doubled = firstPause * (1 << min(max(0, attempt - 1), 20))
    let jittered = min(doubled, longestPause) * Double.random(in: 0.5...1)
    guard let retryAfter else { return jittered }
    return max(jittered, .seconds(retryAfter) + min(jittered, .seconds(1)))
  }
}
