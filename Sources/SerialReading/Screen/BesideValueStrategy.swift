import Imaging
import ScanModel

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
  /// Range of the line's capital height as a multiple of the value's: at the faintest contrast moiré makes other lines.
  private static let heights: ClosedRange<Float> = 0.6...1.7

  let name = "beside-value"
  let activity = "Looking beside the value"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    var reads: [LabelledRead] = []
    let values = context.photo.textSeen.takeNewUnannouncedValues(
      most: context.photo.wantsEverySerial ? Self.mostValuesOfAll : Self.mostValues)
    for value in values where context.hasTime {
      guard let cut = try Surroundings.cut(before: value.place, in: context.photo) else { continue }
      if let read = try read(value, in: cut, context) { reads.append(read) }
      if !context.photo.wantsEverySerial, reads.contains(where: \.isSettled) { break }
    }
    return StrategyOutcome(reads, strategy: name, summary: "\(values.count) values")
  }

  /// The value with a label beside it at any contrast. Without a label, it is returned if a device is named beside it
  /// or a label heads its column.
  private func read(
    _ value: ValueSighting, in cut: Surroundings.BeforeValue, _ context: ReadingContext
  ) throws(ReadFailure) -> LabelledRead? {
    let header = ColumnHeader(value: value.place, context: context)
    if value.hasOtherLabel, try !header.isSerialLabel() { return nil }
    guard let (unit, lines, places) = find(value, in: cut) else { return nil }
    let crops = CropReader(source: cut.source, polarity: value.place.polarity, in: context, isNoted: true)
    let reader = UnitReader(crops: crops)
    if !value.hasOtherLabel {
      let above = RowAbove(crops: crops).place(of: unit, in: lines[unit.line])
        .flatMap { row in places.contains { $0.holds(row) } ? nil : row }
      let reading = reader.read(unit, in: lines, places: places + (above.map { [$0] } ?? []))
      if let serial = reading.serial, serial.label.announcesSerial || serial.isClearCloseUp { return serial }
      guard reading.isUnlabelledValue else { return nil }
      if reading.isBelowPartNumber { return reader.read(unit, in: lines, places: [], announcedBy: .partNumber).serial }
      if context.photo.textSeen.isBesideDeviceMark(value.place) {
        return reader.read(unit, in: lines, places: [], announcedBy: .deviceMark).serial
      }
      guard try header.isSerialLabel() else { return nil }
    }
    return reader.read(unit, in: lines, places: [], announcedBy: .columnHeader).serial
  }

  /// The value in its crop, with the crop's lines and the nearest places of a possible label.
  private func find(
    _ value: ValueSighting, in cut: Surroundings.BeforeValue
  ) -> (WordUnit, [TextSegment], [LabelPlace])? {
    var found: (unit: WordUnit, lines: [TextSegment], isWhole: Bool)?
    var places: [LabelPlace] = []
    for threshold in Surroundings.contrasts(value.place.polarity) {
      let finder = DisplayLineFinder(threshold: threshold, polarity: value.place.polarity)
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
      return line.left < x && line.right > x && abs(line.slope) < greatestSlope
        && heights.contains(line.capitalHeight / Float(Surroundings.capital))
        && abs(line.slope * x + line.offset - cut.row) < tolerance * line.capitalHeight
    }
    return index.flatMap { WordUnit(cut.columns, of: lines[$0], at: $0) }
  }
}
