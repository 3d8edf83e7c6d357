import Imaging
import ScanModel

/// Reads the units of a picture's lines as if they stood upright, those most like a labelled serial first.
struct UnitPass {
  private let lines: [TextSegment]
  private let crops: CropReader
  private let textSeen: TextSeen
  private let timer: ReadingTimer
  private let mostUnits: Int
  private let wantsEverySerial: Bool

  private var outcome = LabelledTextPass.Outcome()
  private var queue: [Item] = []
  /// Units of which a serial was read; other cuts of the same words are not read again.
  private var settled: [WordUnit] = []
  /// Reads that seem to go on beside their unit: they count only where the whole is not read.
  private var parts: [LabelledRead] = []
  private var partNumbers: [WordUnit] = []
  private var unlabelled: [WordUnit] = []
  /// Values of which the line right above, of whatever shape, is an order number.
  private var belowPartNumbers: [WordUnit] = []
  private var identifierLines: Set<Int> = []
  /// Units that read with ease as something else than a serial, or its label.
  private var others: [WordUnit] = []
  private var identifiers: [WordUnit] = []
  /// Values that nothing known announces, where a word may stand before them.
  private var unannounced: [WordUnit] = []
  private var (unitsRead, textures) = (0, 0)

  /// A unit with the places where its label may stand.
  private struct Item {
    var unit: WordUnit
    var places: [LabelPlace]

    var priority: Float { unit.likeness + (places.isEmpty ? 0 : 0.25) }
  }

  /// The most values read in one pass over a whole picture.
  static let mostUnits = 16
  /// Devices whose values are provided for where every serial is looked for.
  private static let mostDevices = 6
  /// Units that are read after a settled serial.
  private static let mostTwins = 2
  /// Units read without a known label among them, after which it is asked whether all stands on its head.
  private static let unitsBeforeUprightTest = 6
  /// Units of a column that are something else, from which the rest of it is read last.
  private static let othersOfColumn = 2
  /// Units of which none was text that is easy to read, after which the rest is taken as texture.
  private static let unitsOfTexture = 7
  /// Units that turn out as texture before they are read, after which none is looked at any more.
  private static let mostTextures = 24

  init(
    lines: [TextSegment], crops: CropReader, textSeen: TextSeen, timer: ReadingTimer, mostUnits: Int = Self.mostUnits,
    wantsEverySerial: Bool = false
  ) {
    self.mostUnits = wantsEverySerial ? mostUnits * Self.mostDevices : mostUnits
    self.wantsEverySerial = wantsEverySerial
    self.lines = lines
    self.crops = crops
    self.textSeen = textSeen
    self.timer = timer
    outcome.lines = lines.count
    outcome.capitalHeight = Statistics.median(lines.map(\.capitalHeight))
    let slope = RowSlope(lines)
    queue = lines.indices.flatMap { WordUnit.units(of: lines[$0], at: $0) }
      .map { Item(unit: $0, places: LabelPlace.places(of: $0, in: lines, slope: slope)) }
      .sorted { $0.priority > $1.priority }
  }

  /// Reads until a serial is settled, or nothing is left that is worth it.
  ///
  /// - Parameter doubtsDirection: Whether to stop as soon as the lines seem to stand on their head.
  mutating func run(doubtsDirection: Bool) -> LabelledTextPass.Outcome {
    outcome.standsOnHead = readsOnHead(doubtsDirection: doubtsDirection)
    if !outcome.standsOnHead {
      readBelowPartNumbers()
      readAboveIdentifiers()
      outcome.reads += parts.filter { part in !outcome.reads.contains { $0.serial.contains(part.serial) } }
      combineReads()
    }
    outcome.linesRead = crops.linesRead
    return outcome
  }

  /// Reads the units, and asks after some whether all stands on its head.
  private mutating func readsOnHead(doubtsDirection: Bool) -> Bool {
    var doubtsDirection = doubtsDirection
    while hasMore, !queue.isEmpty {
      if doubtsDirection, unitsRead == Self.unitsBeforeUprightTest {
        doubtsDirection = false
        if standsOnHead() { return true }
      }
      if readNext(), !wantsEverySerial { keepTwins() }
    }
    return doubtsDirection && standsOnHead()
  }

