/// The vote of several readings of one value, character by character.
package struct ValueVote: Sendable {
  /// The value that won.
  var text: [UInt8]
  /// For each place: log-odds for the winner minus those against it, per reading.
  var margins: [Float]
  /// For each place: the characters read there.
  var tallies: [CharacterTally]
  /// Share of the readings that have this length and took part, 0...1.
  var agreement: Float
  /// Number of readings that took part.
  var readings: Int
  /// The most look-alikes replaced in any reading.
  var folds: Int
  /// Whether every reading contains a space.
  package var isParted: Bool

  /// Margin of the weakest place.
  var leastMargin: Float { margins.min() ?? 0 }
  /// The value.
  var string: String { String(decoding: text, as: UTF8.self) }

  /// The vote over `tried` readings, some of which gave a value; nil if none did.
  package init?(_ values: [ValueText], tried: Int) {
    var weights: [Int: Float] = [:]
    for value in values { weights[value.text.count, default: 0] += value.meanConfidence }
    guard let length = weights.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else { return nil }
    let alike = values.filter { $0.text.count == length }
    guard let best = alike.max(by: { $0.meanConfidence < $1.meanConfidence }) else { return nil }
    // A reading that differs in more than four places is shifted by a character.
    let voters = alike.filter { value in zip(value.text, best.text).count { $0 != $1 } <= 4 }
    let tallies = Voting.tallies(of: voters.map { ($0.text, $0.confidences) }, length: length)
    text = tallies.enumerated().map { $1.winner(at: $0, of: length) ?? UInt8(ascii: "0") }
    margins = zip(tallies, text).map { $0.margin(of: $1) }
    self.tallies = tallies
    readings = voters.count
    agreement = Float(voters.count) / Float(max(1, tried))
    folds = voters.map(\.folds).max() ?? 0
    isParted = voters.allSatisfy { $0.spaces > 0 }
  }
}
