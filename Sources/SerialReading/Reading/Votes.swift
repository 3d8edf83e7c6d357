import AppleSerial
import Foundation
import Imaging
import ScanModel
import TextReading

/// The characters that several readings have at one place, each with the weight of its readings.
///
/// Characters keep the order in which they were first read, so their sum is bit-identical in every run.
package struct CharacterTally: Sendable {
  /// The characters read there, in the order of first occurrence.
  private(set) var entries: [(byte: UInt8, weight: Float)] = []
  private(set) var readings = 0

  package init() {}

  /// Adds a reading's character with its log-odds.
  package mutating func add(_ byte: UInt8, _ logOdds: Float) {
    readings += 1
    if let known = entries.firstIndex(where: { $0.byte == byte }) {
      entries[known].weight += logOdds
    } else {
      entries.append((byte, logOdds))
    }
  }

  /// The heaviest character that the grammar allows at a place, for a length. If the grammar allows none of them, the
  /// heaviest of all; nil if none was read.
  func winner(at place: Int, of length: Int) -> UInt8? {
    let order = entries.sorted { ($0.weight, $0.byte) > ($1.weight, $1.byte) }
    let format = SerialNumber.Format(length: length)
    return (order.first { format?.admits($0.byte, at: place) ?? true } ?? order.first)?.byte
  }

  /// Whether all readings have the same character.
  var isUnanimous: Bool { entries.count == 1 }

  /// Log-odds for a character minus those against it, per reading.
  package func margin(of byte: UInt8) -> Float {
    let total = entries.reduce(0) { $0 + $1.weight }
    let own = entries.first { $0.byte == byte }?.weight ?? 0
    return (2 * own - total) / Float(max(1, readings))
  }
}

/// A text that may be a serial, as one reading of its print gives it.
protocol VotedReading: Sendable {
  /// How far beyond its columns ink is counted, in pixels of the crop: for the ground at its ends, and for its
  /// characters.
  static var inkMargins: (ground: Int, characters: Int) { get }
  /// Whether it is read together with other words of its line, whose ink may count as its own.
  static var isBetweenWords: Bool { get }
  var text: [UInt8] { get }
  /// The recogniser's confidence per character, 0...100, minus the cost of replaced look-alikes.
  var confidences: [Float] { get }
  /// How much it counts for the number of characters.
  var rank: Float { get }
  /// Number of characters replaced as look-alikes, and of spaces inside it.
  var folds: Int { get }
  var spaces: Int { get }
  /// Left end of the first character in the crop, in pixels.
  var left: Int { get }
  /// The possible characters at each time step; empty if the recogniser reported none.
  var steps: [CharacterLattice.Step] { get }
  /// Whether no character of it is missing, given the ink of its crop.
  func isWhole(by ink: LengthProof) -> Bool
  /// Right end of its last character's ink.
  func rightEnd(in crop: LineCrop) -> Int
}

/// A vote over several readings of the same print, character by character.
package struct Vote: Sendable {
  /// The text that won.
  var text: [UInt8]
  /// For each place: log-odds for the winner minus those against it, per reading.
  var margins: [Float]
  /// For each place: the characters read there.
  var tallies: [CharacterTally]
  /// Share of the readings that have this length and took part, 0...1.
  var agreement: Float
  /// The most look-alikes replaced in any reading.
  var folds: Int
  /// Whether every reading contains a space.
  package var isParted: Bool

  /// Margin of the weakest place.
  var leastMargin: Float { margins.min() ?? 0 }
  var string: String { String(decoding: text, as: UTF8.self) }
  /// Whether all readings that took part have the same characters.
  var isUnanimous: Bool { tallies.allSatisfy(\.isUnanimous) }

  /// Number of readings that must agree, unless the first is sure on its own.
  static let leastReadings = 3
  /// Margin of the weakest place from which no further reading is needed.
  private static let settledMargin: Float = 2
  /// Margin of the weakest place times agreement that a candidate needs.
  static let leastAgreedMargin: Float = -0.5
  /// Most places in which a reading may differ from the best: one that differs in more is of other text, or shifted by
  /// a character.
  private static let mostDifferences = 4

  /// Whether all readings took part and every place is clear.
  var isSettled: Bool { agreement == 1 && leastMargin >= Self.settledMargin }

  /// Holds a vote over `tried` readings, some of which gave a text; nil if none did.
  init?(_ all: [some VotedReading], tried: Int) {
    var weights: [Int: Float] = [:]
    for reading in all { weights[reading.text.count, default: 0] += max(1, reading.rank) }
    guard let length = weights.max(by: { ($0.value, $0.key) < ($1.value, $1.key) })?.key else { return nil }
    let alike = all.filter { $0.text.count == length }
    guard let best = alike.max(by: { $0.rank < $1.rank }) else { return nil }
    let voters = alike.filter { voter in zip(voter.text, best.text).count { $0 != $1 } <= Self.mostDifferences }
    tallies = (0..<length).map { place in
      var tally = CharacterTally()
      for voter in voters { tally.add(voter.text[place], Self.logOdds(voter.confidences[place])) }
      return tally
    }
    text = tallies.enumerated().map { $1.winner(at: $0, of: length) ?? best.text[$0] }
    margins = zip(tallies, text).map { $0.margin(of: $1) }
    agreement = Float(voters.count) / Float(max(1, tried))
    folds = voters.map(\.folds).max() ?? 0
    isParted = voters.allSatisfy { $0.spaces > 0 }
  }

  /// Holds a vote over the readings of a labelled value.
  package init?(ofValues values: [ValueText], tried: Int) { self.init(values, tried: tried) }

  /// Index of the reading that represents a text that readings voted for: one with the same text, else one of its
  /// length, which has the same ends.
  package static func representative(of text: [UInt8], among readings: [[UInt8]]) -> Int? {
    readings.firstIndex(of: text) ?? readings.firstIndex { $0.count == text.count }
  }

  /// The recogniser's confidence c (0...100) as log-odds: p = exp((c - 100) / scale), clamped; `least` at least.
  private static func logOdds(_ confidence: Float) -> Float {
    max(odds.least, Float(LogOdds.of(exp(Double(confidence - 100) / odds.scale), within: odds.range)))
  }

  private static let odds: (scale: Double, range: ClosedRange<Double>, least: Float) = (35, 0.05...0.995, 0.1)
}

