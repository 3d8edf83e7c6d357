import AppleSerial
import Imaging
import TextReading

/// Reads one unit in several crop variants, and its label once.
struct UnitReader {
  let crops: CropReader

  /// Reads a unit and its label.
  ///
  /// - Parameter announcement: Its announcement if already known; no label is then read.
  func read(
    _ unit: WordUnit, in lines: [TextSegment], places: [LabelPlace] = [], announcedBy announcement: Announcement? = nil
  ) -> UnitReading {
    var segment = lines[unit.line].part(unit)
    var reading = UnitReading(unit: unit)
    guard let variant = CropVariant.ofValues.first, let first = read(unit, &segment, variant) else {
      return reading
    }
    let crop = first.crop
    guard let line = first.line else {
      reading.isTexture = true
      return reading
    }
    let places = places.map { $0.stretched(by: segment.stretch) }
    reading.note(line, of: segment)
    let edge = PhotoEdge(unit: unit, segment: segment, crops: crops)
    guard let value = edge.value(in: line) else { return reading }
    let label = announcement ?? self.announcement(of: value, read: line, places, edge, &reading)
    reading.isBelowPartNumber = label.relation == .above && UnitReading.isPartNumber(label.text)
    let isUnannounced = value.prefix.isEmpty && !label.strengths.announcesSerial
    if isUnannounced, !label.strengths.announcesOther { reading.unlabelled = (value, crop) }
    if isUnannounced, value.isPlausible, reading.isUnlabelledValue || label.relation == .row {
      crops.noteUnannounced(value, hasOtherLabel: !reading.isUnlabelledValue, in: crop)
    }
    guard label.isWorthReading(value), label.strengths.announcesSerial || !value.followsEndOfLabel else {
      return reading
    }
    let isOpen = LabelKeywords.openParenthesis(in: label.text) != nil
    var readings = CropReadings<ValueText>()
    readings.add(edge.value(in: line, isOpen: isOpen), in: crop)
    for variant in CropVariant.ofValues.dropFirst() where !readings.isSettled {
      guard let crop = self.crop(unit, segment, variant) else { break }
      readings.add(crops.read(crop).flatMap { edge.value(in: $0, isOpen: isOpen) }, in: crop)
    }
    let isBehindLabel = label.relation == .sameLine && unit.gapBefore < .infinity
    reading.serial = readings.serial(
      announcedBy: label, segment, line: unit.line,
      gapBefore: isBehindLabel ? Double(unit.gapBefore / segment.capitalHeight) : 0)
    if let serial = reading.serial?.serial,
      let goesOn = Continuation(crops: crops).goesOn(
        serial, unit: unit, in: lines[unit.line], labelStands: label.relation)
    {
      reading.serial?.note(goesOn: goesOn)
    }
    return reading
  }

  /// The first reading of a unit, with its letters as they are or, if their width is unusual, stretched to the usual
  /// width, whichever has the higher confidence.
  ///
  /// - Parameter segment: The unit's part of its line; its stretch is set.
  private func read(
    _ unit: WordUnit, _ segment: inout TextSegment, _ variant: CropVariant
  ) -> (crop: LineCrop, line: TextLine?)? {
    guard let crop = crop(unit, segment, variant) else { return nil }
    guard let line = crops.read(crop) else { return (crop, nil) }
    var other = segment
    other.stretch = crop.stretch(of: segment, readAs: line, isWord: true) ?? 1
    guard other.stretch != 1, let otherCrop = self.crop(unit, other, variant),
      let otherLine = crops.read(otherCrop), otherLine.meanConfidence > line.meanConfidence
    else { return (crop, line) }
    segment = other
    return (otherCrop, otherLine)
  }

  /// The announcement of a value: its label, the rest of one at the photo's edge, or a close-up.
  private func announcement(
    of value: ValueText, read line: TextLine, _ places: [LabelPlace], _ edge: PhotoEdge, _ reading: inout UnitReading
  ) -> Announcement {
    if value.isInComputerName { return .sign(.besideDeviceMark) }
    var labels = LabelReader(crops: crops)
    let label = labels.announcement(of: value, at: places)
    reading.hasKnownLabel = reading.hasKnownLabel || labels.sawOtherLabel
    reading.followsClearWord = labels.sawClearWord
    reading.neighbour = labels.neighbour
    // Text above may belong to the row above.
    let own = label.strengths.announcesSerial ? label : labels.inRow ?? label
    let found = edge.cutLabel(of: value, read: line, own, places) ?? label
    return !labels.sawClearWord && edge.isCloseUp(of: value, labelled: found) ? .sign(.closeUp) : found
  }

