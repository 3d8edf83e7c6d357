import AppleSerial
import TextReading

/// The evidence beside a value that it is a serial or something else.
struct Announcement: Sendable {
  /// How strongly it announces a serial, and how strongly something else.
  var strengths: LabelKeywords.Strengths
  /// Its position relative to the value; nil if nothing was read.
  var relation: LabelPlace.Relation?
  var text: String

  /// A part number in the row above, as on every About page: counts as a weak label.
  static let partNumber = Announcement(
    strengths: LabelKeywords.Strengths(serial: 1.5, other: 0), relation: .belowPartNumber, text: "")

  /// A sign that the value may be a serial, in place of a label.
  static func sign(_ relation: LabelPlace.Relation, _ text: String = "") -> Announcement {
    Announcement(strengths: .none, relation: relation, text: text)
  }
}

extension Announcement {
  private var isSign: Bool { relation?.isSign ?? false }
  /// The least length of an announced value that is worth several readings.
  private static let leastLength = 9
  /// The least strength of a label that outweighs the form of another identifier.
  private static let strong = 3.0

  /// Whether a value that it announces is worth several readings.
  func isWorthReading(_ value: ValueText) -> Bool {
    if strengths.announcesSerial { return value.text.count >= Self.leastLength }
    let isTwelve = value.text.count == SerialNumber.Format.twelve.length
    return value.isPlausible && (isTwelve || isSign) && !strengths.announcesOther
  }

  /// Whether the voted text can be a serial with this announcement. A text that every reading splits into words can't.
  func allows(_ vote: Vote) -> Bool {
    let text = vote.string
    let digits = vote.text.count { $0 <= UInt8(ascii: "9") }
    guard SerialNumber.Format.lengths.contains(vote.text.count), !vote.isParted, digits < vote.text.count,
      vote.leastMargin * vote.agreement > Vote.leastAgreedMargin,
      !LookAlike.isHidden(in: text), LookAlike(text) != .cmiit,
      LookAlike(text) == nil || (strengths.serial >= Self.strong && digits < vote.text.count - 1)
    else { return false }
    if strengths.announcesSerial {
      return digits > 0 || strengths.serial >= LabelKeywords.Strengths.leastOfKnown || Self.isSerialOfLetters(text)
    }
    guard !strengths.announcesOther, let serial = SerialNumber(text) else { return false }
    if isSign {
      let isAsRead = vote.agreement == 1 && vote.folds == 0
      if relation == .cutOff || relation == .closeUp, vote.text.count - digits < Self.lettersAfterCutLabel {
        return false
      }
      return digits >= (isAsRead ? 1 : 2)
    }
    return CandidateParsing.mayBeUnlabelled(serial)
  }

  /// Minimum number of letters of a value after what may be the end of another label. Order, batch and telephone
  /// numbers have fewer; of ten-character serials only three in a thousand do.
  static let lettersAfterCutLabel = 3

