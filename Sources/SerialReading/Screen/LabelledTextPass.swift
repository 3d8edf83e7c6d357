import AppleSerial
import Imaging
import ReaderProtocol
import TextReading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One pass over a picture of rows and labels: finds what has the shape of a serial, reads it, then what stands before it.
///
/// The value is read first, since few things on a screen have its shape; the label beside it decides. Both are read
/// apart, so that words glued together are never taken.
struct LabelledTextPass {
  /// Readings of a value that agree before no further one is made.
  static let leastReadings = 3
  /// The order in which variants are tried: the smallest and the largest letters first, whose readings err least alike.
  static let variants = [0, 3, 1, 2, 4].map { CropVariant.all[$0] }
  /// Vote margin from which a value is settled.
  static let settledMargin: Float = 2
  /// Units of which none was text that is easy to read, after which the rest is taken as texture.
  static let unitsOfTexture = 7

  var finder: DisplayLineFinder
  var engine: TextEngine
  /// Told of every line that is read.
  var observer: LineObserver?
  /// How much of the photo's time budget is used.
  var timer: ReadingTimer
  /// Where lines are cut from.
  var cut: FinerCut
  /// The most values read in one pass.
  var mostUnits = 16

  /// What the pass found out.
  struct Outcome {
    var reads: [LabelledRead] = []
    /// Lines found, and lines read by the recogniser.
    var lines = 0
    var linesRead = 0
    /// Units that were easy to read.
    var clearUnits = 0
    /// Words that were read well but are no serial.
    var otherWords = 0
    /// Words that are known labels: proof that the text stands upright.
    var knownLabels = 0
    /// Whether a serial's label was read: its value must be somewhere.
    var sawSerialLabel = false
    /// Median height of capitals of the lines, in pixels.
    var capitalHeight: Float = 0

    /// Whether the picture was read upright and well, in letters large enough, and none of it is a serial.
    var isExhausted: Bool {
      reads.isEmpty && !sawSerialLabel && otherWords >= 6 && knownLabels > 0 && capitalHeight >= 13
    }
  }

  /// Looks for serials in a picture, along the axis that holds more text, upright first.
  func run(_ decoded: DecodedPicture) throws(ReadFailure) -> Outcome {
    let (rows, columns) = finder.lines(in: decoded.picture)
    let byRows = rows.weight >= columns.weight || (rows.weight < 12 && rows.lines.count >= columns.lines.count)
    let set = byRows ? rows : columns
    guard !set.lines.isEmpty else { return Outcome() }
    let capital = Statistics.median(set.lines.map(\.capitalHeight))
    let (picture, lines) = try cut.source(for: set.lines, capital: capital, in: decoded)
    let source = byRows ? picture : picture.turnedClockwise()
    var outcome = read(lines, in: source)
    if outcome.knownLabels > 0 || outcome.reads.contains(where: { $0.label.announcesSerial }) { return outcome }
    // Nothing announced: perhaps all of it stands on its head.
    let test = UprightTest(
      picture: source.picture, polarity: finder.polarity, engine: engine, observer: observer)
    let isUpsideDown = test.isUpsideDown(lines)
    outcome.linesRead += test.linesRead
    guard isUpsideDown else { return outcome }
    let turned = (byRows ? decoded : decoded.turnedClockwise()).turnedUpsideDown()
    let factor = Float(picture.picture.longestSide) / Float(decoded.picture.longestSide)
    let turnedLines = finder.lines(in: turned.picture).rows.lines.map { $0.scaled(by: factor) }
    var other = read(turnedLines, in: source.turnedUpsideDown())
    other.linesRead += outcome.linesRead
    other.lines += outcome.lines
    return other
  }

