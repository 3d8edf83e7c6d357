import AppleSerial
import TextReading

/// The edge of the photo before a value: where it is near, the value's label is cut off, but for its last letters or its colon.
struct PhotoEdge {
  private let unit: WordUnit
  private let segment: TextSegment
  private let crops: CropReader

  /// How far from the edge what is left of a label begins, at most, in heights of capitals.
  private static let reach: Float = 2.5
  /// How far from the edge a value begins whose label is cut off as a whole: it is whole itself, and for a label there is no room.
  private static let withoutRoom: ClosedRange<Float> = 0.5...2

  init(before unit: WordUnit, _ segment: TextSegment, _ crops: CropReader) {
    self.unit = unit
    self.segment = segment
    self.crops = crops
  }

  /// The value that a line holds, without what the edge left of its label.
  func value(in line: TextLine) -> ValueText? {
    guard distance(to: unit.left) <= Self.withoutRoom.upperBound else { return ValueText(line) }
    return ValueText(line, afterLabel: LabelKeywords.mayEndSerialLabel)
  }

  /// What stands for the label of a value that nothing readable announces; nil where no edge is near, or what is left of the label is
  /// no serial's.
  ///
  /// - Parameters:
  ///   - line: The line as it was read.
  ///   - label: What was read where labels stand.
  ///   - places: Where that was looked for.
  func cutLabel(
    of value: ValueText, read line: TextLine, _ label: Announcement, _ places: [LabelPlace]
  ) -> Announcement? {
    guard value.isPlausible, !label.strengths.announcesSerial, !label.strengths.announcesOther else { return nil }
    let place = places.first { $0.relation == label.relation && $0.relation != .above }
    if let place, label.text.contains(where: \.isLetter) {
      return LabelKeywords.mayEndSerialLabel(label.text) && distance(to: place.segment.left) <= Self.reach
        ? .cutOff(label.text) : nil
    }
    let marks = line.symbols.prefix { !$0.character.isLetter && !$0.character.isNumber }.map(\.character)
    let text = value.prefix.isEmpty ? String(marks) : value.prefix
    let distance = distance(to: unit.left)
    if LabelKeywords.mayEndSerialLabel(text) { return distance <= Self.reach ? .cutOff(text) : nil }
    return value.prefix.isEmpty && Self.withoutRoom.contains(distance) ? .cutOff("") : nil
  }

  /// How far a column of the value's line lies from the photo's edge before it, in heights of capitals.
  private func distance(to x: Float) -> Float {
    crops.wayToEdge(.before, x, segment.slope * x + segment.offset) / segment.capitalHeight
  }
}
