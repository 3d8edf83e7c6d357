import AppleSerial
import ReaderProtocol

/// How sure each serial of a photo is, all said and done: by what its strategies found, what a second model said of it, and whose devices
/// the photo names.
package struct SerialJudgement {
  /// What the second model was asked of a serial.
  private enum Opinion {
    /// No answer could bring the serial below acceptance, so that it was not asked.
    case settled
    case answered(SecondOpinion.Answer)
  }

  /// Serials that the second model is asked about, at most; of further ones none is accepted.
  private static let mostAsked = 4

  /// The serials, the most probable first before they are judged.
  let fused: [FusedSerial]
  let textSeen: TextSeen
  private let accept: Double
  private var opinions: [Int: Opinion] = [:]

  /// - Parameters:
  ///   - textSeen: What was read in the photo.
  ///   - accept: Confidence from which a serial is taken without asking.
  package init(_ fused: [FusedSerial], textSeen: TextSeen, accept: Double) {
    (self.fused, self.textSeen, self.accept) = (fused, textSeen, accept)
  }

  /// The serial that the second model is to be asked about: the one that leads, where it was not asked about and the answer may change the
  /// verdict; nil where there is none.
  ///
  /// Where the first one falls behind a rival, that one is asked about too: none is accepted unasked.
  package mutating func nextToAsk() -> Int? {
    while let index = unheardLeader, opinions.count < Self.mostAsked {
      let serial = fused[index]
      guard
        Calibration.isSettled(
          serial.confidence, glyphMargin: serial.evidence?.glyphMargin, isOfOneLength: serial.isOfOneLength,
          accept: accept)
      else { return index }
      opinions[index] = .settled
    }
    return nil
  }

  /// Takes in what the second model said of a serial.
  package mutating func note(_ answer: SecondOpinion.Answer, on index: Int) { opinions[index] = .answered(answer) }

  /// What the second model said of a serial; nil where it was not asked.
  func answer(on index: Int) -> SecondOpinion.Answer? {
    guard case .answered(let answer) = opinions[index] else { return nil }
    return answer
  }

  /// The serial that leads where whose devices the photo names is left aside; nil for none.
  var leaderOfAnyMaker: Int? { leader(evened) }

  /// The probability of a serial where whose devices the photo names is left aside.
  func evened(_ index: Int) -> Double {
    let serial = fused[index]
    let confidence = evenedOut(heard(index), index)
    guard serial.isTextAlone, textSeen.continues(serial.serial) else { return confidence }
    return min(confidence, Calibration.mostOfContinued)
  }

  /// The probability of a serial.
  package func confidence(_ index: Int) -> Double {
    min(evened(index), mostByMaker(index), fused[index].mostByPrint)
  }

  /// The greatest probability of a serial, by whose devices the photo names.
  func mostByMaker(_ index: Int) -> Double {
    guard let serial = SerialNumber(fused[index].serial) else {
      return fused[index].isTextAlone ? Calibration.mostOutsideGrammar : 1
    }
    return Calibration.most(of: serial, among: textSeen.makers)
  }

  private var unheardLeader: Int? {
    let isFirst = opinions.isEmpty && (fused.first?.isWorthSecondOpinion ?? false)
    guard let index = isFirst ? 0 : leader(confidence), opinions[index] == nil, fused[index].isWorthSecondOpinion else {
      return nil
    }
    return index
  }

  private func leader(_ confidence: (Int) -> Double) -> Int? {
    let confidences = fused.indices.map(confidence)
    return confidences.indices.max { (confidences[$0], $1) < (confidences[$1], $0) }
  }

  /// The probability of a serial after what the second model said of it.
  private func heard(_ index: Int) -> Double {
    let serial = fused[index]
    switch opinions[index] {
    case .answered(let answer):
      return Calibration.confidence(
        after: answer, before: serial.confidence, glyphMargin: serial.evidence?.glyphMargin,
        isOfOneLength: serial.isOfOneLength)
    case .settled: return min(serial.confidence, Calibration.mostWithoutOpinion)
    case nil: return serial.confidence
    }
  }

  /// Evens out what was read from text.
  private func evenedOut(_ before: Double, _ index: Int) -> Double {
    let (serial, opinion) = (fused[index], answer(on: index))
    var confidence = before
    if !serial.isPart, !serial.isRefuted, serial.isAnnouncedText || serial.hasRareSign {
      let evened = Calibration.evened(before, isBorneOut: serial.isBorneOut(secondOpinion: opinion))
      confidence = serial.isAnnouncedText ? evened : max(before, min(evened, Calibration.mostBySign))
    }
    if confidence >= Calibration.leastOfClear, serial.isClear(secondOpinion: opinion) {
      confidence = max(confidence, Calibration.ofClear)
    }
    if serial.restsOnSign { confidence = min(confidence, Calibration.mostBySign) }
    if opinions.count >= Self.mostAsked, opinions[index] == nil, serial.isTextAlone {
      confidence = min(confidence, Calibration.mostUnasked)
    }
    return confidence
  }
}
