import AppleSerial
import ScanModel

/// A serial with everything that found it.
package struct FusedSerial {
  package let serial: String
  /// The candidate that is most sure of it.
  private var best: Candidate
  /// What found it, in order; never empty.
  private var candidates: [Candidate]
  /// Where it was found, as in `Spots`; empty where no candidate's place is known.
  private var spots: Set<Int>
  /// Whether the place of a candidate is not known, so that it may be any other's.
  private var isPlaceless: Bool
  /// How clearly a label announces it before texts that are misread as another serial: 0 for none, 1.5...5.5.
  private var keywordOfMisreadings = 0.0
  /// What other serials leave of it, 0...1.
  private var trust = 1.0
  /// Whether no strategy read another serial from text.
  private var isUnanimous = true
  /// Whether the strokes of its line say that it is another text, misread.
  package private(set) var isRefuted = false
  /// Whether a code says nearly the same, so that this is that misread.
  private(set) var isOverruled = false
  /// Whether another serial takes confidence from it, and whether a text continues it.
  private(set) var isDisputed = false
  private(set) var isCut = false

  init(_ candidate: Candidate, at spot: Int?) {
    (serial, best, candidates) = (candidate.serial, candidate, [candidate])
    (spots, isPlaceless) = (Set(spot.map { [$0] } ?? []), spot == nil)
  }

  mutating func add(_ candidate: Candidate, at spot: Int?) {
    if candidate.confidence > best.confidence { best = candidate }
    candidates.append(candidate)
    if let spot { spots.insert(spot) } else { isPlaceless = true }
  }

  /// Whether both were read at one spot, or may have been.
  func competes(with other: FusedSerial) -> Bool {
    isPlaceless || other.isPlaceless || !spots.isDisjoint(with: other.spots)
  }

  private var methods: Set<Candidate.Method> { Set(candidates.map(\.method)) }

  /// Probability that it is the device's serial, 0...1.
  package var confidence: Double { undisputed * trust }

  /// Whether a code and the text hold it.
  private var isConfirmedByBoth: Bool { methods.count > 1 }

  /// How clearly a label announces the text, at best: 0 for none, 1.5...5.5.
  private var keyword: Double { max(keywordOfMisreadings, candidates.compactMap(\.evidence?.keyword).max() ?? 0) }

  /// What is left of it beside all that was found.
  ///
  /// Only what stands at the same spot says anything against it. A code and a text that say different things there can't both be right; nor can
  /// two texts of one line.
  ///
  /// Where one text is another without its first or last characters, these were lost at the end of a cut: of 29 such pairs on
  /// generated pictures of both families whose longer text was told at 0.25 or more, that one had the right length in all.
  ///
  /// A text that is nearly a code's serial is that serial misread: so were all of 4 on 4,500 generated pictures. Its label is the
  /// code's.
  func weighed(against all: [FusedSerial]) -> FusedSerial {
    var weighed = self
    let others = all.filter { $0.serial != serial && competes(with: $0) }
    let misreadings = others.filter { $0.isMisreading(of: self) }
    let codes = others.filter { isMisreading(of: $0) }
    weighed.keywordOfMisreadings = misreadings.map(\.keyword).max() ?? 0
    weighed.isOverruled = !codes.isEmpty
    weighed.isUnanimous = !others.contains(where: isContradicted)
    let disputing = others.filter(disputes).filter { strokeLead(over: $0) ?? 0 < Self.clearLead }
    weighed.isDisputed = !disputing.isEmpty && !isConfirmedByBoth
    if let strongest = disputing.map(\.confidence).max(), !isConfirmedByBoth { weighed.trust = 1 - 0.5 * strongest }
    weighed.isRefuted = disputing.contains(where: isRefuted)
    if weighed.isRefuted { weighed.trust *= Self.trustOfRefuted }
    if let code = codes.map(\.confidence).max() { weighed.trust *= 1 - code }
    if let text = misreadings.map(\.confidence).max() { weighed.trust *= 1 - Self.doubtOfMisread * text }
    weighed.isCut = others.contains(where: isCutShort)
    if weighed.isCut { weighed.trust *= Self.trustOfCut }
    return weighed
  }

  /// Whether at most one of both is right, and neither is the other misread beside a code, or cut short.
  private func disputes(_ other: FusedSerial) -> Bool {
    !other.isMisreading(of: self) && !isMisreading(of: other) && !other.isCutShort(of: self)
      && (other.methods != methods || other.isNear(self) || isOfOneLine(with: other))
  }

  /// Whether both were read off the same line, however unlike they are, and the other is more than noise.
  private func isOfOneLine(with other: FusedSerial) -> Bool {
    isTextAlone && other.isTextAlone && other.undisputed >= Self.leastToReport && !spots.isDisjoint(with: other.spots)
  }

  /// By how much the strokes of its line fit it better than another text that was read off the same line, where both differ: a natural
  /// logarithm, in the mean over both texts' cuts; nil where it is no such text, or the strokes could not be parted.
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

  /// Whether the strokes of its line say that it is another text, misread, more clearly than it was read more surely than that.
  private func isRefuted(by other: FusedSerial) -> Bool {
    guard let lead = other.strokeLead(over: self), lead >= Self.clearLead else { return false }
    func logOdds(_ serial: FusedSerial) -> Double { LogOdds.of(serial.undisputed, within: 0.001...0.999) }
    return logOdds(other) + lead > logOdds(self)
  }

  /// Lead of strokes from which one of two texts of a line is the other one misread.
  private static let clearLead = 1.0
  /// What is left of the other one, 0...1.
  private static let trustOfRefuted = 0.2

  /// Probability that it is the device's serial before other serials cast doubt on it, 0...1.
  ///
  /// A code that the text agrees with holds the characters beyond doubt. Whether they are a serial the text's label says, however hard the
  /// text was to read: of 101 serials of generated pictures that code and text agreed on, 13 of them at less than 0.97 before, all
  /// were right.
  var undisputed: Double {
    let text = Calibration.meanOfLogOdds(confidences(of: .tesseract))
    // A code is hardly ever misread: the surest says it all.
    guard let code = confidences(of: .barcode).max() else { return text }
    return 1 - (1 - code) * min(1 - text, Self.doubt(ofLabel: keyword))
  }

  private func confidences(of method: Candidate.Method) -> [Double] {
    candidates.filter { $0.method == method }.map(\.confidence)
  }

  /// Probability that what a label announces is no serial: a misread one may be another's.
  private static func doubt(ofLabel keyword: Double) -> Double {
    switch keyword {
    case LabelKeywords.Strengths.short...: 0.04
    case LabelKeywords.Strengths.least...: 0.1
    default: 1
    }
  }

  /// Whether a code holds it.
  var isOfCode: Bool { methods.contains(.barcode) }

  /// Whether it is text alone that says nearly what a code says: the code's serial printed beside it, and misread.
  private func isMisreading(of code: FusedSerial) -> Bool { isTextAlone && code.isOfCode && isNear(code) }

  /// Whether it is text alone that says something else than a code does, and both are more than noise.
  func contradicts(_ code: FusedSerial) -> Bool {
    isTextAlone && min(undisputed, code.undisputed) >= Self.leastToReport
  }

  /// Confidence from which a code and a text that differ are worth the user's attention.
  private static let leastToReport = 0.25
  /// What a code loses by the text beside it that says nearly the same, as a share of the text's confidence.
  private static let doubtOfMisread = 0.1

  /// Whether another serial may be a different reading of the same line.
  func isNear(_ other: FusedSerial) -> Bool {
    if let differences = Confusions.differences(serial, other.serial) { return differences.all <= 3 }
    let (short, long) = serial.count < other.serial.count ? (serial, other.serial) : (other.serial, serial)
    // One or two characters dropped: the shorter stands in the longer, in order.
    var rest = long[...]
    for character in short {
      guard let place = rest.firstIndex(of: character) else { return false }
      rest = rest[rest.index(after: place)...]
    }
    return true
  }

  /// Whether another text speaks against this one: a different reading of its line that strokes do not refute, or any that is more than noise.
  private func isContradicted(by other: FusedSerial) -> Bool {
    guard other.methods.contains(.tesseract) else { return false }
    return other.undisputed >= Self.leastOfContradiction
      || (isNear(other) && strokeLead(over: other) ?? 0 < Self.clearLead)
  }

  /// Confidence below which a text of another place is noise: other words that were cut so that they look like a serial.
  private static let leastOfContradiction = 0.02

  /// What is left of a text that another one continues, 0...1.
  static let trustOfCut = 0.2
  /// Confidence from which a longer text continues a shorter one; below, it holds a neighbour's character.
  private static let leastOfLonger = 0.25

  /// Whether both were read from text, and this one lacks one or two characters at an end of the other.
  private func isCutShort(of other: FusedSerial) -> Bool {
    methods == [.tesseract] && other.methods == [.tesseract] && other.undisputed >= Self.leastOfLonger
      && (1...2).contains(other.serial.count - serial.count)
      && (other.serial.hasPrefix(serial) || other.serial.hasSuffix(serial))
  }

  /// The confidence of the strategy that is surest of it: where it suffices, further strategies have nothing to add.
  package var surest: Double { max(best.confidence, undisputed) * trust }

  /// Whether so many strategies read it from text, and none another serial, that they bear it out together; what breaks the grammar
  /// they misread alike. Where none of them read it with ease, the strokes of its characters must bear it out, or the second model, asked,
  /// must have seen no reason to doubt.
  package func isBorneOut(secondOpinion answer: SecondOpinion.Answer?) -> Bool {
    guard isAgreedOn else { return false }
    let texts = candidates.compactMap(\.evidence)
    return texts.contains { $0.agreedMargin >= Self.marginThatBearsOut }
      || texts.contains { $0.glyphMargin ?? -.infinity >= Calibration.fairMargin } || !(answer ?? .none).leavesDoubt
  }

  /// Whether so many strategies read it from text, and none another serial, and it fits the grammar.
  private var isAgreedOn: Bool {
    isUnanimous && textStrategies.count >= Self.strategiesThatBearOut && SerialNumber(serial) != nil
  }

  /// Whether what a second model says of it may decide whether it is shown.
  var isWorthSecondOpinion: Bool {
    isTextAlone && (confidence >= Calibration.leastForSecondOpinion || isAgreedOn)
  }

  private var textStrategies: Set<String> {
    Set(candidates.filter { $0.method == .tesseract }.map(\.strategy))
  }

  /// Whether it is what is left of a text that goes on: of five such reads of one draw none was right.
  package var isPart: Bool { isTextAlone && candidates.allSatisfy { $0.evidence?.isPart ?? false } }

  /// How many strategies that say the same bear a text out: of 41 reads of two that none contradicts, told below 0.2 in the mean, 25
  /// were right; of 60 of three or more 51.
  private static let strategiesThatBearOut = 3
  /// Margin of the best of such reads, times the share of its readings that agreed, from which no second opinion is needed: 68 of 71 were right
  /// then. Below, 15 of 18 were where the second model saw no reason to doubt, 6 of 7 others that strokes bore out, and 2 of 9 that nothing did.
  private static let marginThatBearsOut = 2.2

  /// What its surest read rests on, where that was read from text.
  var evidence: TextEvidence? { best.evidence }

  /// Whether a strategy read its line with as many characters every time.
  var isOfOneLength: Bool { candidates.contains { $0.evidence?.agreement == 1 } }

  /// Whether text alone holds it.
  var isTextAlone: Bool { methods == [.tesseract] }

  /// Whether text alone holds it, with a label that announces it, and no code says otherwise.
  var isAnnouncedText: Bool {
    isTextAlone && !isOverruled
      && (candidates.compactMap(\.evidence?.keyword).max() ?? 0) >= LabelKeywords.Strengths.least
  }

  /// Whether text alone holds it, behind a label of which every letter is right, with as many characters in every reading, all of them clear.
  package func isClear(secondOpinion answer: SecondOpinion.Answer?) -> Bool {
    isAnnouncedText && keyword >= LabelKeywords.Strengths.short && isOfOneLength && !isPart
      && (evidence.map { Calibration.isClear($0, secondOpinion: answer) } ?? false)
  }

  /// Whether text alone holds it, and in every strategy a sign stands for its label.
  var restsOnSign: Bool { isTextAlone && candidates.allSatisfy { $0.evidence?.restsOnSign ?? false } }

  /// Whether text alone holds it, and no label announces it, but a sign that hardly any other text has.
  var hasRareSign: Bool { isTextAlone && !isAnnouncedText && candidates.contains { $0.evidence?.hasRareSign ?? false } }

  /// As the result shows it, at the place where the recogniser has it: what further questions are asked of.
  var asked: SerialRead {
    var asked = read
    asked.region = best.recognised ?? best.region
    return asked
  }

  /// Other places that say the same: of each spot the surest candidate's.
  private var otherPlaces: [Quadrilateral] {
    let regions = candidates.sorted { $0.confidence > $1.confidence }.compactMap(\.region)
    var kept = [best.region].compactMap(\.self)
    for region in regions {
      guard let box = PrintedBox(region) else { continue }
      if !kept.compactMap(PrintedBox.init).contains(where: { $0.isOneLine(with: box) }) { kept.append(region) }
    }
    return Array(kept.dropFirst(best.region == nil ? 0 : 1))
  }

  /// Every place that says it.
  var places: [Quadrilateral] { [best.region].compactMap(\.self) + otherPlaces }

  /// Whether it is a device's serial by what announces it: a code, a label, or the beginning that few other strings have.
  var isDevice: Bool {
    isOfCode || isAnnouncedText || candidates.contains { $0.evidence?.hasFrequentPlant ?? false }
  }

  /// As the result shows it.
  var read: SerialRead {
    SerialRead(
      serial: serial, confidence: confidence,
      method: isConfirmedByBoth ? "barcode+tesseract" : best.method.rawValue, strategy: best.strategy,
      roiIndex: best.roiIndex, region: best.region, isValid: SerialNumber(serial) != nil, characters: characters,
      places: otherPlaces)
  }

  /// Its characters as the surest of its texts has them; nil where no strategy read it from text.
  private var characters: [CharacterRead]? {
    candidates.filter { $0.evidence != nil }.max { $0.confidence < $1.confidence }?.evidence?.characters
  }
}
