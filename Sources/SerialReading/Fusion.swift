import AppleSerial
import ReaderProtocol

/// Brings together what the strategies found.
package struct Fusion {
  private var candidates: [Candidate] = []

  package init() {}

  /// Takes in what a strategy found.
  package mutating func add(_ found: [Candidate]) { candidates += found }

  /// The serials, most probable first, each once.
  ///
  /// Text and code that agree were read independently: what is left of doubt is the product of both doubts. The same
  /// text read again by another strategy is no second witness, since it errs alike: the strategies' log-odds are
  /// averaged, so that the one that is surest does not silence those that saw reason to doubt.
  package var serials: [FusedSerial] {
    var fused: [FusedSerial] = []
    for candidate in candidates {
      if let same = fused.firstIndex(where: { $0.serial == candidate.serial }) {
        fused[same].add(candidate)
      } else {
        fused.append(FusedSerial(candidate))
      }
    }
    return lessContradictions(fused).sorted { $0.confidence > $1.confidence }
  }

  /// A code and a text that say different things of one device can't both be right; nor can two texts that differ in a
  /// few places, since they were read off the same line.
  ///
  /// Where one text is another without its first or last characters, these were lost at the end of a cut: of 29 such pairs on
  /// generated pictures of both families whose longer text was told at 0.25 or more, that one had the right length in all.
  private func lessContradictions(_ fused: [FusedSerial]) -> [FusedSerial] {
    fused.map { serial in
      var serial = serial
      let others = fused.filter {
        $0.serial != serial.serial && ($0.methods != serial.methods || $0.isNear(serial)) && !$0.isCutShort(of: serial)
      }
      if let strongest = others.map(\.confidence).max(), !serial.isConfirmedByBoth {
        serial.trust = 1 - 0.5 * strongest
      }
      if others.contains(where: serial.isCutShort) { serial.trust *= FusedSerial.trustOfCut }
      serial.isUnanimous = !fused.contains(where: serial.isContradicted)
      return serial
    }
  }
}

/// A serial with everything that found it.
package struct FusedSerial {
  package let serial: String
  /// The candidate that is most sure of it.
  private(set) var best: Candidate
  private(set) var methods: Set<Candidate.Method>
  private var confidencesByMethod: [Candidate.Method: [Double]]
  /// Probability that it is the device's serial before other serials cast doubt on it, 0...1.
  private var undisputed: Double
  /// What other serials leave of it, 0...1.
  fileprivate(set) var trust = 1.0
  /// The strategies that read it from text.
  private var textStrategies: Set<String>
  /// Whether no strategy read another serial from text.
  fileprivate(set) var isUnanimous = true

  init(_ candidate: Candidate) {
    serial = candidate.serial
    best = candidate
    methods = [candidate.method]
    confidencesByMethod = [candidate.method: [candidate.confidence]]
    undisputed = candidate.confidence
    textStrategies = candidate.method == .tesseract ? [candidate.strategy] : []
  }

  /// Probability that it is the device's serial, 0...1.
  package var confidence: Double { undisputed * trust }

  /// Whether a code and the text hold it.
  var isConfirmedByBoth: Bool { methods.count > 1 }

  mutating func add(_ candidate: Candidate) {
    if candidate.confidence > best.confidence { best = candidate }
    methods.insert(candidate.method)
    if candidate.method == .tesseract { textStrategies.insert(candidate.strategy) }
    confidencesByMethod[candidate.method, default: []].append(candidate.confidence)
    undisputed = 1 - confidencesByMethod.reduce(1) { $0 * (1 - Self.pooled($1.value, $1.key)) }
  }

  /// What several strategies of one method say together: of a code, which is hardly ever misread, the surest says it all.
  private static func pooled(_ confidences: [Double], _ method: Candidate.Method) -> Double {
    switch method {
    case .barcode: confidences.max() ?? 0
    case .tesseract: Calibration.meanOfLogOdds(confidences)
    }
  }

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

  /// Whether another text speaks against this one: a different reading of its line, or any that is more than noise.
  fileprivate func isContradicted(by other: FusedSerial) -> Bool {
    other.serial != serial && other.methods.contains(.tesseract)
      && (other.undisputed >= Self.leastOfContradiction || isNear(other))
  }

  /// Confidence below which a text of another place is noise: other words that were cut so that they look like a serial.
  private static let leastOfContradiction = 0.02

  /// What is left of a text that another one continues, 0...1.
  fileprivate static let trustOfCut = 0.2
  /// Confidence from which a longer text continues a shorter one; below, it holds a neighbour's character.
  private static let leastOfLonger = 0.25

  /// Whether both were read from text, and this one lacks one or two characters at an end of the other.
  func isCutShort(of other: FusedSerial) -> Bool {
    methods == [.tesseract] && other.methods == [.tesseract] && other.undisputed >= Self.leastOfLonger
      && (1...2).contains(other.serial.count - serial.count)
      && (other.serial.hasPrefix(serial) || other.serial.hasSuffix(serial))
  }

  /// The confidence of the strategy that is surest of it: where it suffices, further strategies have nothing to add.
  package var surest: Double { max(best.confidence, undisputed) * trust }

  /// Whether so many strategies read it from text, and none another serial, that they bear it out together; what breaks the grammar
  /// they misread alike.
  package var isBorneOutByStrategies: Bool {
    isUnanimous && textStrategies.count >= Self.strategiesThatBearOut && SerialNumber(serial) != nil
  }

  /// How many strategies that say the same bear a text out: of 41 reads of two that none contradicts, told below 0.2 in the mean, 25
  /// were right; of 60 of three or more 51.
  private static let strategiesThatBearOut = 3

  /// What its surest read rests on, where that was read from text.
  var evidence: TextEvidence? { best.evidence }

  /// Whether text alone holds it.
  var isTextAlone: Bool { methods == [.tesseract] }

  /// Whether text alone holds it, with a label that announces it.
  var isAnnouncedText: Bool {
    isTextAlone && (best.evidence?.keyword ?? 0) >= LabelKeywords.Strengths.least
  }

  /// As the result shows it.
  var read: SerialRead {
    SerialRead(
      serial: serial, confidence: confidence,
      method: isConfirmedByBoth ? "barcode+tesseract" : best.method.rawValue, strategy: best.strategy,
      roiIndex: best.roiIndex, region: best.region, isValid: SerialNumber(serial) != nil)
  }
}
