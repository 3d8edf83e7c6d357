import AppleSerial
import Foundation
import ScanModel

/// The characters that several readings have at one place, each with the weight of its readings.
///
/// Characters keep the order in which they were first read, so their sum is bit-identical in every run.
package struct CharacterTally: Sendable {
  /// The characters read there, in the order of first occurrence.
  private(set) var entries: [(byte: UInt8, weight: Float)] = []
  /// Number of readings.
  private(set) var readings = 0

  package init() {}

  /// Adds a reading's character with its log-odds.
  package mutating func add(_ byte: UInt8, _ logOdds: Float) {
    readings += 1
    if let known = entries.firstIndex(where: { $0.byte == byte }) {
      entries[known].weight += logOdds
    } else {
      entries.append((byte, logOdds))
    }
  }

  /// The heaviest character that the grammar allows at a place, for a length. If the grammar allows none of them, the
  /// heaviest of all; nil if none was read.
  func winner(at place: Int, of length: Int) -> UInt8? {
    let order = entries.sorted { ($0.weight, $0.byte) > ($1.weight, $1.byte) }
    let format = SerialNumber.Format(length: length)
    return (order.first { format?.admits($0.byte, at: place) ?? true } ?? order.first)?.byte
  }

  /// Whether all readings have the same character.
  var isUnanimous: Bool { entries.count == 1 }

  /// Log-odds for a character minus those against it, per reading.
  package func margin(of byte: UInt8) -> Float {
    let total = entries.reduce(0) { $0 + $1.weight }
    let own = entries.first { $0.byte == byte }?.weight ?? 0
    return (2 * own - total) / Float(max(1, readings))
  }
}

/// One reading of a serial's print, as it takes part in a vote.
protocol VotedReading {
  /// Its characters.
  var text: [UInt8] { get }
  /// The recogniser's confidence per character, 0...100, minus the cost of replaced look-alikes.
  var confidences: [Float] { get }
  /// How much it counts for the number of characters.
  var rank: Float { get }
  /// Number of characters replaced as look-alikes, and of spaces inside it.
  var folds: Int { get }
  var spaces: Int { get }
}

/// A vote over several readings of the same print, character by character.
package struct Vote: Sendable {
  /// The text that won.
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
  /// The text.
  var string: String { String(decoding: text, as: UTF8.self) }
  /// Whether all readings that took part have the same characters.
  var isUnanimous: Bool { tallies.allSatisfy(\.isUnanimous) }

  /// Holds a vote over `tried` readings, some of which gave a text; nil if none did.
  init?(_ all: [some VotedReading], tried: Int) {
    var weights: [Int: Float] = [:]
    for reading in all { weights[reading.text.count, default: 0] += max(1, reading.rank) }
    guard let length = weights.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else { return nil }
    let alike = all.filter { $0.text.count == length }
    guard let best = alike.max(by: { $0.rank < $1.rank }) else { return nil }
    // A reading that differs in more than four places is of other text, or shifted by a character.
    let voters = alike.filter { voter in zip(voter.text, best.text).count { $0 != $1 } <= 4 }
    tallies = (0..<length).map { place in
      var tally = CharacterTally()
      for voter in voters { tally.add(voter.text[place], Self.logOdds(voter.confidences[place])) }
      return tally
    }
    text = tallies.enumerated().map { $1.winner(at: $0, of: length) ?? best.text[$0] }
    margins = zip(tallies, text).map { $0.margin(of: $1) }
    readings = voters.count
    agreement = Float(voters.count) / Float(max(1, tried))
    folds = voters.map(\.folds).max() ?? 0
    isParted = voters.allSatisfy { $0.spaces > 0 }
  }

  /// Holds a vote over the readings of a labelled value.
  package init?(ofValues values: [ValueText], tried: Int) { self.init(values, tried: tried) }

  /// Index of the reading that represents a text that readings voted for: one with the same text, else one of its
  /// length, which has the same ends.
  package static func representative(of text: [UInt8], among readings: [[UInt8]]) -> Int? {
    readings.firstIndex(of: text) ?? readings.firstIndex { $0.count == text.count }
  }

  /// The recogniser's confidence (0...100) as log-odds: p = exp((c - 100) / 35), clamped to 0.05...0.995; 0.1 at least.
  private static func logOdds(_ confidence: Float) -> Float {
    max(0.1, Float(LogOdds.of(exp(Double(confidence - 100) / 35), within: 0.05...0.995)))
  }
}