/// The readings of one text in several crops. Reads on until they agree, or until one alone is enough.
struct CropReadings<Text: VotedReading> {
  /// A text and the crop in which it was read.
  struct Reading {
    let text: Text
    let crop: LineCrop
    /// The ink of its characters.
    let ink: LengthProof
    /// Background before and after it, in capital heights.
    let ground: (before: Double, after: Double)

    init(_ text: Text, in crop: LineCrop) {
      (self.text, self.crop) = (text, crop)
      let right = max(text.left, text.rightEnd(in: crop))
      func ink(_ margin: Int) -> LengthProof {
        LengthProof(crop.picture, columns: max(0, text.left - margin)...right + margin, capitalHeight: crop.capital)
      }
      let margins = Text.inkMargins
      let near = ink(margins.characters)
      let own = Text.isBetweenWords ? near.part(of: text.text, in: crop.picture, capitalHeight: crop.capital) : nil
      self.ink = own ?? near
      let ends = own ?? (margins.ground == margins.characters ? near : ink(margins.ground))
      ground = (ends.groundBefore, ends.groundAfter)
    }

    /// The smaller of the background before it and after it, in capital heights.
    var leastGround: Double { min(ground.before, ground.after) }

    /// Whether one reading is enough: no other string of its lattice comes near, and it has background on both sides,
    /// because a lattice doesn't show what was cut off.
    func isSure(_ lattice: LatticeDecoder?) -> Bool {
      text.folds == 0 && text.spaces == 0 && text.isWhole(by: ink) && leastGround >= LengthProof.leastGround
        && lattice?.settles(text.text) ?? false
    }
  }

  private(set) var readings: [Reading] = []
  /// Number of crops read, including those without such a text.
  private(set) var tried = 0
  private var strokes = GlyphVote()
  /// The serials that the first reading's lattice may hold.
  private var lattice: LatticeDecoder?
  /// Whether the first reading alone is enough.
  private var isFirstSure = false

  /// The readings' vote; nil if none has a text.
  var vote: Vote? { Vote(readings.map(\.text), tried: tried) }

  /// Whether enough readings agree, or one alone is enough, so that no further one is needed.
  var isSettled: Bool {
    guard tried >= Vote.leastReadings || isFirstSure, let vote else { return false }
    return vote.isSettled
  }

  /// Adds what was read in a crop; nil if that is no such text. In small print the first reading is never enough.
  mutating func add(_ text: Text?, in crop: LineCrop) {
    tried += 1
    guard let text else { return }
    let reading = Reading(text, in: crop)
    readings.append(reading)
    strokes.add(reading.ink.pieces, of: crop.picture, capital: Float(crop.capital))
    guard tried == 1 else { return }
    lattice = LatticeDecoder(text.steps, readAs: text.text)
    isFirstSure =
      !crop.isSmallPrint && reading.isSure(lattice) && (vote?.isSettled ?? false) && strokes.bearOut(text.text)
  }

  /// The text on which the readings agree, and the reading that represents it; nil if there is none.
  func agreed() -> (read: VotedRead, shown: Reading)? {
    guard var vote, let place = Vote.representative(of: vote.text, among: readings.map(\.text.text)) else { return nil }
    let (read, shown) = (vote.text, readings[place])
    let likely = LikelyText(read, margins: vote.margins, tallies: vote.tallies, strokes: strokes)
    (vote.text, vote.margins) = (likely.text, likely.margins)
    let columns = shown.crop.columns(
      of: likely.text, readFrom: shown.text.left, to: shown.text.rightEnd(in: shown.crop))
    let isInScales = readings.map(\.crop.variant.heightFactor).areScales
    return (
      VotedRead(
        vote: vote, isSettled: isSettled,
        isUnanimousInScales: likely.text == read && vote.agreement == 1 && vote.isUnanimous && isInScales,
        likely: likely, latticeMargin: lattice?.margin(of: likely.text).map(Double.init),
        characters: CharacterClarity(
          likely.text, margins: likely.margins, tallies: vote.tallies, strokes: likely.opinion?.logProbabilities ?? [:]
        ).reads, region: shown.crop.region(of: columns),
        recognised: shown.crop.recognised(from: shown.text.left, to: shown.text.rightEnd(in: shown.crop))),
      shown
    )
  }
}

