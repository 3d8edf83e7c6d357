import AppleSerial
import ScanModel

/// A serial read as a value with its label, and what the read rests on.
struct LabelledRead: Sendable {
  /// What the readings agreed on.
  var vote: ValueVote
  /// Whether no further reading was needed.
  var isVoteSettled: Bool
  /// As in `TextEvidence`.
  var isUnanimousInScales: Bool
  /// How strongly a serial's label stands beside it.
  var label: LabelKeywords.Strengths
  /// Where that label stands; nil for none.
  var relation: LabelPlace.Relation?
  /// The label's text as read, for the trace.
  var labelText: String
  /// What the ink says of the number of characters, over the readings.
  var length: LengthProof.Verdict
  /// Least ground that the crops show at both ends, in heights of capitals.
  var ground: Double
  /// What the strokes of its digits say.
  var shapes = TextEvidence.Shapes.fitting
  /// What single characters' strokes say of the weakest one, as in `TextEvidence`.
  var glyphMargin: Double?
  /// What its strokes say of each place, as in `TextEvidence`.
  var strokes: [Int: [Float]] = [:]
  /// Its characters, as in `TextEvidence`.
  var characters: [CharacterRead] = []
  /// Whether the value's first characters seem to stand at the end of its label.
  var lacksBeginning = false
  /// Whether it seems to go on in what stands close beside it.
  private(set) var goesOn = false
  /// Whether a device's model number or approval stands beside it, as in `TextEvidence`.
  var isBesideDeviceMark = false
  /// Height of the capitals in the picture that was read, in pixels.
  var capitalHeight: Double
  /// Index of the line.
  var line: Int
  /// Other lines that say the same.
  var repetitions = 0
  /// Whether something else was read off the same line, announced as clearly: at most one of them is right.
  var isContradicted = false
  /// Where it stands, in pixels of the photo as uploaded.
  var region: Quadrilateral
  /// As in `Candidate`.
  var recognised: Quadrilateral

  /// Notes what was read together with it and what stands close beside it: a space is as good as the ground that the crops did not show.
  mutating func note(goesOn: Bool) {
    self.goesOn = goesOn
    if !goesOn { ground = max(ground, LengthProof.leastGround) }
  }

  /// The serial.
  var serial: String { vote.string }
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool { SerialNumber(serial) != nil }
  /// Whether it begins with a plant code that many serials begin with.
  var hasFrequentPlant: Bool { SerialNumber(serial)?.hasFrequentPlant ?? false }
  private var isPart: Bool { lacksBeginning || goesOn }
  /// As in `TextEvidence`; a device's mark is a better sign.
  private var restsOnSign: Bool {
    !hasFrequentPlant && relation != .besideDeviceMark && relation?.isSign ?? false
  }
  /// As in `TextEvidence`: words that were misread have one digit at most.
  private var hasRareSign: Bool {
    relation == .closeUp || relation == .aboveIdentifier
      || (relation == .cutOff && vote.text.count { $0 <= UInt8(ascii: "9") } >= 2)
  }
  /// Whether it is clear enough that no other line need be read.
  var isSettled: Bool { label.announcesSerial && length == .proven && isClear }
  /// Whether it is clear, and the photo shows little else.
  var isClearCloseUp: Bool { relation == .closeUp && length != .refuted && isClear }
  private var isClear: Bool {
    fitsGrammar && isVoteSettled
      && !isPart && shapes != .doubtful && ground >= LengthProof.leastGround
  }
}

extension LabelledRead {
  /// What the read rests on.
  var evidence: TextEvidence {
    TextEvidence(
      leastMargin: Double(vote.leastMargin), agreement: Double(vote.agreement), readings: vote.readings,
      keyword: min(5.5, label.serial), repetitions: repetitions, contradiction: 0, fitsGrammar: fitsGrammar,
      hasStrictGrammar: vote.text.count == 12, hasFrequentPlant: hasFrequentPlant, folds: vote.folds,
      capitalHeight: capitalHeight, length: length,
      ground: ground, shapes: shapes, glyphMargin: glyphMargin, strokes: strokes, characters: characters,
      isPart: isPart,
      isBesideDeviceMark: isBesideDeviceMark || (relation?.isSign ?? false), restsOnSign: restsOnSign,
      hasRareSign: hasRareSign, isContradicted: isContradicted, isUnanimousInScales: isUnanimousInScales)
  }

  /// This read as a candidate of a strategy.
  func candidate(strategy: String) -> Candidate {
    let evidence = evidence
    return Candidate(
      serial: serial, method: .tesseract, strategy: strategy,
      confidence: Calibration.confidence(ofLabelled: evidence, isAnnounced: label.announcesSerial), evidence: evidence,
      roiIndex: line, region: region, recognised: recognised)
  }
}

extension StrategyOutcome {
  /// What came of a strategy that reads values with their labels.
  init(_ reads: [LabelledRead], strategy: String, summary: String, exhaustsText: Bool = false) {
    self.init(
      candidates: reads.map { $0.candidate(strategy: strategy) }.sorted { $0.confidence > $1.confidence },
      summary: summary, exhaustsText: exhaustsText)
  }
}
