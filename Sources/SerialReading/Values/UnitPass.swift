import Imaging
import ScanModel

/// Reads the units of an image's lines as if upright, those most like a labelled serial first.
struct UnitPass {
  private let lines: [TextSegment]
  private let crops: CropReader
  private let textSeen: TextSeen
  private let timer: ReadingTimer
  private let mostUnits: Int
  private let wantsEverySerial: Bool

  private var outcome = LabelledTextPass.Outcome()
  private var queue: [Item] = []
  /// What was read of the units, in order.
  private var readings: [UnitReading] = []
  /// Units from which a serial was read; other groupings of the same words are not read again.
  private var settled: [WordUnit] = []
  /// Reads that seem to continue beside their unit. They count only if the whole is not read.
  private var parts: [LabelledRead] = []
  private var textures = 0
  /// Whether a unit was passed over because another strategy had read its text clearly, this way up.
  private var wasReadBefore = false

  /// A unit with the places where its label may stand.
  private struct Item {
    var unit: WordUnit
    var places: [LabelPlace]

    /// How early it is read, as its likeness to a serial.
    let priority: Float

    init(_ unit: WordUnit, _ places: [LabelPlace], isSharp: Bool) {
      (self.unit, self.places) = (unit, places)
      priority =
        (isSharp ? unit.sharpLikeness : unit.likeness) + (places.isEmpty ? 0 : UnitPass.weightOfLabel)
        - (unit.isParted ? UnitPass.costOfParted : 0)
    }
  }

  /// Priority, in units of likeness, of a value that may have a label.
  static let weightOfLabel: Float = 0.25
  /// Cost of a unit that may be a part of a word: it is read after all others.
  private static let costOfParted: Float = 1
  /// Maximum number of values read in one pass over a whole image.
  static let mostUnits = 16
  /// Number of devices for whose values there is room if all serials are sought.
  private static let mostDevices = 6
  /// Number of units read without a known label after which the lines are tested for being upside down.
  private static let unitsBeforeUprightTest = 6
  /// Number of other values in a column from which the rest of it is read last.
  private static let othersOfColumn = 2
  /// Number of units without clear text after which the rest counts as texture.
  private static let unitsOfTexture = 7
  /// Number of units found to be texture before reading after which no more are checked.
  private static let mostTextures = 24

  init(
    lines: [TextSegment], crops: CropReader, in context: ReadingContext, mostUnits: Int, wantsEverySerial: Bool = false
  ) {
    self.mostUnits = wantsEverySerial ? mostUnits * Self.mostDevices : mostUnits
    self.wantsEverySerial = wantsEverySerial
    self.lines = lines
    self.crops = crops
    (textSeen, timer) = (context.textSeen, context.timer)
    outcome.lines = lines.count
    outcome.capitalHeight = Statistics.median(lines.map(\.capitalHeight))
    let slope = RowSlope(lines)
    queue = lines.indices.flatMap { WordUnit.units(of: lines[$0], at: $0) }
      .map {
        Item($0, LabelPlace.places(of: $0, in: lines, slope: slope), isSharp: context.textSeen.isOfScreenshot)
      }
      .sorted { $0.priority > $1.priority }
  }

  /// Reads until a serial is settled or no promising unit is left.
  ///
  /// - Parameter doubtsDirection: Whether to stop as soon as the lines seem to be upside down.
  mutating func run(doubtsDirection: Bool) -> LabelledTextPass.Outcome {
    outcome.standsOnHead = readsOnHead(doubtsDirection: doubtsDirection)
    if !outcome.standsOnHead {
      readBelowPartNumbers()
      readAboveIdentifiers()
      outcome.reads += parts.filter { part in !outcome.reads.contains { $0.serial.contains(part.serial) } }
      combineReads()
    }
    outcome.linesRead = crops.linesRead
    outcome.clearUnits = readings.count(where: \.isClear)
    outcome.otherWords = readings.count { $0.isClear && $0.serial == nil }
    outcome.hasKnownLabel = readings.contains(where: \.hasKnownLabel)
    outcome.sawSerialLabel = readings.contains(where: \.isSerialLabel)
    return outcome
  }

  /// Reads the units, and after some of them tests whether the lines are upside down; returns the result.
  private mutating func readsOnHead(doubtsDirection: Bool) -> Bool {
    var doubtsDirection = doubtsDirection
    while hasMore, !queue.isEmpty {
      if doubtsDirection, readings.count == Self.unitsBeforeUprightTest {
        doubtsDirection = false
        if standsOnHead() { return true }
      }
      if readNext(), !wantsEverySerial { break }
    }
    return doubtsDirection && standsOnHead()
  }

  private var hasMore: Bool {
    readings.count < mostUnits && textures < Self.mostTextures && timer.hasTime
      && (readings.count < Self.unitsOfTexture || readings.contains(where: \.isClear))
  }

  private func isSettled(_ unit: WordUnit) -> Bool {
    settled.contains { $0.overlaps(unit) }
      || textSeen.holdsSureSerial(
        lines[unit.line], from: unit.left, to: unit.right, toUploaded: crops.source.toUploaded)
  }

  private func isReadBefore(_ unit: WordUnit) -> Bool {
    textSeen.wasRead(
      lines[unit.line], from: unit.left, to: unit.right, polarity: crops.polarity, toUploaded: crops.source.toUploaded)
  }

