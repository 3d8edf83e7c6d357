import AppleSerial
import ScanModel

/// The final confidence of each serial of a photo, from its candidates, the second model's answers and the makers that
/// the photo names.
package struct SerialJudgement {
  /// The second model's opinion of a serial.
  private enum Opinion {
    /// It was not asked, because no answer could lower the confidence below acceptance.
    case settled
    case answered(SecondOpinion.Answer)
  }

  /// The most serials of one place that the second model is asked about. Further ones can't be accepted.
  private static let mostAskedOfPlace = 4
  /// The length of the longest serial in characters. A serial of this length cannot be part of a longer one.
  private static let longestSerial = 12
  /// The most serials of all places that the second model is asked about.
  private static let mostAsked = 64

  /// The serials, most probable first before judgement.
  let fused: [FusedSerial]
  let textSeen: TextSeen
  let thresholds: ReadingThresholds
  /// The known configuration codes.
  let codes: ConfigurationCodes
  private var opinions: [Int: Opinion] = [:]
  /// Whether the photo shows where a serial begins and ends, by index of the measured serials.
  private var showsEnds: [Int: Bool] = [:]

  /// Creates a judgement.
  ///
  /// - Parameters:
  ///   - textSeen: The text read in the photo.
  ///   - thresholds: The thresholds for the verdict.
  ///   - codes: The known configuration codes.
  package init(
    _ fused: [FusedSerial], textSeen: TextSeen, thresholds: ReadingThresholds,
    codes: ConfigurationCodes = ConfigurationCodes()
  ) {
    (self.fused, self.textSeen, self.thresholds, self.codes) = (fused, textSeen, thresholds, codes)
  }

  /// The next serial to ask the second model about; nil if there is none.
  ///
  /// It is a serial that leads at its place, was not asked about, and whose verdict the answer may change. If its
  /// confidence falls below a rival's, that one is asked about too, so that each accepted serial was asked about.
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

  /// Records the second model's answer on a serial.
  package mutating func note(_ answer: SecondOpinion.Answer, on index: Int) { opinions[index] = .answered(answer) }

  /// The next serial whose ends need measuring; nil if there is none.
  ///
  /// It is a serial that would be accepted, was read only from text, and is short enough to be part of a longer one.
  var nextToMeasure: Int? {
    fused.indices.first {
      showsEnds[$0] == nil && fused[$0].isTextAlone && fused[$0].serial.utf8.count < Self.longestSerial
        && confidence($0) >= thresholds.accept
    }
  }

  /// Records whether the photo shows where a serial begins and ends.
  mutating func note(showsEnds isShown: Bool, on index: Int) { showsEnds[index] = isShown }

  /// Whether something may cover the beginning or the end of a serial.
  func mayBeCovered(_ index: Int) -> Bool { showsEnds[index] == false }

  /// Whether the most probable serial would be accepted.
  var isAccepted: Bool { (fused.indices.map(told).max() ?? 0) >= thresholds.accept }

  /// The second model's answer on a serial; nil if it was not asked.
  func answer(on index: Int) -> SecondOpinion.Answer? {
    guard case .answered(let answer) = opinions[index] else { return nil }
    return answer
  }

  /// The serials that lead at their places and would be shown, most probable first, regardless of the makers that the
  /// photo names.
  var leadersOfAnyMaker: [Int] {
    let confidences = fused.indices.map(evened)
    return leaders(confidences).filter { confidences[$0] >= thresholds.refuse }
  }

  /// The probability of a serial regardless of the makers that the photo names.
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

  /// The probability of a serial after each step of its judgement, in order.
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

  /// The greatest probability of a serial that the makers named in the photo allow.
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

  /// The most probable serial of each place, most probable first.
  private func leaders(_ confidences: [Double]) -> [Int] {
    let order = confidences.indices.sorted { (confidences[$1], $0) < (confidences[$0], $1) }
    return order.reduce(into: []) { leaders, index in
      if !leaders.contains(where: { fused[$0].competes(with: fused[index]) }) { leaders.append(index) }
    }
  }

  /// Whether the second model has reached its limit of questions about a serial's place.
  private func hasAskedEnough(about index: Int) -> Bool {
    opinions.count >= Self.mostAsked
      || opinions.keys.count { fused[$0].competes(with: fused[index]) } >= Self.mostAskedOfPlace
  }

  /// The probability of a serial after the second model's answer.
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

  /// Evens out the probability of a serial that was read from text.
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