  /// Leaves, of the units that are not read yet, those as large as the serial that was just read, with a place for a label: another
  /// device's, most likely.
  private mutating func keepTwins() {
    guard let serial = settled.last else { return }
    queue = Array(queue.filter { !$0.places.isEmpty && $0.unit.isTwin(of: serial) }.prefix(Self.mostTwins))
  }

  private var hasMore: Bool {
    unitsRead < mostUnits && textures < Self.mostTextures && timer.hasTime
      && (unitsRead < Self.unitsOfTexture || outcome.clearUnits > 0)
  }

  private func isSettled(_ unit: WordUnit) -> Bool {
    settled.contains { $0.overlaps(unit) }
      || textSeen.holdsSureSerial(
        lines[unit.line], from: unit.left, to: unit.right, toUploaded: crops.source.toUploaded)
  }

  /// Reads the next unit. Of several cuts of the same words the first that reads as a value stands.
  ///
  /// - Returns: Whether a serial was read that is clear enough to stop.
  private mutating func readNext() -> Bool {
    let item = queue.remove(at: queue.firstIndex { !isInColumnOfOthers($0.unit) } ?? 0)
    guard !isSettled(item.unit), !identifierLines.contains(item.unit.line) else { return false }
    let reading = UnitReader(crops: crops).read(item.unit, in: lines, places: item.places)
    if reading.isTexture {
      textures += 1
      return false
    }
    unitsRead += 1
    note(reading, of: item.unit)
    guard let serial = reading.serial else {
      readNeighbour(reading)
      return false
    }
    if serial.goesOn {
      parts.append(serial)
      return false
    }
    settled.append(item.unit)
    outcome.reads.append(serial)
    return serial.isSettled
  }

  private mutating func note(_ reading: UnitReading, of unit: WordUnit) {
    if let first = reading.first { outcome.firstReadings.append(first) }
    outcome.clearUnits += reading.isClear ? 1 : 0
    outcome.otherWords += reading.isClear && reading.serial == nil ? 1 : 0
    outcome.knownLabels += reading.hasKnownLabel ? 1 : 0
    outcome.sawSerialLabel = outcome.sawSerialLabel || reading.isSerialLabel
    if reading.isSerialLabel { moveForward(labelledBy: unit) }
    if reading.isClear, reading.serial == nil, !reading.isSerialLabel, !reading.isUnlabelledValue {
      others.append(unit)
    }
    if reading.isIdentifier { identifierLines.insert(unit.line) }
    if reading.isUniversalIdentifier { identifiers.append(unit) }
    if reading.isUnlabelledValue { unannounced.append(unit) }
    if reading.isPartNumber { partNumbers.append(unit) }
    if reading.isUnlabelledValue, !reading.followsClearWord {
      unlabelled.append(unit)
      if reading.isBelowPartNumber { belowPartNumbers.append(unit) }
    }
  }

  /// Reads the value that was seen beside its label where another's was looked for.
  private mutating func readNeighbour(_ reading: UnitReading) {
    guard let neighbour = reading.neighbour, let unit = neighbour.unit(in: lines), !isSettled(unit) else { return }
    settled.append(unit)
    read(unit, announcedBy: neighbour.announcement)
  }

  /// Reads values below an order number, as on an About page, where no label was read.
  private mutating func readBelowPartNumbers() {
    guard !outcome.reads.contains(where: { $0.label.announcesSerial }) else { return }
    for unit in unlabelled
    where belowPartNumbers.contains(where: { $0.overlaps(unit) }) || partNumbers.contains(where: { isBelow(unit, $0) })
    {
      read(unit, announcedBy: .partNumber)
    }
  }

  /// Reads values above a universally unique identifier, as in System Information, where no label was read.
  private mutating func readAboveIdentifiers() {
    guard !outcome.reads.contains(where: { $0.label.announcesSerial }) else { return }
    for unit in unannounced where identifiers.contains(where: { isBelow($0, unit) }) {
      read(unit, announcedBy: .identifierBelow)
    }
  }

