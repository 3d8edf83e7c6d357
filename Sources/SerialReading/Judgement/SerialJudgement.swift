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
  /// The most serials of all places that the second model is asked about.
  private static let mostAsked = 64

  /// The serials, most probable first before judgement.
  let fused: [FusedSerial]
  let textSeen: TextSeen
  let thresholds: ReadingThresholds
  /// The known configuration codes.
  let codes: ConfigurationCodes
  private var opinions: [Int: Opinion] = [:]
  /// What the photo shows beyond the ends of a text.
  enum Ends {
    case onGround
    /// Ground or words, at least one of which.
    case betweenWords
    /// Something that may cover further characters.
    case covered
  }
  /// The ends of the measured serials, by index.
  private var ends: [Int: Ends] = [:]
  /// What may have changed or hidden characters of a text, without a trace in its readings.
  struct Disturbance {
    /// Whether the edge of a shadow or reflection crosses it: such an edge can add a stroke to a character.
    var isInShadow = false
    /// Whether further characters, or parts of those that were read, may be hidden.
    var hidesCharacters = false
  }
  /// The disturbances of the serials checked for them, by index.
  private var disturbances: [Int: Disturbance] = [:]
  /// Whether the picture is damaged, so that a character may look like another one, and nothing in it shows that.
  package var isDamaged = false

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
      guard isSettled(fused[index]) else { return index }
      opinions[index] = .settled
    }
    return nil
  }

  /// Records the second model's answer on a serial.
  package mutating func note(_ answer: SecondOpinion.Answer, on index: Int) { opinions[index] = .answered(answer) }

  /// The next serial whose ends need measuring; nil if there is none.
  ///
  /// It is a serial that would be accepted if it is whole, was read only from text, and is short enough to be part of a
  /// longer one.
  var nextToMeasure: Int? {
    fused.indices.first {
      ends[$0] == nil && fused[$0].isTextAlone && fused[$0].isShort && !isBeginning($0)
        && min(heard($0), mostIfUnconfirmed($0), mostIfImpossible($0)) >= thresholds.accept
    }
  }

  /// The next serial to check for disturbances; nil if there is none. It is one that would be accepted and was read only
  /// from text.
  var nextToCheck: Int? {
    fused.indices.first { disturbances[$0] == nil && fused[$0].isTextAlone && confidence($0) >= thresholds.accept }
  }

  /// Records the disturbances of a serial.
  mutating func note(_ disturbance: Disturbance, on index: Int) { disturbances[index] = disturbance }

  /// Whether only text around a serial shows that it is whole: a longer word was read, or no reading showed ground.
  func needsText(_ index: Int) -> Bool { fused[index].lacksGround || textSeen.continues(fused[index].serial) }

  /// Records what the photo shows beyond the ends of a serial.
  mutating func note(_ ends: Ends, on index: Int) { self.ends[index] = ends }

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
    let confidences = fused.indices.map(regardlessOfMaker)
    return leaders(confidences).filter { confidences[$0] >= thresholds.refuse }
  }

  /// The probability of a serial regardless of the makers that the photo names.
  func regardlessOfMaker(_ index: Int) -> Double {
    min(heard(index), mostIfIncomplete(index), mostIfUnconfirmed(index))
  }

  /// The probability of a serial.
  package func confidence(_ index: Int) -> Double { min(heard(index), veto(index)) }

  /// The probability of a serial after each step of its judgement, in order.
  func steps(_ index: Int) -> [(step: String, probability: Double)] {
    let serial = fused[index]
    let whole = min(heard(index), mostIfIncomplete(index))
    return [
      ("what read it, together", serial.undisputed), ("other serials at its place", serial.confidence),
      ("second model", heard(index)), ("incomplete", whole),
      ("unconfirmed", min(whole, mostIfUnconfirmed(index))), ("impossible", confidence(index)),
      ("damaged file", min(confidence(index), mostIfDamaged)),
    ]
  }

  private var unheardLeader: Int? {
    if opinions.isEmpty, fused.first.map(isWorthAsking(about:)) ?? false { return 0 }
    guard opinions.count < Self.mostAsked else { return nil }
    let confidences = fused.indices.map(confidence)
    let leaders = leaders(confidences)
    return leaders.first { index in
      (index == leaders[0] || confidences[index] >= thresholds.refuse) && opinions[index] == nil
        && isWorthAsking(about: fused[index]) && !hasAskedEnough(about: index)
    }
  }

  /// The most probable serial of each place, most probable first.
  private func leaders(_ confidences: [Double]) -> [Int] {
    confidences.indices.sorted { confidences[$0] > confidences[$1] }
      .distinct { fused[$0].competes(with: fused[$1]) }
  }

  /// Whether the second model has reached its limit of questions about a serial's place.
  private func hasAskedEnough(about index: Int) -> Bool {
    opinions.count >= Self.mostAsked
      || opinions.keys.count { fused[$0].competes(with: fused[index]) } >= Self.mostAskedOfPlace
  }

  /// The probability of a serial after the second model's answer.
  private func heard(_ index: Int) -> Double { fused[index].confidence(after: answer(on: index)) }

  /// Whether the second model's answer may decide whether a serial is shown.
  private func isWorthAsking(about serial: FusedSerial) -> Bool {
    serial.isTextAlone && serial.confidence(after: .agrees) >= thresholds.refuse
  }

  /// Whether no answer of the second model can lower a serial below acceptance. The second model is then skipped, which
  /// saves a third of the time of a run on one photo. If the acceptance threshold is low, the reported confidence must
  /// still be correct, so at least `certain` is required.
  private func isSettled(_ serial: FusedSerial) -> Bool {
    let answers: [SecondOpinion.Answer] = [.differs(places: 1, isLikely: true), .other]
    return answers.allSatisfy {
      min(serial.confidence(after: $0), serial.isConfirmed(by: $0) ? 1 : Calibration.mostOfUnconfirmed)
        >= max(thresholds.accept, Calibration.certain)
    }
  }
}

