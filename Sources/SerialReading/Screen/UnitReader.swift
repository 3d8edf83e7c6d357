import AppleSerial
import Imaging
import ReaderProtocol
import TextReading

/// What says that a value is a serial, or something else.
struct Announcement: Sendable {
  /// How strongly it announces a serial, and how strongly something else.
  var strengths: LabelKeywords.Strengths
  /// Where it stands to the value; nil where nothing was read.
  var relation: LabelPlace.Relation?
  /// Its text as read.
  var text: String

  /// A part number in the row above, as on every About page: it stands for a weak label.
  static let partNumber = Announcement(
    strengths: LabelKeywords.Strengths(serial: 1.5, other: 0), relation: .belowPartNumber, text: "")

  /// The name of a device of Apple's in the lines about the value: no label, but where serials stand without one.
  static let deviceMark = Announcement(
    strengths: LabelKeywords.Strengths(serial: 0, other: 0), relation: .besideDeviceMark, text: "")
}

/// Reads one unit in several variants, and its label once.
final class UnitReader {
  private let source: DecodedPicture
  private let polarity: StrokePolarity
  private let engine: TextEngine
  private let observer: LineObserver?
  private let textSeen: TextSeen?
  private(set) var linesRead = 0
  /// What the first reading said.
  private(set) var firstReading: UnitText?
  /// Whether there was no print to read.
  private(set) var sawTexture = false
  /// Whether the first reading was text that is easy to read.
  private(set) var readClearly = false
  /// Whether any reading was a known label.
  private(set) var readKnownLabel = false
  /// Whether any reading was a serial's label.
  private(set) var readSerialLabel = false
  /// Whether the reading was an order number such as `MVVJ2LL/A`.
  private(set) var readPartNumber = false
  /// Whether the reading was a part of an address or a universally unique identifier, whose every group looks like a serial
  private(set) var readIdentifier = false
  /// Whether the reading has a serial's shape, with nothing readable before it.
  private(set) var readUnlabelledValue = false
  /// A serial's label with its value that was read where this unit's own label was looked for.
  private(set) var labelledNeighbour: LabelledNeighbour?

  /// A value that was read together with its label.
  struct LabelledNeighbour {
    /// Where the label was looked for.
    var place: LabelPlace
    /// The value's ends along the line's x coordinates.
    var columns: ClosedRange<Float>
    var announcement: Announcement

    /// The value as a unit of its line; nil where that is none of the lines.
    func unit(in lines: [TextSegment]) -> WordUnit? {
      lines.firstIndex { place.isPart(of: $0) }.flatMap { WordUnit(columns, of: lines[$0], at: $0) }
    }
  }

  init(
    source: DecodedPicture, polarity: StrokePolarity, engine: TextEngine, observer: LineObserver?,
    textSeen: TextSeen?
  ) {
    self.source = source
    self.textSeen = textSeen
    self.observer = observer
    self.polarity = polarity
    self.engine = engine
  }

