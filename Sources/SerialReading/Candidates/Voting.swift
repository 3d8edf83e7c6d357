import AppleSerial

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Votes over several readings of the same line, character by character.
enum Voting {
  /// What the readings agree on.
  struct Outcome: Sendable {
    /// The serial that won at each place.
    var text: [UInt8]
    /// For each place: log-odds for the winner less those against it, a reading.
    var margins: [Float]
    /// Number of readings that took part.
    var readings: Int

    /// The weakest place.
    var leastMargin: Float { margins.min() ?? 0 }
  }

  /// The vote; nil where there are no readings.
  static func vote(_ readings: [ParsedCandidate]) -> Outcome? {
    guard let length = winningLength(readings) else { return nil }
    let sameLength = readings.filter { $0.count == length }
    guard let best = sameLength.max(by: { $0.quality < $1.quality }) else { return nil }
    // A reading that differs in more than four places is of something else, or slipped by a character.
    let voters = sameLength.filter { $0.distance(to: best.text) <= 4 }
    var text: [UInt8] = []
    var margins: [Float] = []
    for place in 0..<length {
      var weights: [UInt8: Float] = [:]
      for voter in voters { weights[voter.text[place], default: 0] += logOdds(voter.confidences[place]) }
      let winner = winner(weights, place: place, length: length)
      let total = weights.values.reduce(0, +)
      text.append(winner)
      margins.append((2 * (weights[winner] ?? 0) - total) / Float(voters.count))
    }
    return Outcome(text: text, margins: margins, readings: voters.count)
  }

  private static func winningLength(_ readings: [ParsedCandidate]) -> Int? {
    var weights: [Int: Float] = [:]
    for reading in readings { weights[reading.count, default: 0] += max(1, reading.quality) }
    return weights.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }

  /// The heaviest character that the grammar admits at the place; the heaviest of all where it admits none of them.
  private static func winner(_ weights: [UInt8: Float], place: Int, length: Int) -> UInt8 {
    let order = weights.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
    let format = SerialNumber.Format(length: length)
    let fitting = order.first { format?.admits($0.key, at: place) ?? true }
    return (fitting ?? order[0]).key
  }

  /// The recogniser's confidence (0...100) as log-odds: p = exp((c - 100) / 35), kept within 0.05...0.995.
  static func logOdds(_ confidence: Float) -> Float {
    max(0.1, Float(LogOdds.of(exp(Double(confidence - 100) / 35), within: 0.05...0.995)))
  }
}
