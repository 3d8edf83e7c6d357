import Foundation
import Imaging
import ScanModel

/// Searches again beside labels that other strategies read without finding a value: where a value is expected, fainter
/// strokes are worth reading than in the whole image.
struct BesideLabelStrategy: ReadingStrategy {
  /// Maximum number of labels per photo (one serial sought, all sought), and of values read beside each.
  private static let mostLabels = 3
  private static let mostLabelsOfAll = 32
  private static let mostUnits = 4

  /// The labels of other devices, once a serial is accepted; nil for those that no strategy looked beside.
  var otherLabels: [LabelSighting]?

  var name: String { otherLabels == nil ? "beside-label" : "other-labels" }
  var activity: String { otherLabels == nil ? "Looking beside the label" : "Looking beside other labels" }
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let labels = otherLabels ?? Self.newLabels(in: context.photo)
    var reads: [LabelledRead] = []
    for label in labels {
      for side in Surroundings.Side.allCases where context.hasTime {
        guard let read = try read(side, of: label, context) else { continue }
        reads.append(read)
        break
      }
      if !context.wantsEverySerial, reads.contains(where: \.isSettled) { break }
    }
    return StrategyOutcome(reads, strategy: name, summary: "\(labels.count) labels")
  }

  private static func newLabels(in photo: Photo) -> [LabelSighting] {
    let labels = photo.textSeen.takeNewLabels(most: photo.wantsEverySerial ? mostLabelsOfAll : mostLabels)
    return photo.wantsEverySerial ? labels.filter { !photo.textSeen.announcesSureSerial($0) } : labels
  }

  /// The first value among the words beside a label, at the first contrast that shows one.
  ///
  /// - Parameter isTurned: Whether the label's place is already turned toward its value.
  private func read(
    _ side: Surroundings.Side, of label: LabelSighting, _ context: ReadingContext, isTurned: Bool = false
  ) throws(ReadFailure) -> LabelledRead? {
    guard let source = try Surroundings.cut(side, of: label.place, in: context.photo) else { return nil }
    let announcement = Announcement(strengths: label.strengths, relation: side.relation, text: label.text)
    let crops = CropReader(source: source, polarity: label.place.polarity, in: context, isNoted: false)
    var left = Self.mostUnits
    for finder in Surroundings.finders(label.place.polarity) {
      let lines = finder.levelLines(in: source.picture).filter { side.holds($0, in: source.picture) }
      let units = lines.indices.flatMap { WordUnit.units(of: lines[$0], at: $0) }
        .filter { Self.isFirst($0, in: lines) }.sorted { $0.likeness > $1.likeness }
      for unit in units.prefix(left) {
        left -= 1
        let leaves = Self.leaves(source.picture, unit, in: lines[unit.line])
        if leaves, !isTurned {
          var turned = label
          turned.place = side.turned(label.place, by: atan(Double(lines[unit.line].slope)))
          return try read(side, of: turned, context, isTurned: true)
        }
        let reading = UnitReader(crops: crops).read(unit, in: lines, announcedBy: announcement)
        guard var serial = reading.serial else { continue }
        if leaves { serial.note(goesOn: true) }
        return serial
      }
    }
    return nil
  }

  /// Whether a value's line leaves the crop close after the value, as around a ring, so that more of it may follow.
  private static func leaves(_ picture: GrayPicture, _ unit: WordUnit, in line: TextSegment) -> Bool {
    func isInside(_ x: Float) -> Bool {
      let y = line.y(at: x)
      return y > line.capitalHeight / 2 && y < Float(picture.height) - line.capitalHeight / 2
    }
    return isInside(unit.left) && !isInside(unit.right + closeBehind * line.capitalHeight)
  }

  /// Distance after a value at which more of it would stand, in capital heights.
  private static let closeBehind: Float = 1

  /// Whether nothing stands before a unit in its row. Other words would be another label, and the unit that label's
  /// value.
  private static func isFirst(_ unit: WordUnit, in lines: [TextSegment]) -> Bool {
    guard unit.gapBefore == .infinity else { return false }
    let line = lines[unit.line]
    let y = line.y(at: unit.left)
    return !lines.contains { other in
      other.right < unit.left && abs(other.y(at: other.right) - y) < line.capitalHeight
    }
  }
}