  private mutating func read(_ unit: WordUnit, announcedBy announcement: Announcement) {
    let reading = UnitReader(crops: crops).read(unit, in: lines, places: [], announcedBy: announcement)
    if let serial = reading.serial { outcome.reads.append(serial) }
  }

  /// Whether nothing was announced because all of it stands on its head.
  private func standsOnHead() -> Bool {
    guard outcome.knownLabels == 0, !outcome.reads.contains(where: { $0.label.announcesSerial }) else { return false }
    return UprightTest(crops: crops).isUpsideDown(lines, asRead: outcome.firstReadings)
  }

  /// Puts those units first that may be the value of a label just read: a dense page holds more units than are read.
  private mutating func moveForward(labelledBy label: WordUnit) {
    let isLabelled = { [lines] (item: Item) in
      item.unit.line == label.line || item.places.contains { $0.isPart(of: lines[label.line]) }
    }
    queue = queue.filter(isLabelled) + queue.filter { !isLabelled($0) }
  }

  /// Whether a unit stands in one column of a table with some that are something else, and is as long: a column of dates holds no serial, and
  /// a page holds more units than are read.
  private func isInColumnOfOthers(_ unit: WordUnit) -> Bool {
    others.count { isOfOneColumn(unit, $0) } >= Self.othersOfColumn
  }

  private func isOfOneColumn(_ unit: WordUnit, _ other: WordUnit) -> Bool {
    guard unit.line != other.line, (0.8...1.25).contains((unit.right - unit.left) / (other.right - other.left)),
      (0.75...1.33).contains(unit.height / other.height)
    else { return false }
    let slope = (lines[unit.line].slope + lines[other.line].slope) / 2
    let (y, otherY) = (middle(of: unit), middle(of: other))
    return abs(unit.left - other.left + slope * (y - otherY)) < 0.6 * unit.height
  }

  /// How far down the middle of a unit stands, in pixels.
  private func middle(of unit: WordUnit) -> Float {
    lines[unit.line].slope * (unit.left + unit.right) / 2 + lines[unit.line].offset
  }

  /// Whether a unit stands in the row right below another, aligned with its left or right end, in letters of its size, with no row
  /// between: on packing slips what stands further below is an invoice's number.
  private func isBelow(_ unit: WordUnit, _ upper: WordUnit) -> Bool {
    let slope = (lines[unit.line].slope + lines[upper.line].slope) / 2
    let (x, upperX) = ((unit.left + unit.right) / 2, (upper.left + upper.right) / 2)
    let (y, upperY) = (middle(of: unit), middle(of: upper))
    let below = y - upperY - slope * (x - upperX)
    guard (0.75...1.33).contains(unit.height / upper.height), below > 1.2 * unit.height, below < 5 * unit.height,
      min(abs(unit.left - upper.left), abs(unit.right - upper.right)) < 1.2 * unit.height
    else { return false }
    return !lines.contains { line in
      let height = line.slope * x + line.offset - y
      return line.left < unit.right && line.right > unit.left && height < -0.7 * unit.height
        && height > 0.7 * unit.height - below
    }
  }

  /// The same serial in several lines is one read, better founded; of different ones at one place that are announced at most one is
  /// right.
  private mutating func combineReads() {
    var kept: [LabelledRead] = []
    for read in outcome.reads.sorted(by: { $0.label.serial > $1.label.serial }) {
      if let same = kept.firstIndex(where: { $0.serial == read.serial }) {
        kept[same].repetitions += 1
      } else {
        kept.append(read)
      }
    }
    let announced = kept.filter(\.label.announcesSerial).map { ($0.serial, PrintedBox($0.region)) }
    for index in kept.indices {
      let box = PrintedBox(kept[index].region)
      kept[index].isContradicted = announced.contains { serial, other in
        guard serial != kept[index].serial, let box, let other else { return false }
        return box.isOneLine(with: other)
      }
      kept[index].isBesideDeviceMark = textSeen.isBesideDeviceMark(kept[index].recognised)
    }
    outcome.reads = kept
  }
}
