import AppleSerial
import ScanModel

/// How sure each serial of a photo is, all said and done: by what its strategies found, what a second model said of it, and whose devices
/// the photo names.
package struct SerialJudgement {
  /// What the second model was asked of a serial.
  private enum Opinion {
    /// No answer could bring the serial below acceptance, so that it was not asked.
    case settled
    case answered(SecondOpinion.Answer)
  }

  /// Serials of one place that the second model is asked about, at most; of further ones none is accepted.
  private static let mostAskedOfPlace = 4
  /// Characters of the longest serial: what is as long goes on nowhere.
  private static let longestSerial = 12
  /// Serials of all places that it is asked about, at most.
  private static let mostAsked = 64

  /// The serials, the most probable first before they are judged.
  let fused: [FusedSerial]
  let textSeen: TextSeen
  let thresholds: ReadingThresholds
  /// The configuration codes that are known.
  let codes: ConfigurationCodes
  private var opinions: [Int: Opinion] = [:]
  /// Whether the photo shows where it begins and ends, of the serials that this was measured of.
  private var showsEnds: [Int: Bool] = [:]

  /// - Parameters:
  ///   - textSeen: What was read in the photo.
  ///   - thresholds: What the verdict is made by.
  ///   - codes: The configuration codes that are known.
  package init(
    _ fused: [FusedSerial], textSeen: TextSeen, thresholds: ReadingThresholds,
    codes: ConfigurationCodes = ConfigurationCodes()
  ) {
    (self.fused, self.textSeen, self.thresholds, self.codes) = (fused, textSeen, thresholds, codes)
  }

  /// The serial that the second model is to be asked about: one that leads at its place, where it was not asked about and the answer may change
  /// its verdict; nil where there is none.
  ///
  /// Where the first one falls behind a rival, that one is asked about too: none is accepted unasked.
  package mutating func nextToAsk() -> Int? {
    while let index = unheardLeader {
      let serial = fused[index]
      guard
        Calibration.isSettled(
          serial.confidence, glyphMargin: serial.evidence?.glyphMargin, isOfOneLength: serial.isOfOneLength,
          accept: thresholds.accept)
      else { return index }
      opinions[index] = .settled
    }
    return nil
  }

  /// Takes in what the second model said of a serial.
  package mutating func note(_ answer: SecondOpinion.Answer, on index: Int) { opinions[index] = .answered(answer) }

  /// The serial whose ends are to be measured: one that would be accepted, was read from text alone, and is shorter than the longest, so that it
  /// may be what is left of a longer one; nil if there is none.
  var nextToMeasure: Int? {
    fused.indices.first {
      showsEnds[$0] == nil && fused[$0].isTextAlone && fused[$0].serial.utf8.count < Self.longestSerial
        && confidence($0) >= thresholds.accept
    }
  }

  /// Takes in whether the photo shows where a serial begins and ends.
  mutating func note(showsEnds isShown: Bool, on index: Int) { showsEnds[index] = isShown }

  /// Whether something may cover the beginning or the end of a serial.
  func mayBeCovered(_ index: Int) -> Bool { showsEnds[index] == false }

  /// Whether the most probable serial would be accepted.
  var isAccepted: Bool { (fused.indices.map(told).max() ?? 0) >= thresholds.accept }

  /// What the second model said of a serial; nil where it was not asked.
  func answer(on index: Int) -> SecondOpinion.Answer? {
    guard case .answered(let answer) = opinions[index] else { return nil }
    return answer
  }

  /// The serials that would be shown and lead at their places, the most probable first, where whose devices the photo names is left aside.
  var leadersOfAnyMaker: [Int] {
    let confidences = fused.indices.map(evened)
    return leaders(confidences).filter { confidences[$0] >= thresholds.refuse }
  }

  /// The probability of a serial where whose devices the photo names is left aside.
  func evened(_ index: Int) -> Double {
    let serial = fused[index]
    let confidence = evenedOut(heard(index), index)
    guard serial.isTextAlone, textSeen.continues(serial.serial) else { return confidence }
    return min(confidence, Calibration.mostOfContinued)
  }

  /// The probability of a serial.
  package func confidence(_ index: Int) -> Double {
    min(
      evened(index), mostByMaker(index), fused[index].mostByPrint, mayBeCovered(index) ? Calibration.mostOfCovered : 1)
  }

  /// What is left of a serial's probability after each step of its judgement, in order.
  func steps(_ index: Int) -> [(step: String, probability: Double)] {
    let serial = fused[index]
    return [
      ("what read it, together", serial.undisputed), ("other serials at its place", serial.confidence),
      ("second model", heard(index)), ("evened out", evenedOut(heard(index), index)),
      ("longer words", evened(index)), ("makers", min(evened(index), mostByMaker(index))),
      ("small print, samples", min(evened(index), mostByMaker(index), fused[index].mostByPrint)),
      ("ground at its ends", confidence(index)),
    ]
  }

  /// The greatest probability of a serial, by whose devices the photo names.
  func mostByMaker(_ index: Int) -> Double {
    guard let serial = SerialNumber(fused[index].serial) else {
      return fused[index].isTextAlone ? Calibration.mostOutsideGrammar : 1
    }
    return Calibration.most(of: serial, among: textSeen.makers)
  }

  private var unheardLeader: Int? {
    if opinions.isEmpty, fused.first?.isWorthSecondOpinion ?? false { return 0 }
    guard opinions.count < Self.mostAsked else { return nil }
    let confidences = fused.indices.map(confidence)
    let leaders = leaders(confidences)
    return leaders.first { index in
      (index == leaders[0] || confidences[index] >= thresholds.refuse) && opinions[index] == nil
        && fused[index].isWorthSecondOpinion && !hasAskedEnough(about: index)
    }
  }

  /// The serials that are the most probable ones of their places, the most probable first.
  private func leaders(_ confidences: [Double]) -> [Int] {
    let order = confidences.indices.sorted { (confidences[$1], $0) < (confidences[$0], $1) }
    return order.reduce(into: []) { leaders, index in
      if !leaders.contains(where: { fused[$0].competes(with: fused[index]) }) { leaders.append(index) }
    }
  }

  /// Whether the second model was asked often enough about a serial's place.
  private func hasAskedEnough(about index: Int) -> Bool {
    opinions.count >= Self.mostAsked
      || opinions.keys.count { fused[$0].competes(with: fused[index]) } >= Self.mostAskedOfPlace
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
    if opinions[index] == nil, serial.isTextAlone, hasAskedEnough(about: index) {
      confidence = min(confidence, Calibration.mostUnasked)
    }
    return confidence
  }
}