/// Searches again for the labels of values that other strategies read without one: fainter print, and print off the
/// row, as on a curved label.
struct BesideValueStrategy: ReadingStrategy {
  /// Maximum number of values per photo: one serial sought, all sought.
  private static let mostValues = 2
  private static let mostValuesOfAll = 32
  /// Maximum number of label places read for each value.
  private static let mostPlaces = 4
  /// Maximum distance of a value's row from where it was read, in capital heights.
  private static let tolerance: Float = 0.6
  /// Maximum slope of a line in a crop that is level with the value.
  private static let greatestSlope: Float = 0.1

  let name = "beside-value"
  let activity = "Looking beside the value"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    var reads: [LabelledRead] = []
    let textSeen = context.textSeen
    var values = textSeen.takeNewUnannouncedValues(
      most: context.wantsEverySerial ? Self.mostValuesOfAll : Self.mostValues)
    if context.wantsEverySerial {
      values = TableColumns.downwards(values.filter { !textSeen.holdsSureSerial($0.place) })
    }
    for value in values where context.hasTime {
      guard let cut = try Surroundings.cut(before: value.place, in: context.photo) else { continue }
      if let read = try read(value, in: cut, context) { reads.append(read) }
      if !context.wantsEverySerial, reads.contains(where: \.isSettled) { break }
    }
    return StrategyOutcome(reads, strategy: name, summary: "\(values.count) values")
  }

  /// The value with a label beside it at any contrast. Without a label, it is returned if a device is named beside it
  /// or a label heads its column.
  private func read(
    _ value: ValueSighting, in cut: Surroundings.BeforeValue, _ context: ReadingContext
  ) throws(ReadFailure) -> LabelledRead? {
    var header = ColumnHeader(of: value.place, in: context)
    if value.hasOtherLabel, try !header.isSerialLabel() { return nil }
    guard let (unit, lines, places) = find(value, in: cut) else { return nil }
    let crops = CropReader(source: cut.source, polarity: value.place.polarity, in: context, isNoted: true)
    let reader = UnitReader(crops: crops)
    if !value.hasOtherLabel, header.known != true {
      let above = RowAbove(crops: crops).place(of: unit, in: lines[unit.line])
        .flatMap { row in places.contains { $0.holds(row) } ? nil : row }
      let reading = reader.read(unit, in: lines, places: places + (above.map { [$0] } ?? []))
      if let serial = reading.serial, serial.label.announcesSerial || serial.isClearCloseUp { return serial }
      guard reading.isUnlabelledValue else { return nil }
      if reading.isBelowPartNumber { return reader.read(unit, in: lines, announcedBy: .partNumber).serial }
      if context.textSeen.isBesideDeviceMark(value.place) {
        return reader.read(unit, in: lines, announcedBy: .sign(.besideDeviceMark)).serial
      }
      guard try header.isSerialLabel() else { return nil }
    }
    return reader.read(unit, in: lines, announcedBy: .sign(.columnHeader)).serial
  }

  /// The value in its crop, with the crop's lines and the nearest places of a possible label.
  private func find(
    _ value: ValueSighting, in cut: Surroundings.BeforeValue
  ) -> (WordUnit, [TextSegment], [LabelPlace])? {
    var found: (unit: WordUnit, lines: [TextSegment], isWhole: Bool)?
    var places: [LabelPlace] = []
    for finder in Surroundings.finders(value.place.polarity) {
      var lines = finder.levelLines(in: cut.source.picture)
      let isSeen = Self.unit(at: cut, in: lines) != nil
      if !isSeen { lines.append(Self.line(at: cut)) }
      guard let unit = Self.unit(at: cut, in: lines) else { continue }
      let isWhole = isSeen && Self.spans(cut, lines[unit.line])
      // Stronger strokes may show a value whole that the faintest don't.
      if found == nil || (isWhole && found?.isWhole == false) { found = (unit, lines, isWhole) }
      places += LabelPlace.places(of: unit, in: lines, slope: nil, layout: .uneven)
        .filter { place in !places.contains { $0.isSame(as: place) } }
    }
    guard let (unit, lines, _) = found else { return nil }
    return (unit, lines, Array(places.sorted { $0.cost < $1.cost }.prefix(Self.mostPlaces)))
  }

  /// The value's line as it was first read, for when it is not found again: a level row of as many boxes as fit.
  private static func line(at cut: Surroundings.BeforeValue) -> TextSegment {
    let side = Surroundings.capital
    let columns = stride(from: Double(cut.columns.lowerBound), to: Double(cut.columns.upperBound), by: side)
    return TextSegment(
      columns.map { x in
        Component(
          x: Int(x), y: Int(cut.row - Float(side) / 2), width: Int(side) - 4, height: Int(side), area: 1,
          centroidX: Float(x + side / 2), centroidY: cut.row)
      })
  }

  /// Whether a line covers the whole value.
  private static func spans(_ cut: Surroundings.BeforeValue, _ line: TextSegment) -> Bool {
    let margin = Float(Surroundings.capital) / 2
    return line.left < cut.columns.lowerBound + margin && line.right > cut.columns.upperBound - margin
  }

  /// The value in the line found at its place.
  private static func unit(at cut: Surroundings.BeforeValue, in lines: [TextSegment]) -> WordUnit? {
    let index = lines.firstIndex { line in
      let x = (cut.columns.lowerBound + cut.columns.upperBound) / 2
      // At the faintest contrast moiré makes other lines.
      return line.left < x && line.right > x && abs(line.slope) < greatestSlope
        && Sighting.alikeHeights.contains(Double(line.capitalHeight / Float(Surroundings.capital)))
        && abs(line.y(at: x) - cut.row) < tolerance * line.capitalHeight
    }
    return index.flatMap { WordUnit(cut.columns, of: lines[$0], at: $0) }
  }
}

