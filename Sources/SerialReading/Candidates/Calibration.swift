import AppleSerial
import ScanModel

/// Converts evidence to probabilities.
package enum Calibration {
  /// The probability that the read of an etched line is correct, from a logistic model of its evidence.
  ///
  /// Weights set by hand on 120 generated images of one scene family and checked on another: below a score of 1 most
  /// reads were wrong, between 1 and 2.3 about one in three, above 2.6 none of 81. Real photos score 2.1 to 3.5.
  static func confidence(_ evidence: TextEvidence) -> Double {
    var logit = -3.2 + 2.4 * evidence.score
    switch evidence.length {
    case .proven: logit += 0.2
    case .possible: break
    case .refuted: logit -= 0.4  // characters of etchings touch, so their ink is often miscounted
    }
    if evidence.ground < LengthProof.leastGround { logit -= 0.3 }
    if evidence.capitalHeight < 10 { logit -= 0.4 }
    if evidence.shapes != .fitting { logit -= 1 }
    if evidence.keyword == 0 { logit -= evidence.hasFrequentPlant ? 0.5 : doubt(ofUnlabelled: evidence) }
    if !evidence.fitsGrammar { logit -= 2.5 }
    logit += weight(ofGlyphs: evidence, isAnnounced: evidence.keyword > 0, touches: true)
    if evidence.keyword == 0, !evidence.hasStrictGrammar { logit = min(logit, mostOfUnlabelled) }
    return LogOdds.probability(logit)
  }

  /// The probability that a value beside its label is correct, from a logistic model of its evidence.
  ///
  /// Fitted on 281 reads of generated screens, stickers and look-alikes. The slope over the margin is steeper than
  /// fitted: unknown typefaces are misread with margins of 2 to 3, known ones with less than 1.5.
  static func confidence(ofLabelled evidence: TextEvidence, isAnnounced: Bool) -> Double {
    var logit = -6.3 + 2.6 * min(3.4, evidence.leastMargin) * evidence.agreement
    if isAnnounced {
      logit += evidence.keyword >= 2.5 ? 1.3 : 0.9
    } else if !evidence.hasFrequentPlant {
      logit -= doubt(ofUnlabelled: evidence)
    }
    switch evidence.length {
    case .proven: logit += 0.6
    case .possible: break
    case .refuted: logit -= 0.9
    }
    switch evidence.shapes {
    case .fitting: break
    case .unchecked: logit -= 1.8
    case .doubtful: logit -= 4.5
    }
    if evidence.ground < LengthProof.leastGround { logit -= 1.5 }
    if !evidence.fitsGrammar { logit -= 4 }
    if evidence.isPart { logit -= 5 }
    if evidence.isContradicted { logit -= 1.5 }
    logit += Double(min(2, evidence.repetitions)) - 0.4 * Double(evidence.folds)
    logit += weight(ofGlyphs: evidence, isAnnounced: isAnnounced)
    return LogOdds.probability(logit)
  }

  /// The log-odds that the strokes of single characters add (positive) or subtract (negative).
  ///
  /// A positive margin adds 0.9 per unit above 1 or, if that is more, 0.7 per unit above 0 up to `mostOfSmallMargin`. A
  /// negative margin subtracts 0.3 per unit. Fitted on 774 reads of both generated families: 3 of the 528 reads with a
  /// margin of 3 or more were wrong, and 28 of the 106 below zero.
  ///
  /// Strokes confirm characters. They cannot show that the text is a serial, or a complete one, so a read with such a
  /// doubt gains nothing. Neither does a read with a `3` or `5` whose shape could not be checked separately.
  ///
  /// - Parameter touches: Whether characters in this kind of print often touch, so that a refuted character count is
  ///   not evidence against them.
  private static func weight(ofGlyphs evidence: TextEvidence, isAnnounced: Bool, touches: Bool = false) -> Double {
    guard let margin = evidence.glyphMargin else { return 0 }
    guard margin > 0 else { return 0.3 * margin }
    guard isAnnounced, evidence.fitsGrammar, !evidence.isPart, evidence.ground >= LengthProof.leastGround,
      touches || evidence.length != .refuted, evidence.shapes == .fitting
    else { return 0 }
    return min(mostOfGlyphs(evidence), max(0.9 * (margin - 1), min(0.7 * margin, mostOfSmallMargin)))
  }

  /// The most log-odds that a margin of 1.9 to 2.5 adds.
  private static let mostOfSmallMargin = 1.35

  /// The most log-odds that strokes add. Lower if readings differ in length, because strokes also confirm part of a
  /// serial.
  private static func mostOfGlyphs(_ evidence: TextEvidence) -> Double {
    guard evidence.agreement > 0.99 else { return 1.2 }
    return evidence.length == .refuted ? 2 : 2.8
  }

  /// Log-odds subtracted if no label announces the string and it doesn't begin with a frequent plant code.
  ///
  /// 47 % of random twelve-character strings, such as network and licence keys, pass the grammar; for ten or eleven
  /// characters the grammar rules out almost nothing. The penalty is smaller beside a device mark: keyboards, mice and
  /// displays show the serial unlabelled below the model number, where no such keys appear.
  private static func doubt(ofUnlabelled evidence: TextEvidence) -> Double {
    (evidence.isBesideDeviceMark ? 0.8 : 2.5) + (evidence.hasStrictGrammar ? 0 : 1)
  }

  /// Maximum log-odds of ten or eleven unlabelled characters in a device's print. High enough to show the read, too low
  /// to accept it even if the second model agrees.
  private static let mostOfUnlabelled = 0.5

  /// Confidence below which a read made by one or two strategies skips the second opinion: it would not be shown even
  /// if the second model agreed.
  static let leastForSecondOpinion = 0.02

  /// Confidence before the second opinion from which the search for text stops (`settled`) and from which the search
  /// for codes stops too (`certain`). The code search costs a tenth of a read, and a code is the strongest evidence for
  /// or against a text.
  static let settled = 0.9
  static let certain = 0.98

  /// The probability that a read is correct, given the second model's answer.
  ///
  /// A logistic model of the log-odds before the answer. Fitted on 342 reads of both generated families, then adjusted
  /// by hand because wrong reads are too rare for a fit; `docs/experiments.md` has the counts.
  ///
  /// A read that neither the second model nor the strokes confirm is capped: of 25 such reads with 0.8 or more, 6 were
  /// wrong. Strokes that could not be separated confirm nothing.
  ///
  /// - Parameters:
  ///   - answer: The second model's answer.
  ///   - confidence: The probability before.
  ///   - glyphMargin: The stroke margin of the weakest character, as in `TextEvidence`; nil if its strokes could not be
  ///     separated.
  ///   - isOfOneLength: Whether all readings of the line have the same length in at least one strategy.
  package static func confidence(
    after answer: SecondOpinion.Answer, before confidence: Double, glyphMargin: Double?, isOfOneLength: Bool
  ) -> Double {
    var logit = 0.9 * LogOdds.of(confidence, within: 0.02...0.997)
    if answer == .agrees {
      logit += (glyphMargin ?? fairMargin) >= (isOfOneLength ? fairMargin : clearMargin) ? 1.6 : 0.4
    } else {
      if answer.isDoubt, (glyphMargin ?? 0) < clearMargin { logit -= 1.2 }
      switch glyphMargin ?? 0 {
      case ...0: logit = min(logit, mostOfUnsupported)
      case ..<fairMargin: logit = min(logit, mostOfWeak)
      case ..<sturdyMargin where logit < leastOfEase: logit = min(logit, mostOfFair)
      case ..<clearMargin: logit -= doubtOfUnclear
      default: break
      }
      if !isOfOneLength { logit = min(logit, mostOfUnlikeLengths) }
    }
    return LogOdds.probability(logit)
  }

  /// Whether no answer of the second model can lower a read below acceptance. The second model is then skipped, which
  /// saves a third of the time of a run on one photo. If the acceptance threshold is low, the reported confidence must
  /// still be correct, so at least `certain` is required.
  package static func isSettled(
    _ confidence: Double, glyphMargin: Double?, isOfOneLength: Bool, accept: Double
  ) -> Bool {
    let answers: [SecondOpinion.Answer] = [.agrees, .differs(places: 1, isLikely: true), .other]
    return answers.allSatisfy {
      self.confidence(after: $0, before: confidence, glyphMargin: glyphMargin, isOfOneLength: isOfOneLength)
        >= max(accept, certain)
    }
  }

  /// Maximum confidence of a read without a second opinion: the upper end of the range in which a second opinion is
  /// weighed.
  static let mostWithoutOpinion = 0.997

  /// Margin of the weakest character from which strokes confirm a read that the second model doubts. None of 51 such
  /// reads of 3 or more was wrong (training sets), but strokes once confirmed a small blurred `8` as `B` with 3.4.
  static let clearMargin = 4.0

  /// Margin of the weakest character below which the second model's agreement carries little weight: 2 of 30 such reads
  /// were wrong (training sets), against 1 of 357 others.
  static let fairMargin = 1.0

  /// Margin of the weakest character below which strokes alone don't make a read acceptable, if the second model
  /// disagreed or was not asked. Of 36 such reads with a margin of 1 or more and a confidence of 0.97 to 0.99, 2 were
  /// wrong.
  private static let sturdyMargin = 2.5

  /// Log-odds before the second opinion (a probability of 0.99) from which a smaller margin is enough: none of 64 such
  /// reads was wrong.
  private static let leastOfEase = 4.135

  /// Maximum log-odds of a read whose margin is below `sturdyMargin`: below acceptance.
  private static let mostOfFair = 3.0

  /// Log-odds subtracted if the second model disagrees and the strokes confirm the read, but not clearly: one of eleven
  /// accepted reads with margins of 2.5 to 4 was wrong.
  private static let doubtOfUnclear = 0.5

  /// Maximum log-odds of a read that no independent evidence confirms (`mostOfUnsupported`; three in four are correct)
  /// and of one that strokes barely confirm (`mostOfWeak`; 15 of 17 were correct).
  private static let mostOfUnsupported = 1.0
  private static let mostOfWeak = 2.0
  /// Maximum log-odds of a read if some readings have more or fewer characters: below acceptance. Touching characters
  /// can hide their count from strokes and readings alike (`LJ` has the ink of a `U`). Of 825 accepted texts on
  /// generated images 16 were of this kind, including the only wrong one.
  private static let mostOfUnlikeLengths = 2.7

  /// The final probability that a labelled read is correct.
  ///
  /// Each penalty was set for its own kind of error, so several together subtract too much: of 73 reads below 0.9, 62
  /// were correct, against 48 predicted. This line, fitted on those reads, compresses their log-odds. It ends at 0.953,
  /// so acceptance does not change.
  ///
  /// If three or more strategies read the same text and none read another, single confidences matter little: of 60 such
  /// reads below 0.2, 51 were correct. Their line is flatter and ends at 0.958.
  ///
  /// - Parameter isBorneOut: Whether at least three strategies read the text and none read another.
  package static func evened(_ confidence: Double, isBorneOut: Bool = false) -> Double {
    let logOdds = LogOdds.of(confidence, within: 0.0001...0.9999)
    let line = isBorneOut ? 2.2 + 0.3 * logOdds : 1.2 + 0.6 * logOdds
    return max(confidence, LogOdds.probability(line))
  }

  /// Whether a read's characters are clear regardless of other doubts: either the strokes clearly confirm every
  /// character, or the independently trained second model agrees and the strokes confirm them well enough.
  ///
  /// Background at both ends is not required: none of 175 such reads without it was wrong.
  static func isClear(_ evidence: TextEvidence, secondOpinion answer: SecondOpinion.Answer?) -> Bool {
    guard let margin = evidence.glyphMargin, evidence.shapes == .fitting, evidence.fitsGrammar, !evidence.isContradicted
    else { return false }
    return margin >= clearMargin || (answer == .agrees && margin >= fairMargin)
  }

  /// Confidence from which a read with a clear label and clear characters is raised to `ofClear`: none of 77 such reads
  /// between this and 0.97 was wrong.
  static let leastOfClear = 0.75
  static let ofClear = 0.98

  /// Maximum probability of a text if another reading of the photo shows one or two characters more: of 11 such reads
  /// with 10 or 11 characters and 0.4 or more, 8 were correct, against 550 of 558 others.
  static let mostOfContinued = 0.75

  /// Maximum probability of a text without background beside its first or last character. Set by hand, below
  /// acceptance: it is unknown how often something covers the end of a serial.
  static let mostOfCovered = 0.75

  /// Maximum probability of a text on which the second model was not asked because several others came first. Set by
  /// hand, below acceptance.
  static let mostUnasked = 0.9

  /// Maximum probability of a text announced by a sign instead of a label. Set by hand, below acceptance: it is unknown
  /// how often other strings with a serial's format are photographed this way.
  static let mostBySign = 0.9

  /// Maximum probability of a serial if the photo names other makers and not Apple, and of one that resembles other
  /// makers' serials if the photo doesn't name Apple. Set by hand, below what is shown by default: none of eleven such
  /// reads was correct.
  static let mostOfOtherMakers = 0.3
  /// The same for a serial that begins with a frequent plant code; below acceptance.
  static let mostOfOtherMakersByPlant = 0.75

  /// Maximum probability of a text in small print if crops in two scales disagree or the strokes don't separate its
  /// look-alikes. Set by hand, below acceptance.
  static let mostOfSmallPrint = 0.9

  /// Maximum probability of a sample or mask, which no device carries.
  static let mostOfPlaceholder = 0.02

  /// The maximum probability of a serial, given the makers that the photo names.
  package static func most(of serial: SerialNumber, among makers: MakersSeen) -> Double {
    if makers.areOthersAlone { return serial.hasFrequentPlant ? mostOfOtherMakersByPlant : mostOfOtherMakers }
    return (serial.isMostlyDigits || serial.isShapedLikeOthers) && !makers.isAppleNamed ? mostOfOtherMakers : 1
  }

  /// Maximum probability of a text that cannot be an Apple serial, either a misread or another maker's; below what is
  /// shown by default.
  static let mostOutsideGrammar = 0.3

  /// The probability whose log-odds are the mean of the given ones; 0 if empty.
  static func meanOfLogOdds(_ confidences: [Double]) -> Double {
    guard !confidences.isEmpty else { return 0 }
    let sum = confidences.reduce(0) { $0 + LogOdds.of($1, within: 0.002...0.998) }
    return LogOdds.probability(sum / Double(confidences.count))
  }
}