// The vetoes: what no other evidence outweighs.

extension SerialJudgement {
  /// The greatest probability of a string that no device may have: it breaks the grammar, is a sample or a mask, a word,
  /// a part's, or another maker's.
  func mostIfImpossible(_ index: Int) -> Double {
    let serial = fused[index]
    let isWord = SerialNumber.isWord(serial.serial, isAnnounced: !serial.isTextAlone || serial.isAnnouncedText)
    return min(
      mostByMaker(index), SerialNumber.isPlaceholder(serial.serial) ? Calibration.mostOfPlaceholder : 1,
      isWord ? Calibration.mostOfWord : 1, mostByPart(index))
  }

  /// The greatest probability of a serial that is a part's by its label or by the fields beside it. A frequent plant says
  /// that the part is a device of its own, such as a display.
  func mostByPart(_ index: Int) -> Double {
    let serial = fused[index]
    guard serial.isTextAlone, !serial.hasFrequentPlant else { return 1 }
    let parts = serial.places.compactMap(textSeen.part)
    return parts.map { $0 == .labelOfDevice ? Calibration.mostOfUnconfirmed : Calibration.mostOfPart }.min() ?? 1
  }

  /// The greatest probability of a serial that all vetoes allow.
  func veto(_ index: Int) -> Double { min(mostIfIncomplete(index), mostIfUnconfirmed(index), mostIfImpossible(index)) }

  /// The greatest probability of a serial that the makers named in the photo allow.
  func mostByMaker(_ index: Int) -> Double {
    guard let serial = SerialNumber(fused[index].serial) else {
      return fused[index].isTextAlone ? Calibration.mostOutsideGrammar : 1
    }
    return Calibration.most(of: serial, among: textSeen.makers)
  }

  /// The greatest probability of a text that may be incomplete.
  func mostIfIncomplete(_ index: Int) -> Double {
    if isBeginning(index) { return Calibration.mostOfBeginning }
    return mayBeIncomplete(index) || hidesCharacters(index) ? Calibration.mostOfIncomplete : 1
  }

  /// Whether a text is probably the beginning of a longer serial. What covers the rest may look like bare ground, so
  /// nothing that the photo shows beyond its end settles that.
  private func isBeginning(_ index: Int) -> Bool {
    fused[index].isTextAlone && SerialNumber(fused[index].serial)?.isProbablyBeginning == true
  }

  /// Whether a longer word was read, something may cover an end, or no reading showed ground at both ends of a text short
  /// enough to be part of a longer one: of 12 such reads that would be accepted 3 were wrong.
  func mayBeIncomplete(_ index: Int) -> Bool {
    let serial = fused[index]
    guard !isBeginning(index) else { return true }
    guard serial.isTextAlone, ends[index] != .betweenWords else { return false }
    return needsText(index) || ends[index] == .covered
  }

  func isInShadow(_ index: Int) -> Bool { disturbances[index]?.isInShadow ?? false }
  func hidesCharacters(_ index: Int) -> Bool { disturbances[index]?.hidesCharacters ?? false }

  /// The greatest probability of a text that nothing independent of its reading confirms, or of which too many others
  /// at its place were read.
  func mostIfUnconfirmed(_ index: Int) -> Double {
    let serial = fused[index]
    let isUnasked = opinions[index] == nil && serial.isTextAlone && hasAskedEnough(about: index)
    let isConfirmed = serial.isConfirmed(by: answer(on: index)) && !isUnasked && !isInShadow(index)
    return isConfirmed ? 1 : Calibration.mostOfUnconfirmed
  }

  /// The greatest probability of what was read in a damaged picture: always below acceptance.
  private var mostIfDamaged: Double {
    isDamaged ? min(Calibration.mostOfUnconfirmed, max(0, thresholds.accept.nextDown)) : 1
  }
}