  /// A crop of the value with background on both sides, but without its neighbours: neither those of its line nor ink
  /// beside it too short to form a line (`SN`).
  private func crop(_ unit: WordUnit, _ segment: TextSegment, _ variant: CropVariant) -> LineCrop? {
    let wide = range(of: unit, segment)
    guard let crop = crops.cut(segment, wide, variant) else { return nil }
    let (left, right) = (crop.column(of: unit.left, on: segment), crop.column(of: unit.right, on: segment))
    guard right > left, let columns = Self.columns(from: left, to: right, of: crop) else { return crop }
    let scale = (right - left) / max(1, unit.right - unit.left)
    let capital = Float(crop.capital)
    let gaps = InkProfile(crop.picture, capital: capital).gaps(around: columns, capital: capital)
    guard gaps.before != nil || gaps.after != nil else { return crop }
    var parted = unit
    parted.gapBefore = min(unit.gapBefore, gaps.before.map { Float($0) / scale } ?? .infinity)
    parted.gapAfter = min(unit.gapAfter, gaps.after.map { Float($0) / scale } ?? .infinity)
    return crops.cut(segment, range(of: parted, segment), variant)
  }

  /// Columns within a crop; nil if all lie outside.
  private static func columns(from left: Float, to right: Float, of crop: LineCrop) -> ClosedRange<Int>? {
    let (first, last) = (max(0, left), min(Float(crop.picture.width - 1), right))
    return first <= last ? Int(first)...Int(last) : nil
  }

  /// The share of the gap to a neighbour that is read with a unit, at most.
  static let shareOfGap: Float = 0.6

  private func range(of unit: WordUnit, _ segment: TextSegment) -> ClosedRange<Float> {
    let margin = LineCrop.margin * segment.capitalHeight
    let left = max(0, unit.left - min(margin, Self.shareOfGap * unit.gapBefore))
    let right = min(Float(crops.source.picture.width - 1), unit.right + min(margin, Self.shareOfGap * unit.gapAfter))
    return left...max(left + 1, right)
  }
}

/// The results of reading one unit, serial or not.
struct UnitReading {
  let unit: WordUnit
  /// The serial with its label, if the unit is one.
  var serial: LabelledRead?
  /// The first reading; nil if there was nothing to read.
  private(set) var first: UnitText?
  /// Whether there was no print to read.
  var isTexture = false
  /// Mean confidence of the first reading, 0...100; 0 if there is none.
  var meanConfidence: Float { first?.line.meanConfidence ?? 0 }
  /// Whether the text was read clearly.
  private(set) var isClear = false
  /// Whether the unit or the text before it is a known label.
  var hasKnownLabel = false
  /// Whether the unit is a serial's label.
  private(set) var isSerialLabel = false
  /// Whether it is an order number such as `MVVJ2LL/A`.
  private(set) var isPartNumber = false
  /// Whether it is part of an address or of a universally unique identifier, whose groups each resemble a serial.
  private(set) var isIdentifier = false
  /// Whether it is, or begins, a universally unique identifier.
  private(set) var isUniversalIdentifier = false
  /// Its value with its crop if nothing readable stands before it, whatever its format.
  var unlabelled: (value: ValueText, crop: LineCrop)?
  /// Whether that has a serial's format.
  var isUnlabelledValue: Bool { unlabelled?.value.isPlausible ?? false }
  /// Whether the line directly above is an order number.
  var isBelowPartNumber = false
  /// Whether a clearly read word stands before it.
  var followsClearWord = false
  /// A serial's label with its value that was read where this unit's label was searched.
  var neighbour: LabelReader.LabelledNeighbour?

  /// Whether it clearly reads as something other than a serial or its label.
  var isOther: Bool { isClear && serial == nil && !isSerialLabel && !isUnlabelledValue }

  /// Minimum mean confidence, 0...100, and length of a clearly read text.
  private static let clear: (confidence: Float, count: Int) = (92, 5)

  /// Notes the first reading.
  mutating func note(_ line: TextLine, of segment: TextSegment) {
    first = UnitText(segment: segment, line: line)
    isClear = line.symbols.count >= Self.clear.count && line.meanConfidence > Self.clear.confidence
    let strengths = LabelKeywords.strengths(before: line.text)
    hasKnownLabel = strengths.isKnown
    isSerialLabel = strengths.serial >= LabelKeywords.Strengths.leastOfKnown
    isIdentifier = isClear && Self.isGrouped(line.text)
    isUniversalIdentifier = isIdentifier && Self.beginsUniversalIdentifier(line.text)
    isPartNumber = Self.isPartNumber(line.text)
  }

  /// Whether a text is an order number such as `MVVJ2LL/A`.
  static func isPartNumber(_ text: String) -> Bool {
    LookAlike(text.filter { $0 != " " }) == .partNumber && text.contains(where: \.isNumber)
  }

  /// Whether a text begins like `AB23B013-AAD5-`.
  private static func beginsUniversalIdentifier(_ text: String) -> Bool {
    let groups = text.filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
    return groups.count >= 2 && groups[0].count == 8 && (groups[1].count == 4 || groups.count == 2)
  }

  /// Whether a text consists of groups of hexadecimal digits separated by hyphens or colons.
  private static func isGrouped(_ text: String) -> Bool {
    let groups = text.split { $0 == "-" || $0 == ":" || $0 == " " }
    let separators = text.count { $0 == "-" || $0 == ":" }
    return separators >= 1 && groups.count >= 2 && groups.allSatisfy { $0.allSatisfy { $0.isHexDigit || $0 == "O" } }
  }
}
