import Foundation

/// Whether this opening hears what is told, which it proves by hearing a word of its own.
///
/// Behind a pooler in transaction mode LISTEN succeeds, but nothing arrives.
package struct HearingProof: Sendable {
  private static let longestPause = Duration.seconds(60)

  /// Whether a word of its own was heard since the connection was made.
  package private(set) var isHearing = false
  private var isConnected = false
  private var word: String?
  private var nextWord: ContinuousClock.Instant = .now
  private var pause = Duration.seconds(1)

  /// Nothing is heard before there is a connection.
  package init() {}

  /// Listening begins: what was proved before says nothing of this connection.
  package mutating func connected(at now: ContinuousClock.Instant = .now) {
    self = HearingProof()
    isConnected = true
    nextWord = now
  }

  /// The connection broke.
  package mutating func disconnected() { self = HearingProof() }

  /// The word to tell now, where hearing is still to be proved. Each comes after a longer pause than the one before: to
  /// the deaf it is told in vain.
  package mutating func wordToTell(at now: ContinuousClock.Instant = .now) -> String? {
    guard isConnected, !isHearing, now >= nextWord else { return nil }
    word = UUID().uuidString
    nextWord = now + pause
    pause = min(pause * 2, Self.longestPause)
    return word
  }

  /// A word of this opening's own was heard.
  package mutating func heard(_ other: String) {
    if isConnected, other == word { isHearing = true }
  }
}