/// Searches again around device print that was read without a serial, and in large photos around small print and codes:
/// at the photo's full resolution, level, and for fainter strokes than in the whole image.
struct BesidePrintStrategy: ReadingStrategy {
  /// Maximum number of blocks of print (one serial sought, all sought), and of contrasts tried for each.
  private static let mostBlocks = 2
  private static let mostBlocksOfAll = 8
  private static let mostContrasts = 2
  /// Maximum number of values read at each contrast.
  private static let mostUnits = 8

  let name = "beside-print"
  let activity = "Looking around print and codes"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    var reads: [LabelledRead] = []
    let prints = context.textSeen.takeNewLandmarks(
      most: context.wantsEverySerial ? Self.mostBlocksOfAll : Self.mostBlocks)
    for print in prints where context.hasTime {
      // Linear codes and moiré read alike in both directions.
      for place in [print, print.reversed] {
        guard let source = try Surroundings.cut(around: place, in: context.photo) else { break }
        let (found, standsOnHead) = read(source, place.polarity, context)
        reads += found
        if !standsOnHead { break }
      }
      if !context.wantsEverySerial, reads.contains(where: \.isSettled) { break }
    }
    return StrategyOutcome(reads, strategy: name, summary: "\(prints.count) blocks")
  }

  /// The serials around a line, at the first contrast that shows one, and whether the text there is upside down.
  private func read(
    _ source: DecodedPicture, _ polarity: StrokePolarity, _ context: ReadingContext
  ) -> (reads: [LabelledRead], standsOnHead: Bool) {
    let crops = CropReader(source: source, polarity: polarity, in: context, isNoted: true)
    for finder in Surroundings.finders(polarity).prefix(Self.mostContrasts) {
      var pass = UnitPass(
        lines: finder.levelLines(in: source.picture), crops: crops, in: context, mostUnits: Self.mostUnits)
      let outcome = pass.run(doubtsDirection: true)
      if outcome.standsOnHead { return ([], true) }
      if !outcome.reads.isEmpty { return (outcome.reads, false) }
    }
    return ([], false)
  }
}
