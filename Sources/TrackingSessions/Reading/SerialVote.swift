import AppleSerial
import Foundation
import ScanModel

/// What the frames of a session say of an object's serial together.
public struct VotedSerial: Codable, Sendable, Equatable {
  /// The serial.
  public var serial: String
  /// How sure it is, 0...1. At or above the acceptance threshold it is the mean of the accepted reads, on the scale of
  /// log-odds. Measured on generated films, serials are right at least as often as it says (docs/tracking.md).
  public var confidence: Double
  /// `accepted`, or `uncertain`: what is surer than nothing.
  public var verdict: Reading.Verdict
  /// How many frames say so.
  public var frames: Int
}

/// The vote on one object's serial.
///
/// Two reads accept a serial, each at the verdict of a photo: of two frames that were read alone, or of one and of frames that
/// were read together. What only frames together say, and what the vote puts together of several reads, is shown and stays
/// uncertain.
struct SerialVote {
  /// One read: of one frame, or of several together.
  struct Ballot {
    /// The top serial.
    var serial: SerialRead
    /// Whether it was accepted as that of a photo is.
    var isAccepted: Bool
    /// The numbers of the frames that were read.
    var frames: [Int]

    /// Doubts about characters: frames that misread do so each in its own way, so that many that agree speak against them.
    /// Whether something is a serial at all, no number of frames tells.
    private static let doubtsOfCharacters: Set = [
      "unlike_lengths", "second_model", "doubtful_characters", "small_print", "hard_to_read",
    ]

    /// Whether nothing else keeps the serial from being sure.
    var isDoubtedForCharactersAlone: Bool {
      guard let doubts = serial.doubts else { return false }
      return doubts.allSatisfy { Self.doubtsOfCharacters.contains($0.code) }
    }
  }

  /// Reads that must accept a serial.
  private static let leastWitnesses = 2
  /// So many reads must accept it for each that accepts another one.
  private static let witnessesForEachOther = 4
  /// The weight of reads that say otherwise, as a share of those that say so, from which nothing is accepted.
  private static let mostDissent = 0.5
  /// What is put together of several reads, and stands in none, is no surer than this.
  private static let mostOfComposed = 0.6
  /// What frames that agree are told at, at most, where the surest of them is less sure.
  private static let mostOfAlike = 0.6
  /// Characters of the longest serial that is voted on.
  private static let longest = 32

  /// Confidences from which on a serial is accepted, and below which it is not shown.
  let accept: Double
  let refuse: Double
  private(set) var ballots: [Ballot] = []

  init(accept: Double, refuse: Double) {
    self.accept = accept
    self.refuse = refuse
  }

  /// Takes in a read, where it says anything.
  mutating func add(_ reading: Reading, frames: [Int]) {
    guard let serial = reading.topSerial ?? reading.refused?.first else { return }
    let isAccepted = reading.verdict == .accepted && reading.topSerial != nil
    ballots.append(Ballot(serial: serial, isAccepted: isAccepted, frames: frames))
  }

  /// The serial that leads; nil where nothing is worth showing.
  var leader: VotedSerial? {
    guard let text = composed else { return nil }
    let agreeing = ballots.filter { $0.serial.serial == text }
    let frames = Set(agreeing.flatMap(\.frames)).count
    if let accepted = accepted(text, agreeing) {
      return VotedSerial(
        serial: text, confidence: max(accept, Self.displayed(accepted)), verdict: .accepted, frames: frames)
    }
    let confidence = Self.displayed(min(uncertain(agreeing), accept.nextDown))
    guard confidence >= refuse, SerialNumber(text) != nil || !agreeing.isEmpty else { return nil }
    return VotedSerial(serial: text, confidence: confidence, verdict: .uncertain, frames: max(1, frames))
  }