  /// Reads the units of upright lines, those most like a labelled serial first.
  func read(_ lines: [TextSegment], in source: DecodedPicture) -> Outcome {
    var outcome = Outcome()
    outcome.lines = lines.count
    outcome.capitalHeight = Statistics.median(lines.map(\.capitalHeight))
    let slope = RowSlope(lines)
    var queue = lines.indices.flatMap { WordUnit.units(of: lines[$0], at: $0) }
      .map { unit in (unit: unit, places: LabelPlace.places(of: unit, in: lines, slope: slope)) }
      .sorted { priority($0) > priority($1) }
    var settledPlaces: [(line: Int, left: Float, right: Float)] = []
    var partNumbers: [WordUnit] = []
    var unlabelled: [WordUnit] = []
    var identifierLines: Set<Int> = []
    var read = 0
    while !queue.isEmpty {
      let (unit, places) = queue.removeFirst()
      guard read < mostUnits, timer.hasTime, read < Self.unitsOfTexture || outcome.clearUnits > 0
      else { break }
      // Of several cuts of the same words the first that reads as a value stands.
      guard !settledPlaces.contains(where: { $0.line == unit.line && $0.left < unit.right && $0.right > unit.left }),
        !identifierLines.contains(unit.line)
      else { continue }
      read += 1
      let reader = UnitReader(source: source, polarity: finder.polarity, engine: engine, observer: observer)
      let found = reader.read(unit, in: lines, places: places)
      outcome.linesRead += reader.linesRead
      outcome.clearUnits += reader.readClearly ? 1 : 0
      outcome.otherWords += reader.readClearly && found == nil ? 1 : 0
      outcome.knownLabels += reader.readKnownLabel ? 1 : 0
      outcome.sawSerialLabel = outcome.sawSerialLabel || reader.readSerialLabel
      if reader.readSerialLabel { Self.moveForward(&queue, labelledBy: unit, in: lines) }
      if reader.readIdentifier { identifierLines.insert(unit.line) }
      if reader.readPartNumber { partNumbers.append(unit) }
      if reader.readUnlabelledValue { unlabelled.append(unit) }
      guard let found else { continue }
      settledPlaces.append((unit.line, unit.left, unit.right))
      outcome.reads.append(found)
      if found.isSettled { break }
    }
    if !outcome.reads.contains(where: { $0.label.announcesSerial }) {
      for unit in unlabelled where partNumbers.contains(where: { isBelow(unit, $0, lines) }) {
        let reader = UnitReader(source: source, polarity: finder.polarity, engine: engine, observer: observer)
        if let found = reader.read(unit, in: lines, places: [], isBelowPartNumber: true) { outcome.reads.append(found) }
        outcome.linesRead += reader.linesRead
      }
    }
    outcome.reads = combined(outcome.reads)
    return outcome
  }

  /// Puts those units first that may be the value of a label just read: a dense page holds more units than are read.
  private static func moveForward(
    _ queue: inout [(unit: WordUnit, places: [LabelPlace])], labelledBy label: WordUnit, in lines: [TextSegment]
  ) {
    let isLabelled = { (item: (unit: WordUnit, places: [LabelPlace])) in
      item.unit.line == label.line || item.places.contains { $0.isPart(of: lines[label.line]) }
    }
    queue = queue.filter(isLabelled) + queue.filter { !isLabelled($0) }
  }

  /// Whether a unit stands in the row right below another, aligned with its left or right end, in letters of its size.
  private func isBelow(_ unit: WordUnit, _ upper: WordUnit, _ lines: [TextSegment]) -> Bool {
    let slope = (lines[unit.line].slope + lines[upper.line].slope) / 2
    let (x, upperX) = ((unit.left + unit.right) / 2, (upper.left + upper.right) / 2)
    let y = lines[unit.line].slope * x + lines[unit.line].offset
    let upperY = lines[upper.line].slope * upperX + lines[upper.line].offset
    let below = y - upperY - slope * (x - upperX)
    return (0.75...1.33).contains(unit.height / upper.height) && below > 1.2 * unit.height && below < 5 * unit.height
      && min(abs(unit.left - upper.left), abs(unit.right - upper.right)) < 1.2 * unit.height
  }

  private func priority(_ item: (unit: WordUnit, places: [LabelPlace])) -> Float {
    item.unit.likeness + (item.places.isEmpty ? 0 : 0.25)
  }

  /// The same serial in several lines is one read, better founded.
  private func combined(_ reads: [LabelledRead]) -> [LabelledRead] {
    var kept: [LabelledRead] = []
    for read in reads.sorted(by: { $0.label.serial > $1.label.serial }) {
      if let same = kept.firstIndex(where: { $0.serial == read.serial }) {
        kept[same].repetitions += 1
      } else {
        kept.append(read)
      }
    }
    let announced = kept.count { $0.label.announcesSerial }
    for index in kept.indices where announced > (kept[index].label.announcesSerial ? 1 : 0) {
      kept[index].isContradicted = true
    }
    return kept
  }
}

/// Reads one unit in several variants, and its label once.
private final class UnitReader {
  private let source: DecodedPicture
  private let polarity: StrokePolarity
  private let engine: TextEngine
  private let observer: LineObserver?
  private(set) var linesRead = 0
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