  /// Whether letters alone are more likely a serial than a word, by their plant code or the grammar of twelve
  /// characters.
  private static func isSerialOfLetters(_ text: String) -> Bool {
    guard let serial = SerialNumber(text) else { return false }
    return serial.hasFrequentPlant || serial.format == .twelve
  }
}

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
    // Labels of several values in other scripts have the same ending (Japanese, Chinese).
    let label =
      value.isPlausible && !place.isCut
      ? crops.readLabel(crop) : crops.read(crop).map { (line: $0, isOfOtherScript: false) }
    let line = label?.line
    sawClearWord = sawClearWord || (place.relation != .above && line.map(Self.isClearWord) ?? false)
    neighbour = neighbour ?? line.flatMap { Self.neighbour($0, in: crop, at: place) }
    let text = (line?.text ?? "") + value.prefix
    var strengths = LabelKeywords.strengths(before: text, isCut: place.isCut)
    if let line, value.prefix.count <= Self.mostOfScrap, !strengths.announcesSerial, !strengths.announcesOther {
      // The label's last letter was cropped with the value: `Wi-Fi:` before `i: UFVR2493WHEV`.
      strengths = LabelKeywords.strengths(before: line.text, isCut: place.isCut)
    }
    // Upside-down words resemble labels in other scripts.
    sawOtherLabel =
      sawOtherLabel
      || (label?.isOfOtherScript == false && !strengths.announcesSerial
        && strengths.other >= LabelKeywords.Strengths.leastOfKnown)
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

  /// A crop of a label's place; nil if it lies outside the image, or if no line was found and there is no ink.
  private func crop(_ place: LabelPlace) -> (LineCrop, LabelPlace)? {
    guard let crop = crops.cut(place.segment, place.range, .measured) else { return nil }
    guard place.isBlind else { return (crop, place) }
    if let inside = place.besideEdge(in: crop) { return self.crop(inside) }
    guard let part = place.readable(in: crop) else { return nil }
    if part.further.isEmpty, !place.further.isEmpty { return self.crop(part) }
    guard part.range != place.range else { return (crop, part) }
    guard let crop = crops.cut(part.segment, part.range, .measured) else { return nil }
    return part.besideEdge(in: crop).map { self.crop($0) } ?? (crop, part)
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

/// The edges of the photo around a value. If the one before it is near, the value's label is cut off except for its last
/// letters or its colon.
struct PhotoEdge {
  /// The value, its part of its line, and the picture.
  let unit: WordUnit
  let segment: TextSegment
  let crops: CropReader

  /// Maximum distance of a label's rest from the edge, in capital heights.
  private static let reach: Float = 2.5
  /// Distance range from the edge, in capital heights, of a value whose label is completely cut off: the value is
  /// whole, but there is no room for a label.
  private static let withoutRoom: ClosedRange<Float> = 0.5...2

  /// The value in a line, without the rest of its label.
  ///
  /// - Parameter isOpen: Whether its label opens a parenthesis.
  func value(in line: TextLine, isOpen: Bool = false) -> ValueText? {
    guard distance(to: unit.left) <= Self.withoutRoom.upperBound else { return ValueText(line, isOpen: isOpen) }
    return ValueText(line, isOpen: isOpen, afterLabel: LabelKeywords.mayEndSerialLabel)
  }

  /// The sign that replaces the label of an unlabelled value; nil if no edge is near, or if the rest of the label can't
  /// be a serial's.
  ///
  /// - Parameter label: The text read at the label's places.
  func cutLabel(
    of value: ValueText, read line: TextLine, _ label: Announcement, _ places: [LabelPlace]
  ) -> Announcement? {
    guard value.isPlausible, !label.strengths.announcesSerial, !label.strengths.announcesOther else { return nil }
    let place = places.first { $0.relation == label.relation && $0.relation != .above }
    if let place, label.text.contains(where: \.isLetter) {
      return LabelKeywords.mayEndSerialLabel(label.text) && distance(to: place.segment.left) <= Self.reach
        ? .sign(.cutOff, label.text) : nil
    }
    let marks = line.symbols.prefix { !$0.character.isLetter && !$0.character.isNumber }.map(\.character)
    let text = value.prefix.isEmpty ? String(marks) : value.prefix
    let distance = distance(to: unit.left)
    if LabelKeywords.mayEndSerialLabel(text) { return distance <= Self.reach ? .sign(.cutOff, text) : nil }
    return value.prefix.isEmpty && Self.withoutRoom.contains(distance) ? .sign(.cutOff) : nil
  }

  /// Distance from a column of the value's line to the photo's edge before it, in capital heights.
  private func distance(to x: Float) -> Float { way(.before, x) / segment.capitalHeight }

  /// Distance from a column of the value's line to the photo's edge, in pixels.
  private func way(_ direction: CropReader.Direction, _ x: Float) -> Float {
    crops.wayToEdge(direction, x, segment.y(at: x))
  }

  /// Greatest extent of a close-up across the value's line, in capital heights, and along it, in lengths of the value:
  /// the value with a row above and below it, and its own length again beside it.
  private static let mostOfCloseUp: (across: Float, along: Float) = (7, 2)

  /// Whether the photo shows a value and little else, and the text beside it announces neither a serial nor anything
  /// else. Other print is then at most partly visible, so no label can be expected.
  func isCloseUp(of value: ValueText, labelled label: Announcement) -> Bool {
    guard value.isPlausible, value.prefix.isEmpty || label.relation == .cutOff, !label.strengths.announcesSerial,
      !label.strengths.announcesOther
    else { return false }
    let middle = (unit.left + unit.right) / 2
    let across = (way(.above, middle) + way(.below, middle)) / segment.capitalHeight
    let along = 1 + (way(.before, unit.left) + way(.after, unit.right)) / max(1, unit.right - unit.left)
    return across <= Self.mostOfCloseUp.across && along <= Self.mostOfCloseUp.along
  }
}
