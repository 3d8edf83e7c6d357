import AppleSerial
import Imaging
import ScanModel

/// The readings of one value in several crop variants, with the ink that each shows.
struct ValueReadings {
  private struct Reading {
    var value: ValueText
    var crop: LineCrop
    var ink: LengthProof

    /// Whether the ink confirms the number of characters read.
    var verdict: LengthProof.Verdict { ink.verdict(for: value.text.count) }
    /// The smaller background margin of its two ends, in capital heights.
    var leastGround: Double { min(ink.groundBefore, ink.groundAfter) }

    /// Whether one reading is enough: no other string of its lattice comes near, and its ink has as many characters,
    /// with background on both sides, because a lattice doesn't show what was cut off.
    func isSure(_ lattice: LatticeDecoder?) -> Bool {
      value.folds == 0 && value.spaces == 0 && verdict == .proven && leastGround >= LengthProof.leastGround
        && lattice?.settles(value.text) ?? false
    }
  }

  private var readings: [Reading] = []
  private var strokes = GlyphVote()
  /// Number of readings made, including those without a value.
  private var tried = 0
  /// The serials that the first reading's lattice may hold.
  private var lattice: LatticeDecoder?
  /// Whether the first reading alone is enough.
  private var isFirstSure = false

  /// Vote margin from which a value is settled.
  private static let settledMargin: Float = 2

  /// Whether enough readings agree, or one alone is enough, so that no further one is needed.
  var isSettled: Bool {
    guard tried >= LabelledTextPass.leastReadings || isFirstSure, let vote else { return false }
    return vote.agreement == 1 && vote.leastMargin >= Self.settledMargin
  }

  private var vote: Vote? { Vote(readings.map(\.value), tried: tried) }

  /// Adds the reading of one crop.
  ///
  /// - Parameters:
  ///   - value: The value read; nil if the crop held none.
  ///   - crop: The crop.
  ///   - isSmall: Whether its print is small in the photo: one reading is then never enough.
  mutating func add(_ value: ValueText?, in crop: LineCrop, isSmall: Bool) {
    tried += 1
    guard let value else { return }
    let columns = max(0, value.left - 6)...max(value.right + 6, value.left)
    let ink = LengthProof(crop.picture, columns: columns, capitalHeight: crop.capital)
    let reading = Reading(value: value, crop: crop, ink: ink)
    readings.append(reading)
    strokes.add(ink.pieces, of: crop.picture, capital: Float(crop.capital))
    guard tried == 1 else { return }
    lattice = LatticeDecoder(value.steps, readAs: value.text)
    isFirstSure = !isSmall && reading.isSure(lattice) && strokes.bearOut(value.text)
  }

  /// The serial on which the readings agree; nil if they agree on none or the announcement doesn't allow it.
  ///
  /// - Parameters:
  ///   - label: The value's announcement.
  ///   - segment: The value's part of its line.
  ///   - line: Index of that line.
  func serial(announcedBy label: Announcement, _ segment: TextSegment, line: Int) -> LabelledRead? {
    guard var vote, label.allows(vote),
      let place = Vote.representative(of: vote.text, among: readings.map(\.value.text))
    else { return nil }
    let read = vote.text
    let alike = readings.filter { $0.value.text.count == vote.text.count }
    let placed = readings[place]
    let likely = LikelyText(vote.text, margins: vote.margins, tallies: vote.tallies, strokes: strokes)
    (vote.text, vote.margins) = (likely.text, likely.margins)
    return LabelledRead(
      vote: vote, isVoteSettled: isSettled,
      isUnanimousInScales: likely.text == read && isUnanimousInScales(vote), label: label.strengths,
      relation: label.relation, labelText: label.text, length: Self.length(alike),
      ground: alike.map(\.leastGround).max() ?? 0, shapes: shapes(of: vote.text, alike, likely),
      glyphMargin: likely.opinion?.leastMargin,
      latticeMargin: lattice?.margin(of: likely.text).map(Double.init),
      strokes: likely.opinion?.logProbabilities ?? [:],
      characters: likely.characters(tallies: vote.tallies),
      lacksBeginning: label.relation != .above && LabelKeywords.holdsBeginningOfValue(label.text),
      capitalHeight: Double(segment.capitalHeight), line: line,
      region: placed.crop.region(
        of: placed.crop.columns(of: vote.text, readFrom: placed.value.left, to: placed.value.right)),
      recognised: placed.crop.recognised(from: placed.value.left, to: placed.value.right))
  }

  /// As in `TextEvidence`.
  private func isUnanimousInScales(_ vote: Vote) -> Bool {
    vote.agreement == 1 && vote.isUnanimous && readings.map(\.crop.variant.heightFactor).areScales
  }

  /// The verdict of several readings' ink on their length.
  private static func length(_ readings: [Reading]) -> LengthProof.Verdict {
    let verdicts = Set(readings.map(\.verdict))
    if verdicts.contains(.proven) == verdicts.contains(.refuted) { return .possible }
    return verdicts.contains(.proven) ? .proven : .refuted
  }

  /// The strokes' verdict on the digits of a text.
  private func shapes(of text: [UInt8], _ alike: [Reading], _ likely: LikelyText) -> TextEvidence.Shapes {
    TextEvidence.Shapes(
      refuting: alike.count { ShapeCheck(crop: $0.crop.picture, characters: $0.ink.pieces).refutes(text) },
      of: readings.count, isSeen: likely.hasSeenAll || alike.contains { $0.ink.pieces.count == text.count },
      glyphMargin: likely.opinion?.leastMargin)
  }
}

extension TextEvidence.Shapes {
  /// Derives the verdict on a text. It is doubtful if at least half of the readings refute its digits, unless every
  /// character is clearly confirmed.
  ///
  /// - Parameters:
  ///   - refuting: Number of readings that refute it.
  ///   - readings: Number of readings.
  ///   - isSeen: Whether any reading found the digits' strokes.
  ///   - glyphMargin: As in `TextEvidence`.
  package init(refuting: Int, of readings: Int, isSeen: Bool, glyphMargin: Double?) {
    if (glyphMargin ?? 0) >= Calibration.clearMargin {
      self = .fitting
    } else if 2 * refuting >= max(1, readings) {
      self = .doubtful
    } else {
      self = isSeen ? .fitting : .unchecked
    }
  }
}

/// A serial read as a value with its label, and the evidence for it.
struct LabelledRead: Sendable {
  /// The result of the vote.
  var vote: Vote
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
