import Foundation

/// Determines whether notifications arrive, by sending a token to itself.
///
/// Behind a pooler in transaction mode LISTEN succeeds, but nothing arrives.
package struct HearingProof: Sendable {
  private static let longestPause = Duration.seconds(60)

  /// Whether a token has arrived since the connection was made.
  package private(set) var isHearing = false
  private var isConnected = false
  private var word: String?
  private var nextWord: ContinuousClock.Instant = .now
  private var pause = Duration.seconds(1)

  /// Creates the state before a connection.
  package init() {}

  /// Records a new connection, for which earlier proofs do not count.
  package mutating func connected(at now: ContinuousClock.Instant = .now) {
    self = HearingProof()
    isConnected = true
    nextWord = now
  }

  /// Records that the connection broke.
  package mutating func disconnected() { self = HearingProof() }

  /// Returns the token to send now; nil if notifications are known to arrive or a pause is not over. Pauses double,
  /// because behind a pooler tokens never arrive.
  package mutating func wordToTell(at now: ContinuousClock.Instant = .now) -> String? {
    guard isConnected, !isHearing, now >= nextWord else { return nil }
    word = UUID().uuidString
    nextWord = now + pause
    pause = min(pause * 2, Self.longestPause)
    return word
  }

  /// Records a token; checks that it is this instance's.
  package mutating func heard(_ other: String) {
    if isConnected, other == word { isHearing = true }
  }
}
