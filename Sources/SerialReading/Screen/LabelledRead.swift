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
  /// Whether the strokes of a `3` or a `5` speak against it.
  var hasDoubtfulShapes = false
  /// Whether it has such digits, and touching characters kept their strokes from being looked at.
  var hasUncheckedShapes = false
  /// Whether the value's first characters seem to stand at the end of its label.
  var lacksBeginning = false
  /// Height of the capitals in the picture that was read, in pixels.
  var capitalHeight: Double
  /// Index of the line.
  var line: Int
  /// Other lines that say the same.
  var repetitions = 0
  /// Whether another line, announced as clearly, says something else: at most one of them is right.
  var isContradicted = false
  /// Where it stands, in pixels of the photo as uploaded.
  var region: Quadrilateral

  /// The serial.
  var serial: String { vote.string }
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool { SerialNumber(serial) != nil }
  /// Whether it begins with a plant code that many serials begin with.
  var hasFrequentPlant: Bool { SerialNumber(serial)?.hasFrequentPlant ?? false }
  /// Whether it is clear enough that no other line need be read.
  var isSettled: Bool {
    label.announcesSerial && fitsGrammar && vote.agreement == 1 && vote.readings >= LabelledTextPass.leastReadings
      && vote.leastMargin >= 2
      && length == .proven && !lacksBeginning && !hasDoubtfulShapes && ground >= LengthProof.leastGround
  }
}

extension LabelledRead {
  /// The calibrated probability that this is the device's serial: a logistic model of what the read rests on.
  ///
  /// Fitted on 281 reads of generated screens, stickers and look-alikes, then made steeper in the margin: letters of
  /// typefaces that were never seen are misread with margins of 2 to 3, those that were with less than 1.5.
  var confidence: Double {
    let margin = min(3.4, Double(vote.leastMargin)) * Double(vote.agreement)
    var logit = -6.3 + 2.6 * margin
    if label.announcesSerial {
      logit += label.serial >= 2.5 ? 1.3 : 0.9
    } else if !hasFrequentPlant {
      logit -= Calibration.doubtOfUnlabelled
    }
    switch length {
    case .proven: logit += 0.6
    case .possible: break
    case .refuted: logit -= 0.9
    }
    if ground < LengthProof.leastGround { logit -= 1.5 }
    if !fitsGrammar { logit -= 4 }
    if hasDoubtfulShapes { logit -= 4.5 } else if hasUncheckedShapes { logit -= 1.8 }
    if lacksBeginning { logit -= 5 }
    if isContradicted { logit -= 1.5 }
    logit += Double(min(2, repetitions)) - 0.4 * Double(vote.folds) - 0.8 * Double(vote.spaces)
    return 1 / (1 + exp(-logit))
  }
}
