import AppleSerial
import ReaderProtocol

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Turns evidence into a probability.
enum Calibration {
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
    if evidence.keyword == 0 { logit -= evidence.hasFrequentPlant ? 0.5 : doubtOfUnlabelled }
    if !evidence.fitsGrammar { logit -= 2.5 }
    return 1 / (1 + exp(-logit))
  }

  /// What is taken off the log-odds of a string that no label announces and no frequent plant code begins: of random
  /// strings of twelve characters, such as network keys and licence keys, 47 % pass the grammar.
  static let doubtOfUnlabelled = 2.5

  /// Confidence below which no second opinion could lift a read to acceptance.
  static let leastForSecondOpinion = 0.3

  /// Confidence before the second opinion from which no further strategy is tried.
  static let settled = 0.9

  /// The probability that a read is right, given what a second opinion said of it.
  ///
  /// A logistic model of the log-odds before. Fitted on 342 reads of both families of generated pictures, and moved by hand
  /// since on 500 of the field family, because reads are too rarely wrong for a fit: `docs/reading.md` has the counts. Of 230
  /// reads that the second model agreed with, 2 were wrong; of 180 others, 10.
  static func confidence(_ read: SerialRead, _ answer: SecondOpinion.Answer) -> Double {
    let before = min(0.997, max(0.02, read.confidence))
    let logit = 0.9 * log(before / (1 - before)) + (answer == .agrees ? 1.6 : answer.isDoubt ? -1.2 : 0)
    return 1 / (1 + exp(-logit))
  }

  /// The probability whose log-odds are the mean of several; 0 for none.
  static func meanOfLogOdds(_ confidences: [Double]) -> Double {
    guard !confidences.isEmpty else { return 0 }
    let sum = confidences.reduce(0) { sum, confidence in
      let kept = min(0.998, max(0.002, confidence))
      return sum + log(kept / (1 - kept))
    }
    return 1 / (1 + exp(-sum / Double(confidences.count)))
  }

  /// How sure a code's payload is to be the device's serial.
  ///
  /// Codes are hardly ever misread, but beside a serial's stand those of parts, orders and assets: the longer forms with
  /// their grammar and the data identifier tell it from them, ten characters alone hardly do.
  static func confidence(ofCode serial: SerialNumber, isIdentified: Bool) -> Double {
    let certain = isIdentified ? 0.99 : 0.97
    return switch serial.format {
    case .twelve: certain
    case .eleven: certain - 0.02
    case .ten: isIdentified ? 0.97 : 0.85
    }
  }
}
