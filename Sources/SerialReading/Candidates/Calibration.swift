import AppleSerial
import ScanModel

/// Turns evidence into a probability.
package enum Calibration {
  /// How sure an etched line's vote is to be right: a logistic model of what it rests on.
  ///
  /// Set by hand on 120 generated pictures of one family of scenes and looked at on another: below a score of 1 most
  /// reads were wrong, between 1 and 2.3 about one in three, above 2.6 none of 81. Real photos score 2.1 to 3.5.
  static func confidence(_ evidence: TextEvidence) -> Double {
    var logit = -3.2 + 2.4 * evidence.score
    switch evidence.length {
    case .proven: logit += 0.2
    case .possible: break
    case .refuted: logit -= 0.4  // etched characters touch, so their ink is often miscounted
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

  /// How sure a value beside its label is to be right: a logistic model of what it rests on.
  ///
  /// Fitted on 281 reads of generated screens, stickers and look-alikes, then made steeper in the margin: letters of
  /// typefaces that were never seen are misread with margins of 2 to 3, those that were with less than 1.5.
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

  /// What single characters' strokes add to the log-odds, or take off them.
  ///
  /// Of 774 reads of both families (fit sets), 3 of the 528 were wrong whose weakest character's margin was 3 or more (a part of a
  /// serial, another string, a flat-topped 3), 2 of the 74 between 1 and 3, 2 of 25 below that and 28 of 106 below zero. Fitted on these
  /// with what else is known, a unit of margin above zero added 0.5 to 1.3; it counts for 0.9. That was from 1 on for the network these were
  /// judged by. Of 62 reads with a margin of 0 to 2 by the present one, told at 0.67 in the mean with nothing added below 1, 59 were right (field
  /// pictures of a seed), so that it counts for 0.7 from 0 on there; from 2.5 on, where reads are accepted, nothing was changed. Strokes bear out characters;
  /// whether they are a serial, and all of it, they can't tell, so that such doubts stay as they are; nor do they where a `3` or `5`
  /// could not be looked at alone.
  ///
  /// - Parameter touches: Whether characters of such print often touch, so that their count is no proof against them.
  private static func weight(ofGlyphs evidence: TextEvidence, isAnnounced: Bool, touches: Bool = false) -> Double {
    guard let margin = evidence.glyphMargin else { return 0 }
    guard margin > 0 else { return 0.3 * margin }
    guard isAnnounced, evidence.fitsGrammar, !evidence.isPart, evidence.ground >= LengthProof.leastGround,
      touches || evidence.length != .refuted, evidence.shapes == .fitting
    else { return 0 }
    return min(mostOfGlyphs(evidence), max(0.9 * (margin - 1), min(0.7 * margin, mostOfSmallMargin)))
  }

  /// What a margin of 1.9 to 2.5 adds.
  private static let mostOfSmallMargin = 1.35

  /// The most that strokes add: less where readings differ in length, for then the strokes of a part bear out that part.
  private static func mostOfGlyphs(_ evidence: TextEvidence) -> Double {
    guard evidence.agreement > 0.99 else { return 1.2 }
    return evidence.length == .refuted ? 2 : 2.8
  }

  /// What is taken off the log-odds of a string that no label announces and no frequent plant code begins: of random
  /// strings of twelve characters, such as network keys and licence keys, 47 % pass the grammar. On keyboards, mice and
  /// displays the serial stands without a label below the model number, where none of these do;
  /// of ten or eleven characters the grammar says next to nothing.
  private static func doubt(ofUnlabelled evidence: TextEvidence) -> Double {
    (evidence.isBesideDeviceMark ? 0.8 : 2.5) + (evidence.hasStrictGrammar ? 0 : 1)
  }

  /// Log-odds, at most, of ten or eleven characters in a device's print that no label announces: enough to be shown, and too little to be accepted
  /// even where the second model agrees.
  private static let mostOfUnlabelled = 0.5

  /// Confidence below which a read that one or two strategies made is not worth a second opinion: it would not be shown even if that
  /// agreed.
  static let leastForSecondOpinion = 0.02

  /// Confidence before the second opinion from which text is not looked for any more, and from which codes aren't either: those
  /// cost a tenth of a read, and nothing bears a text out, or refutes it, as surely.
  static let settled = 0.9
  static let certain = 0.98

  /// The probability that a read is right, given what a second opinion said of it.
  ///
  /// A logistic model of the log-odds before. Fitted on 342 reads of both families of generated pictures, and moved by hand
  /// since, because reads are too rarely wrong for a fit: `docs/experiments.md` has the counts.
  ///
  /// A read that neither the second model nor single characters' strokes bear out is told at no more than so much: of such reads
  /// that were told at 0.8 or more, 6 of 25 were wrong on pictures of both families, of the other 360 three. Strokes that could not be parted
  /// bear nothing out.
  ///
  /// - Parameters:
  ///   - confidence: The probability before.
  ///   - glyphMargin: What its strokes say of its weakest character, as in `TextEvidence`; nil where they could not be parted.
  ///   - isOfOneLength: Whether all readings of its line have as many characters, in one strategy at least.
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

  /// Whether no answer of the second model can bring a read below acceptance: then that need not be asked, which takes a third of the
  /// time of a program that reads one photo. Where little is asked of acceptance, the confidence that is told must still be right.
  package static func isSettled(
    _ confidence: Double, glyphMargin: Double?, isOfOneLength: Bool, accept: Double
  ) -> Bool {
    let answers: [SecondOpinion.Answer] = [.agrees, .differs(places: 1, isLikely: true), .other]
    return answers.allSatisfy {
      self.confidence(after: $0, before: confidence, glyphMargin: glyphMargin, isOfOneLength: isOfOneLength)
        >= max(accept, certain)
    }
  }

  /// What such a read is told at, at most: as much as the greatest log-odds that a second opinion is weighed with.
  static let mostWithoutOpinion = 0.997

  /// Margin of the weakest character from which strokes bear a read out though the second model doubts it: none of 51 such reads of
  /// 3 or more was wrong (fit sets); a small blurred `8` was borne out as a `B` with 3.4.
  static let clearMargin = 4.0

  /// Margin of the weakest character below which the second model's agreement says little: 2 of 30 such reads were wrong (fit sets),
  /// of 357 others one.
  static let fairMargin = 1.0

  /// Margin of the weakest character below which strokes alone are not enough for a read to be accepted that the second model does not agree with,
  /// or was not asked of: of 36 such reads from 1 on that were told at 0.97 to 0.99, 2 were wrong (3,800 pictures of both families and another,
  /// by the present network).
  private static let sturdyMargin = 2.5

  /// Log-odds from which it is enough nevertheless, 0.99 before: of 64 such reads none was wrong, nor of 25 of real photos that were changed.
  private static let leastOfEase = 4.135

  /// Log-odds, at most, of such a read: below acceptance.
  private static let mostOfFair = 3.0

  /// What is taken off the log-odds of a read that the second model does not agree with, where strokes bear it out but not clearly: of eleven
  /// with margins of 2.5 to 4 that were accepted one was wrong, of 40 others that were too sure to be asked of none.
  private static let doubtOfUnclear = 0.5

  /// Log-odds, at most, of a read that nothing independent bears out: three in four are right; and of one whose strokes hardly do: of 17
  /// such reads 15 were right (fit sets).
  private static let mostOfUnsupported = 1.0
  private static let mostOfWeak = 2.0
  /// The same of a read of which some readings have more or fewer characters: below acceptance, since the count is the one thing that characters
  /// which touch can hide from strokes and readings alike (`LJ` is the ink of a `U`). Of 825 texts accepted before on generated
  /// pictures 16 were such, and the only wrong one among them.
  private static let mostOfUnlikeLengths = 2.7

  /// The probability that a read which its label announces is right, all said and done.
  ///
  /// Each doubt was set for the reads it is to stop, so that where several meet, too much is taken off: of 73 reads below
  /// 0.9 on 590 pictures of both families, 62 were right where 48 were foretold. Their log-odds are drawn together, to a line
  /// that was fitted on these; it ends at 0.953, so that acceptance stays what it was.
  ///
  /// Where three strategies or more read the same and none anything else, little depends on how sure each was: of 148 such reads
  /// below 0.9 in the mean 137 were right, of the 60 below 0.2 51 (2,650 pictures of one family). That line is flatter and ends at 0.958.
  ///
  /// - Parameter isBorneOut: Whether so many strategies read it.
  package static func evened(_ confidence: Double, isBorneOut: Bool = false) -> Double {
    let logOdds = LogOdds.of(confidence, within: 0.0001...0.9999)
    let line = isBorneOut ? 2.2 + 0.3 * logOdds : 1.2 + 0.6 * logOdds
    return max(confidence, LogOdds.probability(line))
  }

  /// Whether the characters of a read are clear beyond what other doubts say: its strokes bear out every one of them, or the second model, which
  /// others trained, agrees and they bear them out well enough.
  ///
  /// Whether ground shows at both ends is not asked: of 175 such reads where it does not none was wrong (3,125 reads of five draws).
  static func isClear(_ evidence: TextEvidence, secondOpinion answer: SecondOpinion.Answer?) -> Bool {
    guard let margin = evidence.glyphMargin, evidence.shapes == .fitting, evidence.fitsGrammar, !evidence.isContradicted
    else { return false }
    return margin >= clearMargin || (answer == .agrees && margin >= fairMargin)
  }

  /// Probability from which a read with a clear label and clear characters is told at `ofClear`: of 77 such reads that were told at
  /// this to 0.97 none was wrong, nor of 730 told at more (as above).
  static let leastOfClear = 0.75
  static let ofClear = 0.98

  /// The greatest probability of a text of which another reading of the photo shows one or two characters more: of 11 such reads with
  /// 10 or 11 characters that were told at 0.4 or more, 8 were right, of 558 others 550 (779 pictures, presets given).
  static let mostOfContinued = 0.75

  /// The greatest probability of a text beside whose first or last character there is no ground: set by hand, below acceptance, since nobody
  /// knows how often something covers the end of a serial.
  static let mostOfCovered = 0.75

  /// The greatest probability of a text that the second model was not asked about, where it was asked about several others before: below
  /// acceptance, set by hand.
  static let mostUnasked = 0.9

  /// The greatest probability of a text that a sign announces in place of a label: set by hand, below acceptance, since nobody knows how often
  /// people photograph other strings of a serial's shape so.
  static let mostBySign = 0.9

  /// The greatest probability of a serial where the photo names other makers and nothing of Apple's, and of one that looks like theirs where it
  /// does not name Apple: set by hand, below what is shown by default. Of eleven such reads of generated pictures none was right.
  static let mostOfOtherMakers = 0.3
  /// The same where the serial begins as Apple's often do; below acceptance.
  static let mostOfOtherMakersByPlant = 0.75

  /// The greatest probability of a text in small print that cuts in two scales do not agree on, or whose look-alikes its strokes do not part: set by
  /// hand, below acceptance.
  static let mostOfSmallPrint = 0.9

  /// The greatest probability of what is a sample or a mask: no device has it.
  static let mostOfPlaceholder = 0.02

  /// The greatest probability of a serial, by whose names the photo shows.
  package static func most(of serial: SerialNumber, among makers: MakersSeen) -> Double {
    if makers.areOthersAlone { return serial.hasFrequentPlant ? mostOfOtherMakersByPlant : mostOfOtherMakers }
    return (serial.isMostlyDigits || serial.isShapedLikeOthers) && !makers.isAppleNamed ? mostOfOtherMakers : 1
  }

  /// The greatest probability of a text that no serial of Apple's can be, below what is shown by default: a misread one, or another maker's.
  static let mostOutsideGrammar = 0.3

  /// The probability whose log-odds are the mean of several; 0 for none.
  static func meanOfLogOdds(_ confidences: [Double]) -> Double {
    guard !confidences.isEmpty else { return 0 }
    let sum = confidences.reduce(0) { $0 + LogOdds.of($1, within: 0.002...0.998) }
    return LogOdds.probability(sum / Double(confidences.count))
  }
}