  /// Reads the next unit. Of several groupings of the same words, the first that reads as a value counts.
  ///
  /// - Returns: Whether a serial was read that is clear enough to stop.
  private mutating func readNext() -> Bool {
    let item = queue.remove(at: queue.firstIndex { !isInColumnOfOthers($0.unit) } ?? 0)
    guard !isSettled(item.unit), !isOfIdentifier(item.unit) else { return false }
    if isReadBefore(item.unit) {
      wasReadBefore = true
      return false
    }
    let reading = UnitReader(crops: crops).read(item.unit, in: lines, places: item.places)
    if reading.isTexture {
      textures += 1
      return false
    }
    readings.append(reading)
    if reading.isSerialLabel { moveForward(labelledBy: item.unit) }
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

  /// Reads the value that was found beside its label where another value's label was searched.
  private mutating func readNeighbour(_ reading: UnitReading) {
    guard let neighbour = reading.neighbour, let unit = neighbour.unit(in: lines), !isSettled(unit) else { return }
    settled.append(unit)
    read(unit, announcedBy: neighbour.announcement)
  }

  /// Reads values below an order number, as on an About page, if no label was read.
  private mutating func readBelowPartNumbers() {
    guard !outcome.reads.contains(where: { $0.label.announcesSerial }) else { return }
    let partNumbers = readings.filter(\.isPartNumber).map(\.unit)
    let values = readings.filter { $0.isUnlabelledValue && !$0.followsClearWord }
    let below = values.filter(\.isBelowPartNumber).map(\.unit)
    for unit in values.map(\.unit)
    where below.contains(where: { $0.overlaps(unit) }) || partNumbers.contains(where: { isBelow(unit, $0) }) {
      read(unit, announcedBy: .partNumber)
    }
  }

  /// Reads values above a universally unique identifier, as in System Information, if no label was read.
  private mutating func readAboveIdentifiers() {
    guard !outcome.reads.contains(where: { $0.label.announcesSerial }) else { return }
    let identifiers = readings.filter(\.isUniversalIdentifier).map(\.unit)
    for value in readings.filter(\.isUnlabelledValue) where identifiers.contains(where: { isBelow($0, value.unit) }) {
      read(value.unit, announcedBy: .sign(.aboveIdentifier))
    }
  }

  private mutating func read(_ unit: WordUnit, announcedBy announcement: Announcement) {
    let reading = UnitReader(crops: crops).read(unit, in: lines, announcedBy: announcement)
    if let serial = reading.serial { outcome.reads.append(serial) }
  }

  /// Whether nothing was announced because the lines are upside down.
  private func standsOnHead() -> Bool {
    guard !wasReadBefore, !readings.contains(where: \.hasKnownLabel),
      !outcome.reads.contains(where: { $0.label.announcesSerial })
    else { return false }
    return UprightTest(crops: crops).isUpsideDown(lines, asRead: readings.compactMap(\.first))
  }

  /// Moves the units that may be the value of a label just read to the front: a dense page has more units than are
  /// read.
  private mutating func moveForward(labelledBy label: WordUnit) {
    let isLabelled = { [lines] (item: Item) in
      item.unit.line == label.line || item.places.contains { $0.isPart(of: lines[label.line]) }
    }
    queue = queue.filter(isLabelled) + queue.filter { !isLabelled($0) }
  }

  /// Whether a unit stands in a line of which a part was read as an identifier's.
  private func isOfIdentifier(_ unit: WordUnit) -> Bool {
    readings.contains { $0.isIdentifier && $0.unit.line == unit.line }
  }

  /// Whether a unit stands in a table column with several equally long values that are not serials. A column of dates
  /// contains no serial, and a page has more units than are read.
  private func isInColumnOfOthers(_ unit: WordUnit) -> Bool {
    readings.count { isOfOneColumn(unit, $0.unit) && $0.isOther } >= Self.othersOfColumn
  }

  private func isOfOneColumn(_ unit: WordUnit, _ other: WordUnit) -> Bool {
    guard unit.line != other.line, (0.8...1.25).contains((unit.right - unit.left) / (other.right - other.left)),
      (0.75...1.33).contains(unit.height / other.height)
    else { return false }
    let slope = (lines[unit.line].slope + lines[other.line].slope) / 2
    let (y, otherY) = (middle(of: unit), middle(of: other))
    return abs(unit.left - other.left + slope * (y - otherY)) < 0.6 * unit.height
  }

  /// The y coordinate of a unit's middle, in pixels.
  private func middle(of unit: WordUnit) -> Float {
    lines[unit.line].y(at: (unit.left + unit.right) / 2)
  }

  /// Whether a unit stands in the row directly below another, aligned with its left or right end, in letters of the
  /// same size, with no row between. On packing slips, values further below are invoice numbers.
  private func isBelow(_ unit: WordUnit, _ upper: WordUnit) -> Bool {
    let slope = (lines[unit.line].slope + lines[upper.line].slope) / 2
    let (x, upperX) = ((unit.left + unit.right) / 2, (upper.left + upper.right) / 2)
    let (y, upperY) = (middle(of: unit), middle(of: upper))
    let below = y - upperY - slope * (x - upperX)
    guard (0.75...1.33).contains(unit.height / upper.height), below > 1.2 * unit.height, below < 5 * unit.height,
      min(abs(unit.left - upper.left), abs(unit.right - upper.right)) < 1.2 * unit.height
    else { return false }
    return !lines.contains { line in
      let height = line.y(at: x) - y
      return line.left < unit.right && line.right > unit.left && height < -0.7 * unit.height
        && height > 0.7 * unit.height - below
    }
  }

  /// Keeps the read with the strongest label of each serial.
  private mutating func combineReads() {
    outcome.reads = outcome.reads.sorted { $0.label.serial > $1.label.serial }.distinct { $0.serial == $1.serial }
    for (index, read) in outcome.reads.enumerated() {
      outcome.reads[index].isBesideDeviceMark = textSeen.isBesideDeviceMark(read.read.recognised)
    }
  }
}
