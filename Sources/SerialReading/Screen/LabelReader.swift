import AppleSerial
import TextReading

/// Reads the text before or above a value, to find its label.
struct LabelReader {
  let crops: CropReader
  /// Whether a label was read that announces something else.
  private(set) var sawOtherLabel = false
  /// Whether a word in the value's row was read with confidence: if not a known label, it is an unknown one.
  private(set) var sawClearWord = false
  /// The text in the value's own row, whatever it is.
  private(set) var inRow: Announcement?
  /// A serial's label with its value that was read where this value's label was searched.
  private(set) var neighbour: LabelledNeighbour?

  /// A value that was read together with its label.
  struct LabelledNeighbour {
    /// The place where the label was searched.
    var place: LabelPlace
    /// The value's ends along the line's x coordinates.
    var columns: ClosedRange<Float>
    var announcement: Announcement

    /// The value as a unit of its line; nil if that line is not in the list.
    func unit(in lines: [TextSegment]) -> WordUnit? {
      lines.firstIndex { place.isPart(of: $0) }.flatMap { WordUnit(columns, of: lines[$0], at: $0) }
    }
  }

  init(crops: CropReader) {
    self.crops = crops
  }

  /// The strongest label among the places; the first place on a tie.
  mutating func announcement(of value: ValueText, at places: [LabelPlace]) -> Announcement {
    let glued = value.prefix
    var best = Announcement(strengths: LabelKeywords.strengths(before: glued), relation: nil, text: glued)
    if best.strengths.announcesSerial {
      best.relation = .sameLine
      return best
    }
    for place in places {
      guard let found = read(place, of: value) else { continue }
      if found.strengths.announcesSerial { return found }
      if place.relation != .above, !found.text.isEmpty { inRow = inRow ?? found }
      // The nearest place decides against a serial: a value has one label.
      if best.text.isEmpty || (found.strengths.announcesOther && best.strengths.other == 0) { best = found }
      if found.strengths.announcesOther, place.relation != .above { break }
    }
    return best
  }

  /// The text at one place; nil if there is none.
  private mutating func read(_ place: LabelPlace, of value: ValueText) -> Announcement? {
    guard let (crop, place) = crop(place) else { return nil }
    let line = crops.read(crop, Self.variant)
    sawClearWord = sawClearWord || (place.relation != .above && line.map(Self.isClearWord) ?? false)
    neighbour = neighbour ?? line.flatMap { Self.neighbour($0, in: crop, at: place) }
    let text = (line?.text ?? "") + value.prefix
    var strengths = LabelKeywords.strengths(before: text, isCut: place.isCut)
    if let line, value.prefix.count <= Self.mostOfScrap, !strengths.announcesSerial, !strengths.announcesOther {
      // The label's last letter was cropped with the value: `Wi-Fi:` before `i: UFVR2493WHEV`.
      strengths = LabelKeywords.strengths(before: line.text, isCut: place.isCut)
    }
    sawOtherLabel =
      sawOtherLabel || (!strengths.announcesSerial && strengths.other >= LabelKeywords.Strengths.leastOfKnown)
    if let line, !strengths.announcesSerial, !strengths.announcesOther, value.isPlausible,
      let foreign = crops.readInOtherScripts(crop, latin: line.text), foreign.announcesSerial
    {
      strengths = foreign
    }
    return Announcement(strengths: strengths, relation: place.relation, text: text)
  }

  private static func isClearWord(_ line: TextLine) -> Bool {
    line.meanConfidence >= leastOfClear && line.text.count(where: \.isLetter) >= lettersOfClear
  }

  /// Maximum number of characters of a label's rest before a value.
  private static let mostOfScrap = 2
  /// Minimum mean confidence, 0...100, and number of letters of a clearly read word.
  private static let leastOfClear: Float = 95
  private static let lettersOfClear = 5

  /// The crop variant of labels.
  static let variant = CropVariant.measured

  /// A crop of a label's place; nil if it lies outside the image, or if no line was found and there is no ink.
  private func crop(_ place: LabelPlace) -> (LineCrop, LabelPlace)? {
    guard let crop = crops.cut(place.segment, place.range, Self.variant) else { return nil }
    guard place.isBlind else { return (crop, place) }
    guard let part = place.readable(in: crop) else { return nil }
    if part.further.isEmpty, !place.further.isEmpty { return self.crop(part) }
    return part.range == place.range
      ? (crop, part) : crops.cut(part.segment, part.range, Self.variant).map { ($0, part) }
  }

  /// The value inside a label's place, if touching letters kept it from being a unit.
  private static func neighbour(_ line: TextLine, in crop: LineCrop, at place: LabelPlace) -> LabelledNeighbour? {
    guard let value = ValueText(line), value.isPlausible else { return nil }
    let strengths = LabelKeywords.strengths(before: value.prefix)
    guard strengths.announcesSerial else { return nil }
    let (left, right) = (crop.x(ofColumn: Float(value.left)), crop.x(ofColumn: Float(value.right)))
    return LabelledNeighbour(
      place: place, columns: left...max(left, right),
      announcement: Announcement(strengths: strengths, relation: .sameLine, text: value.prefix))
  }
}
