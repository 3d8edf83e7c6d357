import AppleSerial
import Imaging
import ReaderProtocol
import TextReading

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
  /// Units read without a known label among them, after which it is asked whether all stands on its head.
  static let unitsBeforeUprightTest = 6
  /// Units of which none was text that is easy to read, after which the rest is taken as texture.
  static let unitsOfTexture = 7

  /// Units that turn out as texture before they are read, after which none is looked at any more.
  static let mostTextures = 24

  var finder: DisplayLineFinder
  var engine: TextEngine
  /// Told of every line that is read.
  var observer: LineObserver?
  /// How much of the photo's time budget is used.
  var timer: ReadingTimer
  /// Where lines are cut from.
  var cut: FinerCut
  /// Told of all that is read.
  var textSeen: TextSeen
  /// The most values read in one pass.
  var mostUnits = 16

  /// What the pass found out.
  struct Outcome {
    var reads: [LabelledRead] = []
    /// Lines found, and lines read by the recogniser.
    var lines = 0
    var linesRead = 0
    /// What the first reading of each unit said.
    var firstReadings: [UnitText] = []
    /// Units that were easy to read.
    var clearUnits = 0
    /// Words that were read well but are no serial.
    var otherWords = 0
    /// Whether what was read seems to stand on its head, for which nothing further was read.
    var standsOnHead = false
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
    let direction = ReadingDirection(of: source)
    var outcome = Outcome()
    if !(textSeen.direction?.isOpposite(to: direction) ?? false) {
      outcome = read(lines, in: source, doubtsDirection: textSeen.direction == nil)
      guard outcome.standsOnHead else {
        if outcome.knownLabels > 0 { textSeen.note(direction) }
        return outcome
      }
    }
    let turned = (byRows ? decoded : decoded.turnedClockwise()).turnedUpsideDown()
    let factor = Float(picture.picture.longestSide) / Float(decoded.picture.longestSide)
    let turnedLines = finder.lines(in: turned.picture).rows.lines.map { $0.scaled(by: factor) }
    var other = read(turnedLines, in: source.turnedUpsideDown(), doubtsDirection: false)
    if other.knownLabels > 0 { textSeen.note(direction.opposite) }
    other.linesRead += outcome.linesRead
    other.lines += outcome.lines
    return other
  }

  /// Reads the units of lines as if they were upright, those most like a labelled serial first.
  ///
  /// - Parameter doubtsDirection: Whether to stop as soon as they seem to stand on their head.
  private func read(_ lines: [TextSegment], in source: DecodedPicture, doubtsDirection: Bool) -> Outcome {
    var outcome = Outcome()
    outcome.lines = lines.count
    outcome.capitalHeight = Statistics.median(lines.map(\.capitalHeight))
    let slope = RowSlope(lines)
    var queue = lines.indices.flatMap { WordUnit.units(of: lines[$0], at: $0) }
      .map { unit in (unit: unit, places: LabelPlace.places(of: unit, in: lines, slope: slope)) }
      .sorted { priority($0) > priority($1) }
    var settled: [WordUnit] = []
    func isSettled(_ unit: WordUnit) -> Bool { settled.contains { $0.overlaps(unit) } }
    var partNumbers: [WordUnit] = []
    var unlabelled: [WordUnit] = []
    var identifierLines: Set<Int> = []
    var (read, textures) = (0, 0)
    var doubtsDirection = doubtsDirection
    while !queue.isEmpty {
      if doubtsDirection, read == Self.unitsBeforeUprightTest {
        doubtsDirection = false
        outcome.standsOnHead = standsOnHead(lines, in: source, &outcome)
        if outcome.standsOnHead { return outcome }
      }
      let (unit, places) = queue.removeFirst()
      guard read < mostUnits, textures < Self.mostTextures, timer.hasTime,
        read < Self.unitsOfTexture || outcome.clearUnits > 0
      else { break }
      // Of several cuts of the same words the first that reads as a value stands.
      guard !isSettled(unit), !identifierLines.contains(unit.line) else { continue }
      let reader = unitReader(of: source)
      let found = reader.read(unit, in: lines, places: places)
      if reader.sawTexture {
        textures += 1
        continue
      }
      read += 1
      outcome.linesRead += reader.linesRead
      if let first = reader.firstReading { outcome.firstReadings.append(first) }
      outcome.clearUnits += reader.readClearly ? 1 : 0
      outcome.otherWords += reader.readClearly && found == nil ? 1 : 0
      outcome.knownLabels += reader.readKnownLabel ? 1 : 0
      outcome.sawSerialLabel = outcome.sawSerialLabel || reader.readSerialLabel
      if reader.readSerialLabel { Self.moveForward(&queue, labelledBy: unit, in: lines) }
      if reader.readIdentifier { identifierLines.insert(unit.line) }
      if reader.readPartNumber { partNumbers.append(unit) }
      if reader.readUnlabelledValue { unlabelled.append(unit) }
      if found == nil, let neighbour = reader.labelledNeighbour, let unit = neighbour.unit(in: lines), !isSettled(unit)
      {
        settled.append(unit)
        let reader = unitReader(of: source)
        let read = reader.read(unit, in: lines, places: [], announcedBy: neighbour.announcement)
        outcome.linesRead += reader.linesRead
        outcome.reads += read.map { [$0] } ?? []
      }
      guard let found else { continue }
      settled.append(unit)
      outcome.reads.append(found)
      if found.isSettled { break }
    }
    if doubtsDirection { outcome.standsOnHead = standsOnHead(lines, in: source, &outcome) }
    if outcome.standsOnHead { return outcome }
    if !outcome.reads.contains(where: { $0.label.announcesSerial }) {
      for unit in unlabelled where partNumbers.contains(where: { isBelow(unit, $0, lines) }) {
        let reader = unitReader(of: source)
        let found = reader.read(unit, in: lines, places: [], announcedBy: .partNumber)
        outcome.reads += found.map { [$0] } ?? []
        outcome.linesRead += reader.linesRead
      }
    }
    outcome.reads = combined(outcome.reads)
    for index in outcome.reads.indices {
      outcome.reads[index].isBesideDeviceMark = textSeen.isBesideDeviceMark(outcome.reads[index].region)
    }
    return outcome
  }

  /// Whether nothing was announced because all of it stands on its head.
  private func standsOnHead(_ lines: [TextSegment], in source: DecodedPicture, _ outcome: inout Outcome) -> Bool {
    guard outcome.knownLabels == 0, !outcome.reads.contains(where: { $0.label.announcesSerial }) else { return false }
    let test = UprightTest(
      source: source, polarity: finder.polarity, engine: engine, observer: observer, textSeen: textSeen)
    defer { outcome.linesRead += test.linesRead }
    return test.isUpsideDown(lines, asRead: outcome.firstReadings)
  }

  private func unitReader(of source: DecodedPicture) -> UnitReader {
    UnitReader(source: source, polarity: finder.polarity, engine: engine, observer: observer, textSeen: textSeen)
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