  init(source: DecodedPicture, polarity: StrokePolarity, engine: TextEngine, observer: LineObserver?) {
    self.source = source
    self.observer = observer
    self.polarity = polarity
    self.engine = engine
  }

  /// Reads a unit and its label.
  ///
  /// - Parameter isBelowPartNumber: Whether the row above holds a part number, which stands for a weak label.
  func read(
    _ unit: WordUnit, in lines: [TextSegment], places: [LabelPlace], isBelowPartNumber: Bool = false
  ) -> LabelledRead? {
    let segment = lines[unit.line].part(unit)
    var values: [ValueText] = []
    var proofs: [(LengthProof, Int)] = []
    var refutedShapes = 0
    var shown: (crop: LineCrop, value: ValueText)?
    var tried = 0
    var label: (strengths: LabelKeywords.Strengths, relation: LabelPlace.Relation?, text: String)?
    for variant in LabelledTextPass.variants {
      guard let crop = crop(unit, segment, variant) else { break }
      let line = read(crop)
      tried += 1
      if tried == 1 {
        readClearly = line.symbols.count >= 5 && line.meanConfidence > 92
        let known = LabelKeywords.strengths(before: line.text)
        readKnownLabel = max(known.serial, known.other) >= 2.5
        readSerialLabel = known.serial >= 2.5
        readIdentifier = readClearly && Self.isGrouped(line.text)
        readPartNumber = LookAlike(line.text.filter { $0 != " " }) == .partNumber
      }
      let value = ValueText(line)
      if let value {
        values.append(value)
        shown = shown ?? (crop, value)
        let columns = max(0, value.left - 6)...max(value.right + 6, value.left)
        // The crop's capitals are 24 pixels high for the line's height times the variant's factor.
        let height = Double(LineCrop.capitalHeight / variant.heightFactor)
        let proof = LengthProof(crop.picture, columns: columns, capitalHeight: height)
        proofs.append((proof, value.text.count))
        let shapes = ShapeCheck(crop: crop.picture, characters: proof.pieces)
        refutedShapes += shapes.refutes(value.text) ? 1 : 0
      }
      if tried == 1 {
        guard let value else { return nil }
        var found = readLabel(places, lines, glued: value.prefix)
        if isBelowPartNumber { (found.strengths.serial, found.relation) = (1.5, .belowPartNumber) }
        readUnlabelledValue =
          value.isPlausible && value.prefix.isEmpty && !found.strengths.announcesOther
          && !found.strengths.announcesSerial
        label = found
        let isWorthIt =
          found.strengths.announcesSerial
          ? value.text.count >= 9 : value.isPlausible && value.text.count == 12 && !found.strengths.announcesOther
        guard isWorthIt else { return nil }
      }
      if tried == 2, values.isEmpty { break }
      if tried >= LabelledTextPass.leastReadings, let vote = ValueVote(values, tried: tried), vote.agreement == 1,
        vote.leastMargin >= LabelledTextPass.settledMargin
      {
        break
      }
    }
    guard let vote = ValueVote(values, tried: tried), let shown, let label, isSerial(vote, label.strengths) else {
      return nil
    }
    let own = proofs.filter { $0.1 == vote.text.count }.map(\.0)
    let verdicts = own.map { $0.verdict(for: vote.text.count) }
    let verdict: LengthProof.Verdict =
      verdicts.contains(.refuted) && !verdicts.contains(.proven)
      ? .refuted : verdicts.contains(.proven) && !verdicts.contains(.refuted) ? .proven : .possible
    let ground = own.map { min($0.groundBefore, $0.groundAfter) }.max() ?? 0
    return LabelledRead(
      vote: vote, label: label.strengths, relation: label.relation, labelText: label.text, length: verdict,
      ground: ground, hasDoubtfulShapes: 2 * refutedShapes >= max(1, proofs.count),
      hasUncheckedShapes: ShapeCheck.concerns(vote.text) && own.allSatisfy { $0.pieces.count != vote.text.count },
      lacksBeginning: label.relation != .above && LabelKeywords.holdsBeginningOfValue(label.text),
      capitalHeight: Double(segment.capitalHeight), line: unit.line,
      region: region(shown.crop, shown.value))
  }

  /// Whether a text has groups of hexadecimal digits parted by hyphens or colons.
  private static func isGrouped(_ text: String) -> Bool {
    let groups = text.split { $0 == "-" || $0 == ":" || $0 == " " }
    let separators = text.count { $0 == "-" || $0 == ":" }
    return separators >= 1 && groups.count >= 2
      && groups.allSatisfy { $0.allSatisfy { $0.isHexDigit || $0 == "O" } }
  }

