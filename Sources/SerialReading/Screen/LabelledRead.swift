import AppleSerial
import ScanModel

/// A serial read as a value with its label, and the evidence for it.
struct LabelledRead: Sendable {
  /// The result of the vote.
  var vote: ValueVote
  /// Whether no further reading was needed.
  var isVoteSettled: Bool
  /// As in `TextEvidence`.
  var isUnanimousInScales: Bool
  /// How strongly the label beside it announces a serial.
  var label: LabelKeywords.Strengths
  /// Position of that label; nil if there is none.
  var relation: LabelPlace.Relation?
  /// The label's recognised text, for the trace.
  var labelText: String
  /// Whether the ink confirms the number of characters, over the readings.
  var length: LengthProof.Verdict
  /// Background at both ends (the smaller of the two) in the crop that shows most of it, in capital heights.
  var ground: Double
  /// The strokes' evidence on its digits.
  var shapes = TextEvidence.Shapes.fitting
  /// Stroke margin of the weakest character, as in `TextEvidence`.
  var glyphMargin: Double?
  /// As in `TextEvidence`.
  var latticeMargin: Double?
  /// Stroke log-probabilities by place, as in `TextEvidence`.
  var strokes: [Int: [Float]] = [:]
  /// Its characters, as in `TextEvidence`.
  var characters: [CharacterRead] = []
  /// Whether the value's first characters seem to stand at the end of its label.
  var lacksBeginning = false
  /// Whether it seems to continue in its close neighbours.
  private(set) var goesOn = false
  /// Whether a device's model number or approval mark stands beside it, as in `TextEvidence`.
  var isBesideDeviceMark = false
  /// Height of the capitals in the image that was read, in pixels.
  var capitalHeight: Double
  /// Index of the line.
  var line: Int
  /// Its quadrilateral, in pixels of the photo as uploaded.
  var region: Quadrilateral
  /// As in `Candidate`.
  var recognised: Quadrilateral

  /// Notes whether the value continues in its close neighbours. A space there is as good as background that the crops
  /// did not show.
  mutating func note(goesOn: Bool) {
    self.goesOn = goesOn
    if !goesOn { ground = max(ground, LengthProof.leastGround) }
  }

  /// The serial.
  var serial: String { vote.string }
  /// Whether it fits the grammar of its length.
  var fitsGrammar: Bool { SerialNumber(serial) != nil }
  /// Whether it begins with a frequent plant code.
  var hasFrequentPlant: Bool { SerialNumber(serial)?.hasFrequentPlant ?? false }
  private var isPart: Bool { lacksBeginning || goesOn }
  /// Whether it is clear enough that no other line needs to be read.
  var isSettled: Bool { label.announcesSerial && length == .proven && isClear }
  /// Whether it is clear and the photo shows little else.
  var isClearCloseUp: Bool { relation == .closeUp && length != .refuted && isClear }
  private var isClear: Bool {
    fitsGrammar && isVoteSettled
      && !isPart && shapes != .doubtful && ground >= LengthProof.leastGround
  }
}

extension LabelledRead {
  /// The evidence for the read.
  var evidence: TextEvidence {
    TextEvidence(
      leastMargin: Double(vote.leastMargin), agreement: Double(vote.agreement),
      keyword: label.announcesSerial ? min(5.5, label.serial) : 0, fitsGrammar: fitsGrammar,
      hasStrictGrammar: vote.text.count == 12, hasFrequentPlant: hasFrequentPlant, capitalHeight: capitalHeight,
      ground: ground, shapes: shapes, glyphMargin: glyphMargin, latticeMargin: latticeMargin, strokes: strokes,
      characters: characters, isPart: isPart, hasSign: isBesideDeviceMark || (relation?.isSign ?? false),
      isUnanimousInScales: isUnanimousInScales)
  }

  /// This read as a candidate of a strategy.
  func candidate(strategy: String) -> Candidate {
    let evidence = evidence
    return Candidate(
      serial: serial, method: .tesseract, strategy: strategy,
      confidence: Calibration.confidence(evidence), evidence: evidence,
      roiIndex: line, region: region, recognised: recognised)
  }
}

extension StrategyOutcome {
  /// Creates the outcome of a strategy that reads values with their labels.
  init(_ reads: [LabelledRead], strategy: String, summary: String, exhaustsText: Bool = false) {
    self.init(
      candidates: reads.map { $0.candidate(strategy: strategy) }.sorted { $0.confidence > $1.confidence },
      summary: summary, exhaustsText: exhaustsText)
  }
}
