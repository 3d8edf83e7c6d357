import AppleSerial
import ScanModel

/// A serial with all candidates that found it.
package struct FusedSerial {
  package let serial: String
  /// The candidate with the highest confidence.
  private var best: Candidate
  /// The candidates that count, in the order found, each with its spot, as in `Spots` (nil if its place is unknown);
  /// never empty.
  private var found: [(candidate: Candidate, spot: Int?)]
  private var candidates: [Candidate] { found.map(\.candidate) }
  /// The candidates at spots where it was read less surely, which don't count.
  private var elsewhere: [Candidate] = []
  /// The spots where it was found, as in `Spots`; empty if no candidate's place is known.
  private var spots: Set<Int>
  /// Whether a candidate's place is unknown, so that it may be the same as any other's.
  private var isPlaceless: Bool
  /// The strength of the label before texts that are misreadings of it: 0 for no label, 1.5...5.5.
  private var keywordOfMisreadings = 0.0
  /// The factor on its confidence left by competing serials, 0...1.
  private(set) var trust = 1.0
  /// Whether the strokes of its line show that it is a misreading of another text.
  package private(set) var isRefuted = false
  /// Whether it is a misreading of a code's serial.
  private(set) var isOverruled = false
  /// Whether another serial reduces its confidence, and whether a longer text continues it.
  private(set) var isDisputed = false
  private(set) var isCut = false

  init(_ candidate: Candidate, at spot: Int?) {
    (serial, best, found) = (candidate.serial, candidate, [(candidate, spot)])
    (spots, isPlaceless) = (Set(spot.map { [$0] } ?? []), spot == nil)
  }

  mutating func add(_ candidate: Candidate, at spot: Int?) {
    if candidate.confidence > best.confidence { best = candidate }
    found.append((candidate, spot))
    if let spot { spots.insert(spot) } else { isPlaceless = true }
  }

  /// Whether both were, or may have been, read at the same spot.
  func competes(with other: FusedSerial) -> Bool {
    isPlaceless || other.isPlaceless || !spots.isDisjoint(with: other.spots)
  }

  private var methods: Set<Candidate.Method> { Set(candidates.map(\.method)) }

  /// The probability that it is the device's serial, 0...1, without a second opinion.
  package var confidence: Double { confidence(after: nil) }

  /// The probability that it is the device's serial, 0...1, given the second model's answer and the share of its doubt
  /// that a known configuration code may remove.
  func confidence(after answer: SecondOpinion.Answer?, knownCode share: Double = 0) -> Double {
    undisputed(after: answer, knownCode: share) * trust
  }

  /// Whether both a code and text contain it.
  private var isConfirmedByBoth: Bool { methods.count > 1 }

  /// The strength of the clearest label before the text: 0 for no label, 1.5...5.5.
  private var keyword: Double { max(keywordOfMisreadings, candidates.compactMap(\.evidence?.keyword).max() ?? 0) }

  /// The serial with its confidence reduced by competing serials, at the spot where that leaves most.
  ///
  /// A device may tell its serial twice, and the print that is harder to read says nothing against the other.
  func weighed(against all: [FusedSerial]) -> FusedSerial {
    guard spots.count > 1 else { return weighedAtItsSpot(against: all) }
    let each = spots.sorted().map { at($0).weighedAtItsSpot(against: all) }
    guard var surest = each.max(by: { $0.confidence < $1.confidence }) else { return self }
    (surest.spots, surest.isPlaceless) = (spots, isPlaceless)
    return surest
  }

  /// The serial as it was, or may have been, read at one spot. Codes that contain it count at every spot.
  private func at(_ spot: Int) -> FusedSerial {
    func isHere(_ candidate: Candidate, _ place: Int?) -> Bool { candidate.method == .barcode || place ?? spot == spot }
    var one = self
    one.found = found.filter(isHere)
    one.elsewhere = found.filter { !isHere($0, $1) }.map(\.candidate)
    one.best = one.candidates.max { $0.confidence < $1.confidence } ?? best
    one.spots = [spot]
    return one
  }

  /// The serial with its confidence reduced by the serials that compete at its spots.
  ///
  /// Only serials at the same spot compete. A code and a text that differ there can't both be right, and neither can
  /// two texts of one line.
  ///
  /// A text that equals another one without its first or last characters was cut short, also if its own end is misread,
  /// as where print along a curve leaves a straight crop.
  ///
  /// A text that nearly equals a code's serial is a misreading of it, and its label counts for the code.
  private func weighedAtItsSpot(against all: [FusedSerial]) -> FusedSerial {
    var weighed = self
    let others = all.filter { $0.serial != serial && competes(with: $0) }
    let misreadings = others.filter { $0.isMisreading(of: self) }
    let codes = others.filter { isMisreading(of: $0) }
    weighed.keywordOfMisreadings = misreadings.map(\.keyword).max() ?? 0
    weighed.isOverruled = !codes.isEmpty
    let disputing = others.filter(disputes).filter { strokeLead(over: $0) ?? 0 < Self.clearLead }
    weighed.isDisputed = !disputing.isEmpty && !isConfirmedByBoth
    if let strongest = disputing.map(\.strengthInDispute).max(), !isConfirmedByBoth {
      weighed.trust = 1 - Self.doubtOfDispute * strongest
    }
    weighed.isRefuted = disputing.contains(where: isRefuted)
    if weighed.isRefuted { weighed.trust *= Self.trustOfRefuted }
    if let code = codes.map(\.confidence).max() { weighed.trust *= 1 - code }
    if let text = misreadings.map(\.confidence).max() { weighed.trust *= 1 - Self.doubtOfMisread * text }
    weighed.isCut = others.contains(where: isCutShort)
    if weighed.isCut { weighed.trust *= Self.trustOfCut }
    return weighed
  }

  /// Whether at most one of both is right, unless one is a misreading of a code or the other one is cut short.
  private func disputes(_ other: FusedSerial) -> Bool {
    !other.isMisreading(of: self) && !isMisreading(of: other) && !other.isCutShort(of: self)
      && (other.methods != methods || other.isNear(self) || isOfOneLine(with: other))
  }

  /// Whether both were read from the same line, however unlike they are, and the other is more than noise.
  private func isOfOneLine(with other: FusedSerial) -> Bool {
    isTextAlone && other.isTextAlone && other.isMoreThanNoise && !spots.isDisjoint(with: other.spots)
  }

  /// How much better than another text of the same line it fits the strokes at the differing characters.
  ///
  /// - Returns: A natural logarithm, averaged over both texts' segmentations; nil if the other is not such a text or
  ///   the strokes could not be segmented.
  private func strokeLead(over other: FusedSerial) -> Double? {
    guard isTextAlone, other.isTextAlone, isNear(other), serial.utf8.count == other.serial.utf8.count else {
      return nil
    }
    let (own, others) = (Array(serial.utf8), Array(other.serial.utf8))
    let differing = own.indices.filter { own[$0] != others[$0] }
    let leads = (candidates + other.candidates).compactMap { $0.evidence?.strokes }.flatMap { strokes in
      differing.compactMap { place in strokes[place].map { GlyphVote.lead(of: own[place], over: others[place], $0) } }
    }
    return leads.isEmpty ? nil : leads.reduce(0, +) * Double(differing.count) / Double(leads.count)
  }

  /// Whether the strokes of its line favour another text by more than its own confidence leads.
  private func isRefuted(by other: FusedSerial) -> Bool {
    guard let lead = other.strokeLead(over: self), lead >= Self.clearLead else { return false }
    func logOdds(_ serial: FusedSerial) -> Double { LogOdds.of(serial.undisputed, within: Self.probabilities) }
    return logOdds(other) + lead > logOdds(self)
  }

  /// The stroke lead from which the other text of a line counts as a misreading.
  private static let clearLead = 1.0
  /// The factor on the confidence of a refuted text, 0...1.
  private static let trustOfRefuted = 0.2
  /// The share of the confidence lost in a dispute with a text as strong as can be.
  static let doubtOfDispute = 0.5
  /// The range of probabilities that are compared as log-odds.
  private static let probabilities = 0.001...0.999

  /// The probability that it is the device's serial before other serials reduce it, 0...1.
  ///
  /// A code that agrees with the text confirms the characters. The text's label then decides whether they are a serial,
  /// however hard the text was to read.
  var undisputed: Double { undisputed(after: nil) }

  private func undisputed(after answer: SecondOpinion.Answer?, knownCode share: Double = 0) -> Double {
    let text = Calibration.confidence(ofTexts: confidences(of: .tesseract), after: answer, knownCode: share)
    // Codes are hardly ever misread, so the highest confidence counts alone.
    guard let code = codeConfidence else { return text }
    return 1 - (1 - code) * min(1 - text, doubtOfLabel)
  }

  /// The confidence of the surest code that contains it; nil if there is none.
  var codeConfidence: Double? { confidences(of: .barcode).max() }

  /// The evidence of each strategy that read it from text.
  var evidences: [TextEvidence] { candidates.compactMap(\.evidence) }

  private func confidences(of method: Candidate.Method) -> [Double] {
    candidates.filter { $0.method == method }.map(\.confidence)
  }

  /// The probability that labelled text is not a serial: the label may be a misread one of another value.
  var doubtOfLabel: Double {
    switch keyword {
    case LabelKeywords.Strengths.short...: Self.doubtsOfLabels.short
    case LabelKeywords.Strengths.least...: Self.doubtsOfLabels.least
    default: 1
    }
  }

  private static let doubtsOfLabels = (short: 0.04, least: 0.1)

  var isOfCode: Bool { methods.contains(.barcode) }

  /// Whether it was read only from text and nearly equals a code's serial: a misreading of that serial printed next to
  /// the code.
  private func isMisreading(of code: FusedSerial) -> Bool { isTextAlone && code.isOfCode && isNear(code) }

  /// Whether it was read only from text, differs from a code, and both are more than noise.
  func contradicts(_ code: FusedSerial) -> Bool {
    isTextAlone && isMoreThanNoise && code.isMoreThanNoise
  }

  /// Whether it may be what a place says, so that it counts against others.
  var isMoreThanNoise: Bool { undisputed >= Self.leastOfPrint }

  /// The least confidence of what is more than noise, such as a text that differs from a code.
  private static let leastOfPrint = 0.25
  /// The confidence that a code loses to a misreading next to it, as a share of the text's confidence.
  private static let doubtOfMisread = 0.1
  /// The most characters in which two readings of the same line differ.
  private static let mostDifferences = 3

  /// Whether another serial may be a different reading of the same line.
  func isNear(_ other: FusedSerial) -> Bool { Self.isNear(serial, other.serial) }

  /// Whether two texts may be different readings of the same line.
  static func isNear(_ serial: String, _ other: String) -> Bool {
    if let differences = Confusions.differences(serial, other) { return differences.all <= mostDifferences }
    let (short, long) = serial.count < other.count ? (serial, other) : (other, serial)
    // One or two characters dropped: the shorter is a subsequence of the longer.
    var rest = long[...]
    for character in short {
      guard let place = rest.firstIndex(of: character) else { return false }
      rest = rest[rest.index(after: place)...]
    }
    return true
  }

  /// The factor on the confidence of a text that another one continues, 0...1.
  static let trustOfCut = 0.2

  /// Whether both were read only from text, and this one lacks one or two characters at an end of the other, where its
  /// last one may differ. A longer text that is not a serial, or noise, has a character read twice or a neighbour's.
  private func isCutShort(of other: FusedSerial) -> Bool {
    methods == [.tesseract] && other.methods == [.tesseract] && SerialNumber(other.serial) != nil
      && other.isMoreThanNoise
      && (1...2).contains(other.serial.count - serial.count)
      && (other.serial.hasPrefix(serial.dropLast()) || other.serial.hasSuffix(serial.dropFirst()))
  }

  /// The confidence of its surest strategy. If it suffices, further strategies cannot improve it.
  package var surest: Double { max(best.confidence, undisputed) * trust }

  /// Whether it is a fragment of a longer text. Such reads are wrong: none of five on generated pictures was right.
  package var isPart: Bool { isTextAlone && candidates.allSatisfy { $0.evidence?.isPart ?? false } }

  /// The evidence of its surest read, if that was read from text.
  var evidence: TextEvidence? { best.evidence }

  /// Whether all readings of a strategy gave its line the same number of characters.
  var isOfOneLength: Bool { candidates.contains { $0.evidence?.agreement == 1 } }

  /// Whether it is shorter than the longest serials, so that it may be part of one.
  var isShort: Bool { serial.utf8.count < SerialNumber.Format.lengths.upperBound }

  /// Whether it begins with a frequent plant code, which names Apple itself.
  var hasFrequentPlant: Bool { SerialNumber(serial)?.hasFrequentPlant ?? false }

  /// Whether it may be part of a longer serial, and no strategy's readings showed ground at both its ends.
  var lacksGround: Bool {
    isShort && !evidences.isEmpty && evidences.allSatisfy { $0.ground < LengthProof.leastGround }
  }

  /// How much it disputes others, 0...1: no more than a text that may be incomplete is reported with.
  private var strengthInDispute: Double {
    isTextAlone && lacksGround ? min(confidence, Calibration.mostOfIncomplete) : confidence
  }

  /// Whether it was read only from text.
  var isTextAlone: Bool { methods == [.tesseract] }

  /// Whether it was read only from text, has a label, and no code contradicts it.
  var isAnnouncedText: Bool {
    isTextAlone && !isOverruled
      && (candidates.compactMap(\.evidence?.keyword).max() ?? 0) >= LabelKeywords.Strengths.least
  }

  /// Whether evidence independent of its reading confirms it: the strokes of its characters, or the second model where
  /// they do not contradict or the first model was sure. If the second model doubts, the strokes must be clear, or the
  /// first model sure besides. Also a label or a frequent plant, and in small print two scales. A code confirms itself.
  func isConfirmed(by answer: SecondOpinion.Answer?) -> Bool {
    guard isTextAlone, let evidence else { return true }
    let strokes = evidence.glyphMargin ?? 0
    let isClear = strokes >= Calibration.fairMargin
    let isSure = (evidence.latticeMargin ?? 0) >= Calibration.sureMargin
    let isBorneOut = answer == .agrees ? isClear || isSure : isClear && isOfOneLength
    let isDoubted = (answer?.isDoubt ?? false) && strokes < Calibration.clearMargin && !isSure
    // Half of all random strings of twelve characters break their grammar, hardly any shorter one does.
    let isDevices = isAnnouncedText || (evidence.hasFrequentPlant && !isShort)
    return isBorneOut && !isDoubted && isDevices && !isUnsureSmallPrint
  }

  /// The read at the place that the recogniser reported, which the second model is asked about.
  var asked: SerialRead {
    var asked = read
    asked.region = best.recognised ?? best.region
    return asked
  }

  /// The strip in which its most confident candidate was read; nil for straight text and codes.
  var unrolled: UnrolledRead? { best.unrolled }

  /// Every place where it was read, the most confident candidate's first.
  var places: [Quadrilateral] {
    let regions = (candidates + elsewhere).sorted { $0.confidence > $1.confidence }.compactMap(\.region)
    let first = best.region.map { [(region: $0, box: PrintedBox($0))] } ?? []
    let others = regions.map { (region: $0, box: PrintedBox($0)) }.filter { $0.box != nil }
    return (first + others).distinct { kept, next in
      guard let box = kept.box, let other = next.box else { return false }
      return box.isOneLine(with: other)
    }
    .map(\.region)
  }

  /// Whether a code, a label or a plant prefix that few other strings have identifies it as a device's serial.
  var isDevice: Bool {
    isOfCode || isAnnouncedText || (candidates + elsewhere).contains { $0.evidence?.hasFrequentPlant ?? false }
  }

  /// The read as the result shows it.
  var read: SerialRead {
    SerialRead(
      serial: serial, confidence: confidence,
      method: isConfirmedByBoth ? "barcode+tesseract" : best.method.rawValue, strategy: best.strategy,
      roiIndex: best.roiIndex, region: best.region, isValid: SerialNumber(serial) != nil, characters: characters,
      places: Array(places.dropFirst(best.region == nil ? 0 : 1)))
  }

  /// The characters of its most confident text; nil if no strategy read it from text.
  private var characters: [CharacterRead]? {
    candidates.filter { $0.evidence != nil }.max { $0.confidence < $1.confidence }?.evidence?.characters
  }
}