/// The vote on the readings of one line of etched text.
struct LineVote {
  var text: [UInt8]
  /// Whether no further reading was needed.
  var isSettled: Bool
  /// As in `TextEvidence`.
  var isUnanimousInScales: Bool
  var leastMargin: Float
  var agreement: Float
  var keyword: Float
  var fitsGrammar: Bool
  var line: Int
  var capitalHeight: Float
  var region: Quadrilateral
  /// As in `Candidate`.
  var recognised: Quadrilateral
  var ground: Double
  var glyphMargin: Double?
  /// As in `TextEvidence`.
  var latticeMargin: Double?
  var strokes: [Int: [Float]]
  /// The characters, as in `TextEvidence`.
  var characters: [CharacterRead]
  var shapes: TextEvidence.Shapes
  /// Whether its line is print that Apple devices carry.
  var isInDevicePrint: Bool

  /// The least margin of its characters times the share of readings that agreed.
  private var agreedMargin: Float { leastMargin * agreement }

  /// The value of the vote as a serial: the agreed margin, plus a bonus for a label, minus a penalty for an invalid
  /// format.
  var value: Float { agreedMargin + (keyword > 0 ? 1 : 0) - (fitsGrammar ? 0 : 1) }
}

extension LineVote {
  /// The serials of several lines, the most valuable first.
  static func candidates(of votes: [LineVote], strategy: String, textSeen: TextSeen) -> [Candidate] {
    let serious = votes.filter { $0.agreedMargin >= -0.5 }
    let groups = grouped(serious)
    return groups.compactMap { group -> (value: Float, candidate: Candidate)? in
      guard let best = group.max(by: { $0.agreedMargin < $1.agreedMargin }) else {
        return nil
      }
      let evidence = best.evidence(
        among: group, hasSign: best.isInDevicePrint || textSeen.isBesideDeviceMark(best.recognised))
      let candidate = Candidate(
        serial: best.serial, method: .tesseract, strategy: strategy,
        confidence: Calibration.confidence(evidence), evidence: evidence, roiIndex: best.line, region: best.region,
        recognised: best.recognised)
      return (group.reduce(0) { $0 + max(0.1, $1.value) }, candidate)
    }
    .sorted { $0.value > $1.value }.map(\.candidate)
  }

  /// Groups votes with the same text, in the order each was first read, so that sums over a group are reproducible to
  /// the last bit.
  private static func grouped(_ votes: [LineVote]) -> [[LineVote]] {
    votes.reduce(into: []) { groups, vote in
      if let same = groups.firstIndex(where: { $0[0].text == vote.text }) {
        groups[same].append(vote)
      } else {
        groups.append([vote])
      }
    }
  }

  private var serial: String { String(decoding: text, as: UTF8.self) }

  /// The evidence for the serial. This vote must be the surest of the group.
  private func evidence(among group: [LineVote], hasSign: Bool) -> TextEvidence {
    TextEvidence(
      leastMargin: Double(leastMargin), agreement: Double(agreement), keyword: Double(group.map(\.keyword).max() ?? 0),
      fitsGrammar: fitsGrammar, hasStrictGrammar: text.count == 12,
      hasFrequentPlant: SerialNumber(serial)?.hasFrequentPlant ?? false, capitalHeight: Double(capitalHeight),
      ground: ground, shapes: shapes, glyphMargin: glyphMargin, latticeMargin: latticeMargin, strokes: strokes,
      characters: characters, hasSign: hasSign, isUnanimousInScales: isUnanimousInScales)
  }
}
