import AppleSerial
import Imaging
import ScanModel

/// The readings of one value in several crop variants, with the ink that each shows.
struct ValueReadings {
  private struct Reading {
    var value: ValueText
    var crop: LineCrop
    var ink: LengthProof
    /// Factor on its capital height.
    var size: Float

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

  private var vote: ValueVote? { ValueVote(readings.map(\.value), tried: tried) }

  /// Adds the reading of one crop.
  ///
  /// - Parameters:
  ///   - value: The value read; nil if the crop held none.
  ///   - crop: The crop.
  ///   - variant: The crop's size and position.
  ///   - isSmall: Whether its print is small in the photo: one reading is then never enough.
  mutating func add(_ value: ValueText?, in crop: LineCrop, _ variant: CropVariant, isSmall: Bool) {
    tried += 1
    guard let value else { return }
    let columns = max(0, value.left - 6)...max(value.right + 6, value.left)
    // The crop's capitals are 24 pixels high at the line's height times the variant's factor.
    let height = Double(LineCrop.capitalHeight / variant.heightFactor)
    let ink = LengthProof(crop.picture, columns: columns, capitalHeight: height)
    let reading = Reading(value: value, crop: crop, ink: ink, size: variant.heightFactor)
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
  ///   - source: The image that was cropped.
  func serial(
    announcedBy label: Announcement, _ segment: TextSegment, line: Int, in source: DecodedPicture
  ) -> LabelledRead? {
    guard var vote, label.allows(vote),
      let place = Voting.representative(of: vote.text, among: readings.map(\.value.text))
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
      region: Self.region(of: vote.text, in: placed, source),
      recognised: placed.crop.recognised(
        from: placed.value.left, to: placed.value.right, toUploaded: source.toUploaded))
  }

  /// As in `TextEvidence`.
  private func isUnanimousInScales(_ vote: ValueVote) -> Bool {
    vote.agreement == 1 && vote.tallies.allSatisfy(\.isUnanimous) && readings.map(\.size).areScales
  }

  /// The place of a text in the photo as uploaded.
  private static func region(of text: [UInt8], in reading: Reading, _ source: DecodedPicture) -> Quadrilateral {
    let columns = reading.crop.columns(of: text, readFrom: reading.value.left, to: reading.value.right)
    return reading.crop.region(of: columns, toUploaded: source.toUploaded)
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