  private func read(_ crop: LineCrop) -> TextLine {
    let line = engine.read(crop.picture)
    linesRead += 1
    observer?(line, crop.picture)
    return line
  }

  /// Whether what was voted for can be a serial at all.
  private func isSerial(_ vote: ValueVote, _ label: LabelKeywords.Strengths) -> Bool {
    let text = vote.string
    let digits = vote.text.count { $0 <= UInt8(ascii: "9") }
    guard (10...12).contains(vote.text.count), digits < vote.text.count, vote.leastMargin * vote.agreement > -0.5,
      !LookAlike.isHidden(in: text), LookAlike(text) == nil || (label.serial >= 3 && digits < vote.text.count - 1)
    else { return false }
    if label.announcesSerial { return digits > 0 || label.serial >= 2.5 }
    guard !label.announcesOther, let serial = SerialNumber(text) else { return false }
    return serial.format == .twelve && vote.text[0] > UInt8(ascii: "9") && (2...9).contains(digits)
  }

  /// The strongest label among the places, the first place on equal terms.
  private func readLabel(
    _ places: [LabelPlace], _ lines: [TextSegment], glued: String
  ) -> (strengths: LabelKeywords.Strengths, relation: LabelPlace.Relation?, text: String) {
    var best = (strengths: LabelKeywords.strengths(before: glued), relation: nil as LabelPlace.Relation?, text: glued)
    if best.strengths.announcesSerial {
      best.relation = .sameLine
      return best
    }
    for place in places {
      guard
        let crop = LineCrop(
          source.picture, line: place.segment, range: place.range, isUpsideDown: false, variant: CropVariant.all[1],
          polarity: polarity)
      else { continue }
      let text = read(crop).text + glued
      let strengths = LabelKeywords.strengths(before: text, isCut: place.isCut)
      if strengths.announcesSerial { return (strengths, place.relation, text) }
      readKnownLabel = readKnownLabel || strengths.other >= 2.5
      // The nearest place decides against: a value has one label.
      if best.text.isEmpty || (strengths.announcesOther && best.strengths.other == 0) {
        best = (strengths, place.relation, text)
      }
      if strengths.announcesOther, place.relation != .above { break }
    }
    return best
  }

  /// The value with its ground on both sides, but not its neighbours.
  private func crop(_ unit: WordUnit, _ segment: TextSegment, _ variant: CropVariant) -> LineCrop? {
    let margin = LineCrop.margin * segment.capitalHeight
    let left = unit.left - min(margin, 0.6 * unit.gapBefore)
    let right = unit.right + min(margin, 0.6 * unit.gapAfter)
    return LineCrop(
      source.picture, line: segment, range: left...max(left, right), isUpsideDown: false, variant: variant,
      polarity: polarity)
  }

  /// Where the value stands, in the photo as uploaded.
  private func region(_ crop: LineCrop, _ value: ValueText) -> Quadrilateral {
    let map = crop.toSource.then(source.toUploaded)
    let bottom = Double(crop.picture.height)
    func corner(_ x: Int, _ y: Double) -> PixelPoint {
      let place = map.apply(Double(x), y)
      return PixelPoint(x: place.x, y: place.y)
    }
    return Quadrilateral(
      corner(value.left, 0), corner(value.right, 0), corner(value.right, bottom), corner(value.left, bottom))
  }
}

extension TextSegment {
  /// The characters of one unit, along this line's slope.
  func part(_ unit: WordUnit) -> TextSegment {
    let members = x.indices.filter { x[$0] > unit.left - 0.5 && x[$0] < unit.right + 0.5 }
    var part = self
    part.x = members.map { x[$0] }
    part.y = members.map { y[$0] }
    part.heights = members.map { heights[$0] }
    part.widths = members.map { widths[$0] }
    (part.left, part.right) = (unit.left, unit.right)
    // Between the median and the line's own height, which small letters and labels of another size pull.
    part.capitalHeight = max(0.75 * capitalHeight, min(1.15 * capitalHeight, Statistics.percentile(part.heights, 60)))
    part.offset = Statistics.median(members.map { y[$0] - slope * x[$0] })
    return part
  }
}

extension DecodedPicture {
  /// The same picture turned by 180 degrees.
  func turnedUpsideDown() -> DecodedPicture {
    DecodedPicture(
      picture: picture.turnedUpsideDown(),
      toUploaded: Orientation.down.storedFromUpright(width: picture.width, height: picture.height).then(toUploaded))
  }
}
