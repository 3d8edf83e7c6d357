import AppleSerial
import Foundation
import ScanModel

/// Converts evidence to probabilities: one logistic model of monotone features.
///
/// `make calibration` fits its weights, `CalibrationWeights`, on the table `Tools/accuracy/judged.csv`. Besides the model
/// only competing serials (`FusedSerial`), three vetoes and damage of the file (`SerialJudgement`) change the confidence
/// of a text.
package enum Calibration {
  /// Evidence for a text, oriented so that more of it never makes the text less likely to be right. The vote's margin is
  /// piecewise linear: each piece is a feature.
  package enum Feature: String, CaseIterable, Sendable {
    /// The agreed margin of the vote's weakest place: up to `marginKnot`, and above it.
    case marginLow = "margin_low"
    case marginHigh = "margin_high"
    /// The stroke margin of the weakest character, from 0. Above `most.strokes` it says no more.
    case strokes
    /// Whether the first reading's lattice holds the text, and its lead there as a share of `most.lattice`.
    case held
    case lattice
    /// Ground at both ends as a share of `LengthProof.leastGround`.
    case ground
    /// Strength of the label as a share of `most.label`.
    case label
    /// Whether it begins with a frequent plant code.
    case plant
    /// Whether it fits the grammar of its length.
    case format
    /// -1 if it seems to continue beside what was read.
    case whole
    /// Whether the second model agrees.
    case secondAgrees = "second_agrees"
    /// The share of the doubt that lies in characters which a known configuration code confirms: -log(1 - share), so
    /// that a weight of 1 removes that share of the odds against the text.
    case knownCode = "known_code"
  }

  /// Where the margin's second piece begins.
  private static let marginKnot = 1.5
  /// Values from which a feature grows no further. The label's is that of `Serial` with a letter misread.
  private static let most = (margin: 3.4, strokes: 2.5, lattice: 6.0, label: 3.0)
  /// The label feature of a sign that replaces a label.
  private static let labelOfSign = 0.2

  package static func features(of evidence: TextEvidence) -> [(feature: Feature, value: Double)] {
    let margin = min(evidence.agreedMargin, most.margin)
    let strokes = min(max(evidence.glyphMargin ?? 0, 0), most.strokes)
    let lattice = min(max(evidence.latticeMargin ?? 0, 0), most.lattice)
    let label = min(evidence.keyword, most.label) / most.label
    return [
      (.marginLow, min(margin, marginKnot)), (.marginHigh, max(0, margin - marginKnot)),
      (.strokes, strokes),
      (.held, evidence.latticeMargin == nil ? 0 : 1), (.lattice, lattice / most.lattice),
      (.ground, min(max(evidence.ground, 0) / LengthProof.leastGround, 1)),
      (.label, label > 0 || !evidence.hasSign ? label : labelOfSign), (.plant, evidence.hasFrequentPlant ? 1 : 0),
      (.format, evidence.fitsGrammar ? 1 : 0), (.whole, evidence.isPart ? -1 : 0),
    ]
  }

  /// The probability that a text is a device's serial, by its own evidence.
  package static func confidence(_ evidence: TextEvidence) -> Double {
    let sum = features(of: evidence).reduce(CalibrationWeights.constant) {
      $0 + CalibrationWeights.weight(of: $1.feature) * $1.value
    }
    return LogOdds.probability(sum)
  }

  /// The log-odds that the second model's answer adds.
  static func logOdds(of answer: SecondOpinion.Answer?) -> Double {
    answer == .agrees ? CalibrationWeights.weight(of: .secondAgrees) : 0
  }

  /// The value of `Feature.knownCode` for a share of a text's doubt, at most half: a known code does not confirm
  /// the characters before it.
  static func knownCode(share: Double) -> Double { -log(1 - min(mostOfKnownCode, share)) }

  /// The probability of a text that several strategies read at one place: the mean of their log-odds, because
  /// strategies err alike, plus those of what was learned afterwards; 0 if empty.
  ///
  /// - Parameters:
  ///   - confidences: What each strategy's own evidence gives, 0...1.
  ///   - answer: The second model's answer; nil if it was not asked.
  ///   - share: The share of its doubt that lies in characters which a known configuration code confirms.
  package static func confidence(
    ofTexts confidences: [Double], after answer: SecondOpinion.Answer?, knownCode share: Double = 0
  ) -> Double {
    guard !confidences.isEmpty else { return 0 }
    let mean = confidences.reduce(0) { $0 + LogOdds.of($1, within: range) } / Double(confidences.count)
    let code = CalibrationWeights.weight(of: .knownCode) * knownCode(share: share)
    return min(mostOfText, LogOdds.probability(mean + logOdds(of: answer) + code))
  }

  /// The greatest share of a read's doubt that a known configuration code removes.
  private static let mostOfKnownCode = 0.5

  /// The range of a strategy's confidence in the mean of several.
  private static let range = 0.0005...0.9995
  /// Maximum probability of a text: about one in 500 accepted reads may be wrong.
  static let mostOfText = 0.998

  /// Confidence before the second opinion from which the search for text stops (`settled`) and from which the search
  /// for codes stops too (`certain`). The code search costs a tenth of a read, and a code is the strongest evidence for
  /// or against a text.
  static let settled = 0.9
  static let certain = 0.98

  /// Stroke margin of the weakest character from which strokes confirm a read that the second model doubts. None of 51
  /// such reads of 3 or more was wrong, but strokes once confirmed a small blurred `8` as `B` with 3.4.
  static let clearMargin = 4.0

  /// Stroke margin of the weakest character from which strokes confirm a read at all: of 79 reads below it that the
  /// second model did not confirm either, 11 were wrong.
  static let fairMargin = 1.0

  /// Lead in the first reading's lattice, a natural logarithm, from which the second model's agreement confirms a read
  /// without strokes, and its doubt leaves one that the strokes confirm. Both models take a blurred `S` for `5`: of 98
  /// agreed reads below it 14 were wrong, of 46 above it one; of doubted ones 1 of 19, and none of 7.
  static let sureMargin = 4.2

  /// Maximum probability of a text that nothing independent confirms: below `settled`, so that other strategies still run.
  static let mostOfUnconfirmed = 0.88

  /// Maximum probability of a text that may be incomplete: below acceptance. Of 11 texts of 10 or 11 characters that
  /// another reading of the photo continues, 8 were correct.
  static let mostOfIncomplete = 0.75

  /// Maximum probability of a text that is probably the beginning of a longer serial. Set by hand, so that it is shown for
  /// a person to check: one in 1,130 serials of ten characters begins as an older one does, and is whole.
  static let mostOfBeginning = 0.5

  /// Maximum probability of a serial if the photo names other makers and not Apple, and of one that resembles other
  /// makers' serials if the photo doesn't name Apple. Set by hand, below what is shown by default: none of eleven such
  /// reads was correct.
  static let mostOfOtherMakers = 0.3
  /// The same for a serial that begins with a frequent plant code, or has the format of HP's while the photo names
  /// Apple alone; below acceptance.
  static let mostOfOtherMakersByPlant = 0.75

  /// Maximum probability of a sample or mask, which no device carries.
  static let mostOfPlaceholder = 0.02
  /// The same for the serial of a part, such as a disk or a battery; below what is shown by default.
  static let mostOfPart = 0.3
  /// The same for a word in capitals whose `O` and `I` were taken for digits; below what is shown by default.
  static let mostOfWord = 0.3

  /// Maximum probability of a text that cannot be an Apple serial, either a misread or another maker's; below what is
  /// shown by default.
  static let mostOutsideGrammar = 0.3

  /// The maximum probability of a serial, given the makers that the photo names.
  package static func most(of serial: SerialNumber, among makers: MakersSeen) -> Double {
    if makers.areOthersAlone { return serial.hasFrequentPlant ? mostOfOtherMakersByPlant : mostOfOtherMakers }
    let looksLikeOthers = serial.isMostlyDigits || serial.endsInRunningNumber || serial.isShapedLikeOthers
    if !makers.isAppleNamed {
      return looksLikeOthers ? mostOfOtherMakers : serial.mayBeOfOthers ? mostOfUnconfirmed : 1
    }
    guard serial.isShapedLikeOthers else { return 1 }
    // A list of several makers' devices names Apple too, and the other maker's name may be illegible. Hardly any Apple
    // serial of ten characters has the format of HP's.
    if makers.isOtherNamed { return mostOfOtherMakers }
    return serial.format == .ten ? mostOfOtherMakersByPlant : 1
  }
}