/// A text on which readings agree, and the evidence for it.
struct VotedRead: Sendable {
  /// The vote, its text corrected as in `LikelyText`.
  let vote: Vote
  /// Whether no further reading was needed.
  let isSettled: Bool
  /// As in `TextEvidence`.
  let isUnanimousInScales: Bool
  /// The corrected text, with what its strokes say.
  let likely: LikelyText
  /// As in `TextEvidence`.
  let latticeMargin: Double?
  /// As in `TextEvidence`.
  let characters: [CharacterRead]
  /// Its quadrilateral, in pixels of the photo as uploaded.
  let region: Quadrilateral
  /// As in `Candidate`.
  let recognised: Quadrilateral

  var serial: String { vote.string }
  var fitsGrammar: Bool { SerialNumber(serial) != nil }
  /// The least margin of its characters times the share of readings that agreed.
  var agreedMargin: Float { vote.leastMargin * vote.agreement }

  /// It as a candidate of a strategy, read from a line, with what its surroundings add to the evidence.
  ///
  /// - Parameters: As in `Candidate` and `TextEvidence`.
  func candidate(
    strategy: String, line: Int, keyword: Double, capitalHeight: Float, ground: Double,
    isPart: Bool, hasSign: Bool, isBehindLabel: Bool
  ) -> Candidate {
    let evidence = TextEvidence(
      leastMargin: Double(vote.leastMargin), agreement: Double(vote.agreement), keyword: keyword,
      fitsGrammar: fitsGrammar,
      hasFrequentPlant: SerialNumber(serial)?.hasFrequentPlant ?? false, capitalHeight: Double(capitalHeight),
      ground: ground, glyphMargin: likely.opinion?.leastMargin, latticeMargin: latticeMargin,
      strokes: likely.opinion?.logProbabilities ?? [:], characters: characters, isPart: isPart, hasSign: hasSign,
      isBehindLabel: isBehindLabel, isUnanimousInScales: isUnanimousInScales)
    return Candidate(
      serial: serial, method: .tesseract, strategy: strategy, confidence: Calibration.confidence(evidence),
      evidence: evidence, roiIndex: line, region: region, recognised: recognised)
  }
}

/// A serial read in one line of etched text.
struct LineVote {
  var read: VotedRead
  /// Strength of its label: 0 if unlabelled.
  var keyword: Float
  /// Index of the line.
  var line: Int
  var capitalHeight: Float
  var ground: Double
  /// Whether its label was read right before it, and whether its first characters seem to stand at that label's end.
  var isBehindLabel, lacksBeginning: Bool
  /// Whether its line is print that Apple devices carry.
  var isInDevicePrint: Bool

  var text: [UInt8] { read.vote.text }
  /// Whether no other line of the device can be better: it has a label and a valid format, and all readings agree.
  var isCertain: Bool { keyword > 0 && read.fitsGrammar && read.isSettled }
  /// The value of the vote as a serial: the agreed margin, plus a bonus for a label, minus a penalty for an invalid
  /// format.
  var value: Float { read.agreedMargin + (keyword > 0 ? 1 : 0) - (read.fitsGrammar ? 0 : 1) }
}

extension LineVote {
  /// The least that a vote adds to the value of its serial.
  private static let leastValue: Float = 0.1

  /// The serials of several lines, the most valuable first.
  static func candidates(of votes: [LineVote], strategy: String, textSeen: TextSeen) -> [Candidate] {
    let groups = grouped(votes.filter { $0.read.agreedMargin >= Vote.leastAgreedMargin })
    return groups.compactMap { group -> (value: Float, candidate: Candidate)? in
      guard let best = group.max(by: { $0.read.agreedMargin < $1.read.agreedMargin }) else { return nil }
      let candidate = best.read.candidate(
        strategy: strategy, line: best.line, keyword: Double(group.map(\.keyword).max() ?? 0),
        capitalHeight: best.capitalHeight, ground: best.ground,
        isPart: best.lacksBeginning,
        hasSign: best.isInDevicePrint || textSeen.isBesideDeviceMark(best.read.recognised),
        isBehindLabel: best.isBehindLabel)
      return (group.reduce(0) { $0 + max(leastValue, $1.value) }, candidate)
    }
    .sorted { $0.value > $1.value }.map(\.candidate)
  }

  /// Groups votes with the same text, in the order each was first read, so that sums over a group are reproducible to
  /// the last bit.
  private static func grouped(_ votes: [LineVote]) -> [[LineVote]] {
    votes.reduce(into: []) { groups, vote in
      if let same = groups.firstIndex(where: { $0[0].text == vote.text }) {
        groups[same].append(vote)
      } else {
        groups.append([vote])
      }
    }
  }
}