/// Merges the candidates of all strategies. Serials compete only at the same spot of the photo: two labels belong to
/// two devices and do not contradict each other.
package struct Fusion {
  /// All candidates, in the order in which they were found.
  private(set) var candidates: [Candidate] = []

  package init() {}

  package mutating func add(_ found: [Candidate]) { candidates += found }

  /// The distinct serials, most probable first.
  ///
  /// Text and code are independent witnesses, so the doubt of serials that both agree on is the product of their
  /// doubts. Another strategy that reads the same text makes the same errors, so the log-odds of text strategies are
  /// averaged: the surest one does not outvote those that saw reason to doubt.
  package var serials: [FusedSerial] {
    let fused = fused
    return fused.map { $0.weighed(against: fused) }.sorted { $0.confidence > $1.confidence }
  }

  /// Notes on codes and texts that differ, for the user to compare.
  package var notes: [String] {
    let fused = fused
    return fused.filter(\.isOfCode).compactMap { code in
      let beside = fused.filter { $0.contradicts(code) && $0.competes(with: code) }
      guard let text = beside.max(by: { $0.confidence < $1.confidence }) else {
        return nil
      }
      let advice = text.isNear(code) ? "compare both with the photo" : "check which belongs to the device"
      return "A code says \(code.serial), the text \(text.serial): \(advice)."
    }
  }

  private var fused: [FusedSerial] {
    var fused: [FusedSerial] = []
    for (candidate, spot) in zip(candidates, Spots(candidates).indices) {
      if let same = fused.firstIndex(where: { $0.serial == candidate.serial }) {
        fused[same].add(candidate, at: spot)
      } else {
        fused.append(FusedSerial(candidate, at: spot))
      }
    }
    return fused
  }
}