// A known configuration code confirms the last characters of a read, but not the others.

extension SerialJudgement {
  /// The least probability, 0...1, of a read to which a known code adds.
  private static let leastWithCode = 0.9
  /// The confidence below which a character is doubtful on its own, and needs review.
  static let doubtfulCharacter = 0.9

  /// The probability of a serial as reported in the result.
  ///
  /// Equals `confidence(_:)`, plus the evidence of a known configuration code if the only doubt is how hard its
  /// characters are to read, and bounded in a damaged picture. The run decides by `confidence(_:)`, so a known code never
  /// skips a strategy, and damage, which no strategy can settle, never adds one.
  package func told(_ index: Int) -> Double {
    min(fused[index].confidence(after: answer(on: index), knownCode: knownShare(index)), veto(index), mostIfDamaged)
  }

  /// The share of a serial's doubt that lies in characters which a known configuration code confirms; 0 if there is no
  /// such code or another doubt.
  private func knownShare(_ index: Int) -> Double {
    confidence(index) >= Self.leastWithCode ? shareOfCode(index) ?? 0 : 0
  }

  /// The region of the most probable serial, in pixels of the area that is read; nil if no serial would be shown.
  var topRegion: Quadrilateral? {
    guard let top = fused.indices.max(by: { told($0) < told($1) }), told(top) >= thresholds.refuse else { return nil }
    return fused[top].read.region
  }

  /// The share of a serial's doubt that lies in its configuration code; nil if the code says nothing.
  private func shareOfCode(_ index: Int) -> Double? {
    let serial = fused[index]
    guard let parsed = SerialNumber(serial.serial), codes.areSure(of: parsed), isDoubtedInCharactersAlone(index),
      let characters = serial.read.characters, characters.count == serial.serial.utf8.count,
      let code = parsed.meaning?.configurationCode.utf8.count
    else { return nil }
    let before = characters.dropLast(code)
    guard before.allSatisfy({ $0.confidence >= Self.doubtfulCharacter }), !isContradicted(parsed) else { return nil }
    let doubts = characters.map { max(0, 1 - $0.confidence) }
    let all = doubts.reduce(0, +)
    guard all > 0 else { return Double(code) / Double(characters.count) }
    return doubts.suffix(code).reduce(0, +) / all
  }

  /// Whether the legibility of its characters is the only doubt about a serial. A code that fits does not settle any
  /// other doubt.
  private func isDoubtedInCharactersAlone(_ index: Int) -> Bool {
    let serial = fused[index]
    let isWhole = !serial.isPart && !serial.isCut && !textSeen.continues(serial.serial)
    let isAlone = !serial.isOverruled && !serial.isDisputed && !serial.isRefuted
    return isWhole && isAlone && !serial.read.isPlaceholder && mostByMaker(index) == 1 && !serial.isUnsureSmallPrint
      && serial.isAnnouncedText && serial.isOfOneLength && answer(on: index) == .agrees
  }

  /// Whether a model number in the photo is known to have other configuration codes.
  private func isContradicted(_ serial: SerialNumber) -> Bool {
    FieldFinder(textSeen).fields.contains {
      $0.kind == .modelNumber && $0.confidence >= Reading.leastOfContradiction
        && codes.agreement(of: serial, withModel: $0.text) == .contradicts
    }
  }
}

/// A serial of a photo with its final confidence and what it was computed from, for fitting `CalibrationWeights`.
package struct JudgedSerial: Sendable {
  package let serial: String
  /// The probability that it is the device's serial, 0...1.
  package let confidence: Double
  /// The features of its text, the mean over strategies, and the terms of `SerialJudgement` by name.
  package let features: [String: Double]
}

extension SerialJudgement {
  /// Every serial with its features.
  package var judgedSerials: [JudgedSerial] {
    fused.indices.map { index in
      let serial = fused[index]
      var features = serial.meanFeatures
      let answer = answer(on: index)
      features[Calibration.Feature.secondAgrees.rawValue] = answer == .agrees ? 1 : 0
      features[Calibration.Feature.knownCode.rawValue] = Calibration.knownCode(share: knownShare(index))
      features["veto"] = veto(index)
      return JudgedSerial(serial: serial.serial, confidence: confidence(index), features: features)
    }
  }
}

extension FusedSerial {
  /// The mean of each feature over the strategies that read it from text, and the terms that codes and competing
  /// serials add.
  fileprivate var meanFeatures: [String: Double] {
    let texts = evidences.map(Calibration.features)
    var means: [String: Double] = [:]
    for (feature, value) in texts.joined() { means[feature.rawValue, default: 0] += value / Double(texts.count) }
    means["has_text"] = texts.isEmpty ? 0 : 1
    means["code"] = codeConfidence ?? 0
    means["doubt_of_label"] = doubtOfLabel
    means["trust"] = trust
    return means
  }
}
