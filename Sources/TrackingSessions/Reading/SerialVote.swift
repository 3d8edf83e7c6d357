import AppleSerial
import Foundation
import ScanModel

/// The serial of an object from all frames of a session.
public struct VotedSerial: Codable, Sendable, Equatable {
  /// The serial.
  public var serial: String
  /// Its confidence, 0...1. At or above the acceptance threshold, the log-odds mean of the accepted reads. In generated
  /// films, serials are correct at least that often (docs/tracking.md).
  public var confidence: Double
  /// `accepted` or `uncertain`.
  public var verdict: Reading.Verdict
  /// Number of frames that support it.
  public var frames: Int
}

/// The vote on one object's serial.
///
/// Two reads must accept a serial, each by the verdict of a photo: two frames read alone, or one read alone and frames
/// read together. A serial found only by frames read together, or composed from several reads, is shown but stays
/// uncertain.
struct SerialVote {
  /// One read, of one frame or of several together.
  struct Ballot {
    /// The read's top serial.
    var serial: SerialRead
    /// Whether it was accepted as a photo's serial is.
    var isAccepted: Bool
    /// Numbers of the frames that were read.
    var frames: [Int]

    /// Doubts about characters. Frames are misread in different ways, so agreement of many frames refutes these doubts.
    /// It can't show whether the text is a serial at all.
    private static let doubtsOfCharacters: Set = [
      "unlike_lengths", "second_model", "doubtful_characters", "small_print", "hard_to_read",
    ]

    /// Whether only its characters are in doubt.
    var isDoubtedForCharactersAlone: Bool {
      guard let doubts = serial.doubts else { return false }
      return doubts.allSatisfy { Self.doubtsOfCharacters.contains($0.code) }
    }
  }

  /// Minimum number of reads that accept a serial.
  private static let leastWitnesses = 2
  /// Number of accepting reads required per read that accepts another serial.
  private static let witnessesForEachOther = 4
  /// Maximum weight of disagreeing reads, as a share of the agreeing ones, for acceptance.
  private static let mostDissent = 0.5
  /// Maximum confidence of a serial composed from several reads that none of them shows.
  private static let mostOfComposed = 0.6
  /// Maximum confidence from agreement, unless the best agreeing read has a higher one.
  private static let mostOfAlike = 0.6
  /// Maximum length of a serial that is voted on.
  private static let longest = 32

  /// Confidences from which a serial is accepted, and below which it is not shown.
  let accept: Double
  let refuse: Double
  private(set) var ballots: [Ballot] = []

  init(accept: Double, refuse: Double) {
    self.accept = accept
    self.refuse = refuse
  }

  /// Adds a read, if it found a serial.
  mutating func add(_ reading: Reading, frames: [Int]) {
    guard let serial = reading.topSerial ?? reading.refused?.first else { return }
    let isAccepted = reading.verdict == .accepted && reading.topSerial != nil
    ballots.append(Ballot(serial: serial, isAccepted: isAccepted, frames: frames))
  }

  /// Whether a read shows a serial as surely as it is known: accepted, if that serial is.
  func confirms(_ known: VotedSerial) -> Bool {
    ballots.contains { $0.serial.serial == known.serial && ($0.isAccepted || known.verdict != .accepted) }
  }

  /// Returns this vote with the reads of a later one.
  func followed(by later: SerialVote) -> SerialVote {
    var vote = self
    vote.ballots += later.ballots
    return vote
  }

  /// Returns a serial that is no longer known to be in sight.
  func doubting(_ known: VotedSerial) -> VotedSerial {
    var doubted = known
    doubted.verdict = .uncertain
    doubted.confidence = min(known.confidence, Confidence.displayed(accept.nextDown))
    return doubted
  }

  /// The leading serial; nil if none is worth showing.
  var leader: VotedSerial? {
    guard let text = composed else { return nil }
    let agreeing = ballots.filter { $0.serial.serial == text }
    let frames = Set(agreeing.flatMap(\.frames)).count
    if let accepted = accepted(text, agreeing) {
      return VotedSerial(
        serial: text, confidence: max(accept, Confidence.displayed(accepted)), verdict: .accepted, frames: frames)
    }
    let confidence = Confidence.displayed(min(uncertain(agreeing), accept.nextDown))
    guard confidence >= refuse, SerialNumber(text) != nil || !agreeing.isEmpty else { return nil }
    return VotedSerial(serial: text, confidence: confidence, verdict: .uncertain, frames: max(1, frames))
  }

  /// The confidence of a serial that enough reads accepted; nil if there are too few.
  private func accepted(_ text: String, _ agreeing: [Ballot]) -> Double? {
    let accepting = agreeing.filter(\.isAccepted)
    let alone = accepting.count { $0.frames.count == 1 }
    // Frames read together are largely the same frames each time: they count as one witness, and never as the first.
    let witnesses = alone + (alone > 0 && accepting.count > alone ? 1 : 0)
    guard witnesses >= Self.leastWitnesses else { return nil }
    let others = ballots.filter { $0.serial.serial != text }
    guard others.count(where: \.isAccepted) * Self.witnessesForEachOther <= witnesses else { return nil }
    guard weight(of: others) <= Self.mostDissent * weight(of: agreeing) else { return nil }
    let confidence = meanOfLogOdds(accepting.map(\.serial.confidence))
    return confidence >= accept ? confidence : nil
  }

  private func uncertain(_ agreeing: [Ballot]) -> Double {
    let share = weight(of: agreeing) / max(1e-9, weight(of: ballots))
    guard !agreeing.isEmpty else { return Self.mostOfComposed * (ballots.map(\.serial.confidence).max() ?? 0) }
    return max(meanOfLogOdds(agreeing.map(\.serial.confidence)), alike(agreeing)) * share.squareRoot()
  }

  /// The confidence of agreeing reads whose only doubts concern characters. Each agreeing read in excess of the others
  /// counts; the result is at most the highest single confidence, or `mostOfAlike` if that is greater.
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

  /// The characters with most votes, place by place, among reads of the most frequent length.
  private var composed: String? {
    var lengths: [Int: Double] = [:]
    for ballot in ballots { lengths[ballot.serial.serial.utf8.count, default: 0] += ballot.serial.confidence }
    // On a tie the shorter length, so that the result is deterministic.
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

  /// Adds a read's votes: for its own characters, and with less weight for their alternatives.
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
