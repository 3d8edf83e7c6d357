import AppleSerial
import ReaderProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A serial read as a value with its label, and what the read rests on.
struct LabelledRead: Sendable {
  /// What the readings agreed on.
  var vote: ValueVote
  /// How strongly a serial's label stands beside it.
  var label: LabelKeywords.Strengths
  /// Where that label stands; nil for none.
  var relation: LabelPlace.Relation?
  /// The label's text as read, for the trace.
  var labelText: String
  /// What the ink says of the number of characters, over the readings.
  var length: LengthProof.Verdict
  /// Least ground that the crops show at both ends, in heights of capitals.
  var ground: Double
  /// Height of the capitals in the picture that was read, in pixels.
  var capitalHeight: Double
  /// Index of the line.
  var line: Int
  /// Other lines that say the same.
  var repetitions = 0
  /// Where it stands, in pixels of the photo as uploaded.
  var region: Quadrilateral

  /// The serial.
  var serial: String { vote.string }
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool { SerialNumber(serial) != nil }
  /// Whether it is clear enough that no other line need be read.
  var isSettled: Bool {
    label.announcesSerial && fitsGrammar && vote.agreement == 1 && vote.readings >= LabelledTextPass.leastReadings
      && vote.leastMargin >= 2
      && length == .proven && ground >= LengthProof.leastGround
  }
}

extension LabelledRead {
  /// The calibrated probability that this is the device's serial: a logistic model of what the read rests on.
  ///
  /// The weights were set on generated pictures of one family of scenes and looked at on another.
  var confidence: Double {
    let margin = Double(vote.leastMargin) * Double(vote.agreement)
    var logit = -3 + 1.6 * margin
    logit += label.serial >= 2.5 ? 1.2 : label.announcesSerial ? 0.5 : -1.5
    switch length {
    case .proven: logit += 0.8
    case .possible: break
    case .refuted: logit -= 2
    }
    if ground < LengthProof.leastGround { logit -= 1 }
    if !fitsGrammar { logit -= 2.5 }
    logit += Double(min(2, repetitions)) - 0.3 * Double(vote.folds) - 0.5 * Double(vote.spaces)
    return 1 / (1 + exp(-logit))
  }
}