  /// The confidence of a serial that enough reads accepted; nil where they are too few.
  private func accepted(_ text: String, _ agreeing: [Ballot]) -> Double? {
    let accepting = agreeing.filter(\.isAccepted)
    let alone = accepting.count { $0.frames.count == 1 }
    // However often frames are read together, they are much the same frames: one witness, and no first one.
    let witnesses = alone + (alone > 0 && accepting.count > alone ? 1 : 0)
    guard witnesses >= Self.leastWitnesses else { return nil }
    let others = ballots.filter { $0.serial.serial != text }
    guard others.count(where: \.isAccepted) * Self.witnessesForEachOther <= witnesses else { return nil }
    guard weight(of: others) <= Self.mostDissent * weight(of: agreeing) else { return nil }
    let confidence = meanOfLogOdds(accepting.map(\.serial.confidence))
    return confidence >= accept ? confidence : nil
  }

  /// Three digits, never rounded up: what is not sure is not told as if it were.
  private static func displayed(_ confidence: Double) -> Double { (confidence * 1000).rounded(.down) / 1000 }

  private func uncertain(_ agreeing: [Ballot]) -> Double {
    let share = weight(of: agreeing) / max(1e-9, weight(of: ballots))
    guard !agreeing.isEmpty else { return Self.mostOfComposed * (ballots.map(\.serial.confidence).max() ?? 0) }
    return max(meanOfLogOdds(agreeing.map(\.serial.confidence)), alike(agreeing)) * share.squareRoot()
  }

  /// How sure reads are that agree, where all that was doubted is their characters: each that goes beyond those that say
  /// otherwise counts, and none is taken for surer than the surest.
  private func alike(_ agreeing: [Ballot]) -> Double {
    let lead = 2 * agreeing.count - ballots.count
    guard lead > 1, agreeing.allSatisfy(\.isDoubtedForCharactersAlone) else { return 0 }
    let confidences = agreeing.map(\.serial.confidence)
    let mean = meanOfLogOdds(confidences)
    let odds = mean / (1 - mean) * Double(lead)
    return min(odds / (1 + odds), max(Self.mostOfAlike, confidences.max() ?? 0))
  }

  private func weight(of ballots: [Ballot]) -> Double { ballots.reduce(0) { $0 + $1.serial.confidence } }

  private func meanOfLogOdds(_ confidences: [Double]) -> Double {
    let sum = confidences.reduce(0.0) {
      let kept = min(0.999, max(0.001, $1))
      return $0 + log(kept / (1 - kept))
    }
    return 1 / (1 + exp(-sum / Double(max(1, confidences.count))))
  }

  /// The characters that have most votes, place by place, among reads of the length that has most.
  private var composed: String? {
    var lengths: [Int: Double] = [:]
    for ballot in ballots { lengths[ballot.serial.serial.utf8.count, default: 0] += ballot.serial.confidence }
    // Of equal lengths the shorter one, so that the same reads always say the same.
    guard let length = lengths.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
      (1...Self.longest).contains(length)
    else { return nil }
    var tallies = [[String: Double]](repeating: [:], count: max(0, length))
    for ballot in ballots where ballot.serial.serial.utf8.count == length { Self.count(ballot.serial, into: &tallies) }
    let characters = tallies.compactMap { tally in
      tally.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
    return characters.count == length ? characters.joined() : nil
  }

  /// A read votes for its own characters and, less, for what else each may be.
  private static func count(_ read: SerialRead, into tallies: inout [[String: Double]]) {
    let characters = read.serial.map(String.init)
    guard characters.count == tallies.count else { return }
    let told = read.characters.flatMap { $0.count == characters.count ? $0 : nil }
    for (place, character) in characters.enumerated() {
      let sure = told.map { $0[place] }
      tallies[place][character, default: 0] += read.confidence * (sure?.confidence ?? 1)
      for other in sure?.alternatives ?? [] where other.character != character {
        tallies[place][other.character, default: 0] += read.confidence * other.confidence
      }
    }
  }
}