  /// Reads a unit and its label.
  ///
  /// - Parameter announcement: What announces it where that is known already, for which no label is read.
  func read(
    _ unit: WordUnit, in lines: [TextSegment], places: [LabelPlace], announcedBy announcement: Announcement? = nil
  ) -> LabelledRead? {
    let segment = lines[unit.line].part(unit)
    var values: [ValueText] = []
    var proofs: [(proof: LengthProof, crop: GrayPicture, count: Int)] = []
    var strokes = GlyphVote()
    var shown: (crop: LineCrop, value: ValueText)?
    var tried = 0
    var label: Announcement?
    for variant in LabelledTextPass.variants {
      guard let crop = crop(unit, segment, variant) else { break }
      if tried == 0, crop.picture.isTexture {
        sawTexture = true
        return nil
      }
      let line = read(crop, variant)
      tried += 1
      if tried == 1 {
        firstReading = UnitText(segment: segment, line: line)
        readClearly = line.symbols.count >= 5 && line.meanConfidence > 92
        let known = LabelKeywords.strengths(before: line.text)
        readKnownLabel = max(known.serial, known.other) >= 2.5
        readSerialLabel = known.serial >= 2.5
        readIdentifier = readClearly && Self.isGrouped(line.text)
        readPartNumber =
          LookAlike(line.text.filter { $0 != " " }) == .partNumber && line.text.contains(where: \.isNumber)
      }
      let value = ValueText(line)
      if let value {
        values.append(value)
        shown = shown ?? (crop, value)
        let columns = max(0, value.left - 6)...max(value.right + 6, value.left)
        // The crop's capitals are 24 pixels high for the line's height times the variant's factor.
        let height = Double(LineCrop.capitalHeight / variant.heightFactor)
        let proof = LengthProof(crop.picture, columns: columns, capitalHeight: height)
        proofs.append((proof, crop.picture, value.text.count))
        strokes.add(proof.pieces, of: crop.picture)
      }
      if tried == 1 {
        guard let value else { return nil }
        let found = announcement ?? readLabel(places, lines, of: value)
        readUnlabelledValue =
          value.isPlausible && value.prefix.isEmpty && !found.strengths.announcesOther
          && !found.strengths.announcesSerial
        label = found
        if readUnlabelledValue { noteUnlabelled(value, in: crop, variant) }
        let isWorthIt =
          found.strengths.announcesSerial
          ? value.text.count >= 9
          : value.isPlausible && (value.text.count == 12 || found.relation == .besideDeviceMark)
            && !found.strengths.announcesOther
        guard isWorthIt else { return nil }
      }
      if tried == 2, values.isEmpty { break }
      if tried >= LabelledTextPass.leastReadings, let vote = ValueVote(values, tried: tried), vote.agreement == 1,
        vote.leastMargin >= LabelledTextPass.settledMargin
      {
        break
      }
    }
    guard var vote = ValueVote(values, tried: tried), let shown, let label, isSerial(vote, label) else {
      return nil
    }
    let threes = FlatThrees(vote.text, margins: vote.margins, strokes: strokes)
    (vote.text, vote.margins) = (threes.text, threes.margins)
    let own = proofs.filter { $0.count == vote.text.count }
    let verdicts = own.map { $0.proof.verdict(for: vote.text.count) }
    let verdict: LengthProof.Verdict =
      verdicts.contains(.refuted) && !verdicts.contains(.proven)
      ? .refuted : verdicts.contains(.proven) && !verdicts.contains(.refuted) ? .proven : .possible
    let ground = own.map { min($0.proof.groundBefore, $0.proof.groundAfter) }.max() ?? 0
    let refuted = own.count { ShapeCheck(crop: $0.crop, characters: $0.proof.pieces).refutes(vote.text) }
    let isUnchecked =
      !threes.hasSeenAll && own.allSatisfy { $0.proof.pieces.count != vote.text.count }
    return LabelledRead(
      vote: vote, label: label.strengths, relation: label.relation, labelText: label.text, length: verdict,
      ground: ground,
      shapes: 2 * refuted >= max(1, proofs.count) ? .doubtful : isUnchecked ? .unchecked : .fitting,
      glyphMargin: threes.opinion?.leastMargin,
      lacksBeginning: label.relation != .above && LabelKeywords.holdsBeginningOfValue(label.text),
      capitalHeight: Double(segment.capitalHeight), line: unit.line,
      region: shown.crop.region(
        from: shown.value.left, to: shown.value.right, toUploaded: source.toUploaded))
  }

  /// Whether a text has groups of hexadecimal digits parted by hyphens or colons.
  private static func isGrouped(_ text: String) -> Bool {
    let groups = text.split { $0 == "-" || $0 == ":" || $0 == " " }
    let separators = text.count { $0 == "-" || $0 == ":" }
    return separators >= 1 && groups.count >= 2
      && groups.allSatisfy { $0.allSatisfy { $0.isHexDigit || $0 == "O" } }
  }

  private func read(_ crop: LineCrop, _ variant: CropVariant) -> TextLine {
    guard !crop.picture.isTexture else { return TextLine(symbols: []) }
    let line = engine.read(crop.picture)
    linesRead += 1
    observer?(line, crop.picture)
    textSeen?.note(line, in: crop, variant, polarity: polarity, toUploaded: source.toUploaded)
    return line
  }

  /// Mean confidence, 0...100, from which a value without a label is worth another look around it.
  private static let leastOfUnlabelled: Float = 95

  private func noteUnlabelled(_ value: ValueText, in crop: LineCrop, _ variant: CropVariant) {
    guard value.meanConfidence >= Self.leastOfUnlabelled else { return }
    textSeen?.noteUnlabelled(value, in: crop, variant, polarity: polarity, toUploaded: source.toUploaded)
  }

  /// Whether what was voted for can be a serial at all.
  private func isSerial(_ vote: ValueVote, _ announcement: Announcement) -> Bool {
    let label = announcement.strengths
    let text = vote.string
    let digits = vote.text.count { $0 <= UInt8(ascii: "9") }
    guard (10...12).contains(vote.text.count), digits < vote.text.count, vote.leastMargin * vote.agreement > -0.5,
      !LookAlike.isHidden(in: text), LookAlike(text) != .cmiit,
      LookAlike(text) == nil || (label.serial >= 3 && digits < vote.text.count - 1)
    else { return false }
    let hasFrequentPlant = SerialNumber(text)?.hasFrequentPlant ?? false
    if label.announcesSerial { return digits > 0 || label.serial >= 2.5 || hasFrequentPlant }
    guard !label.announcesOther, let serial = SerialNumber(text) else { return false }
    if announcement.relation == .besideDeviceMark { return digits >= 2 }
    return serial.format == .twelve && vote.text[0] > UInt8(ascii: "9") && (2...9).contains(digits)
  }

