#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Votes over several readings of the same line, character by character.
package enum Voting {
  /// The result of a vote.
  struct Outcome: Sendable {
    /// The serial that won at each place.
    var text: [UInt8]
    /// For each place: log-odds for the winner minus those against it, per reading.
    var margins: [Float]
    /// For each place: the characters read there.
    var tallies: [CharacterTally]
    /// Number of readings that took part.
    var readings: Int

    /// Margin of the weakest place.
    var leastMargin: Float { margins.min() ?? 0 }
  }

  /// The vote; nil if there are no readings.
  static func vote(_ readings: [ParsedCandidate]) -> Outcome? {
    guard let length = winningLength(readings) else { return nil }
    let sameLength = readings.filter { $0.count == length }
    guard let best = sameLength.max(by: { $0.quality < $1.quality }) else { return nil }
    // A reading that differs in more than four places is of other text, or shifted by a character.
    let voters = sameLength.filter { $0.distance(to: best.text) <= 4 }
    let tallies = tallies(of: voters.map { ($0.text, $0.confidences) }, length: length)
    let text = tallies.enumerated().map { $1.winner(at: $0, of: length) ?? best.text[$0] }
    return Outcome(
      text: text, margins: zip(tallies, text).map { $0.margin(of: $1) }, tallies: tallies, readings: voters.count)
  }

  /// Index of the reading that represents a text that readings voted for: one with the same text, else one of its
  /// length, which has the same ends.
  package static func representative(of text: [UInt8], among readings: [[UInt8]]) -> Int? {
    readings.firstIndex(of: text) ?? readings.firstIndex { $0.count == text.count }
  }

  /// The characters of readings of one length, by place.
  static func tallies(of readings: [(text: [UInt8], confidences: [Float])], length: Int) -> [CharacterTally] {
    (0..<length).map { place in
      var tally = CharacterTally()
      for reading in readings { tally.add(reading.text[place], logOdds(reading.confidences[place])) }
      return tally
    }
  }

  private static func winningLength(_ readings: [ParsedCandidate]) -> Int? {
    var weights: [Int: Float] = [:]
    for reading in readings { weights[reading.count, default: 0] += max(1, reading.quality) }
    return weights.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }

  /// The recogniser's confidence (0...100) as log-odds: p = exp((c - 100) / 35), clamped to 0.05...0.995; 0.1 at least.
  static func logOdds(_ confidence: Float) -> Float {
    max(0.1, Float(LogOdds.of(exp(Double(confidence - 100) / 35), within: 0.05...0.995)))
  }
}