  /// The strongest label among the places, the first place on equal terms.
  private func readLabel(
    _ places: [LabelPlace], _ lines: [TextSegment], of value: ValueText
  ) -> Announcement {
    let glued = value.prefix
    var best = Announcement(strengths: LabelKeywords.strengths(before: glued), relation: nil, text: glued)
    if best.strengths.announcesSerial {
      best.relation = .sameLine
      return best
    }
    for place in places {
      guard let (crop, place) = labelCrop(place) else { continue }
      let line = read(crop, CropVariant.all[1])
      labelledNeighbour = labelledNeighbour ?? Self.neighbour(line, in: crop, at: place)
      let text = line.text + glued
      let strengths = LabelKeywords.strengths(before: text, isCut: place.isCut)
      if strengths.announcesSerial {
        return Announcement(strengths: strengths, relation: place.relation, text: text)
      }
      readKnownLabel = readKnownLabel || strengths.other >= 2.5
      if !strengths.announcesOther, value.isPlausible, let foreign = readInOtherScripts(crop, line.text),
        foreign.announcesSerial
      {
        return Announcement(strengths: foreign, relation: place.relation, text: text)
      }
      // The nearest place decides against: a value has one label.
      if best.text.isEmpty || (strengths.announcesOther && best.strengths.other == 0) {
        best = Announcement(strengths: strengths, relation: place.relation, text: text)
      }
      if strengths.announcesOther, place.relation != .above { break }
    }
    return best
  }

  /// A label's place as it is read; nil where it lies outside the picture, or where no line was found and there is no ink either.
  private func labelCrop(_ place: LabelPlace) -> (LineCrop, LabelPlace)? {
    guard let crop = cut(place.segment, place.range, CropVariant.all[1]) else { return nil }
    guard place.isBlind else { return (crop, place) }
    guard let part = place.readable(in: crop.picture) else { return nil }
    if part.further.isEmpty, !place.further.isEmpty { return labelCrop(part) }
    return part.range == place.range
      ? (crop, part) : cut(part.segment, part.range, CropVariant.all[1]).map { ($0, part) }
  }

  /// The value that a label's place itself holds, where letters touch so that it was no unit of its own.
  private static func neighbour(_ line: TextLine, in crop: LineCrop, at place: LabelPlace) -> LabelledNeighbour? {
    guard let value = ValueText(line), value.isPlausible else { return nil }
    let strengths = LabelKeywords.strengths(before: value.prefix)
    guard strengths.announcesSerial else { return nil }
    let scale = (place.range.upperBound - place.range.lowerBound) / Float(crop.picture.width)
    let (left, right) = (Float(value.left) * scale, Float(value.right) * scale)
    return LabelledNeighbour(
      place: place, columns: place.range.lowerBound + left...place.range.lowerBound + max(left, right),
      announcement: Announcement(strengths: strengths, relation: .sameLine, text: value.prefix))
  }

  /// What a label says that the recogniser of Latin letters made nothing of.
  private func readInOtherScripts(_ crop: LineCrop, _ latin: String) -> LabelKeywords.Strengths? {
    guard let labels = engine.labels, !crop.picture.isTexture else { return nil }
    let line = labels.read(crop.picture)
    linesRead += 1
    observer?(line, crop.picture)
    return LabelKeywords.strengths(inOtherScripts: line.text, latin: latin)
  }

  /// The value with its ground on both sides, but not its neighbours: neither those of its line, nor ink beside it that was
  /// too short to make a line of its own (`SN`).
  private func crop(_ unit: WordUnit, _ segment: TextSegment, _ variant: CropVariant) -> LineCrop? {
    let wide = range(of: unit, segment)
    guard let crop = cut(segment, wide, variant) else { return nil }
    let scale = Float(crop.picture.width) / (wide.upperBound - wide.lowerBound)
    let columns = Int((unit.left - wide.lowerBound) * scale)...Int((unit.right - wide.lowerBound) * scale)
    let gaps = InkProfile(crop.picture).gaps(around: columns, capital: LineCrop.capitalHeight / variant.heightFactor)
    guard gaps.before != nil || gaps.after != nil else { return crop }
    var parted = unit
    parted.gapBefore = min(unit.gapBefore, gaps.before.map { Float($0) / scale } ?? .infinity)
    parted.gapAfter = min(unit.gapAfter, gaps.after.map { Float($0) / scale } ?? .infinity)
    return cut(segment, range(of: parted, segment), variant)
  }

  private func range(of unit: WordUnit, _ segment: TextSegment) -> ClosedRange<Float> {
    let margin = LineCrop.margin * segment.capitalHeight
    let left = max(0, unit.left - min(margin, 0.6 * unit.gapBefore))
    let right = min(Float(source.picture.width - 1), unit.right + min(margin, 0.6 * unit.gapAfter))
    return left...max(left + 1, right)
  }

  private func cut(_ segment: TextSegment, _ range: ClosedRange<Float>, _ variant: CropVariant) -> LineCrop? {
    LineCrop(source.picture, line: segment, range: range, isUpsideDown: false, variant: variant, polarity: polarity)
  }
}
