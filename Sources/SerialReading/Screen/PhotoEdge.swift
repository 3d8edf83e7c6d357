import AppleSerial
import TextReading

/// The edge of the photo before a value. If it is near, the value's label is cut off except for its last letters or its
/// colon.
struct PhotoEdge {
  private let unit: WordUnit
  private let segment: TextSegment
  private let crops: CropReader

  /// Maximum distance of a label's rest from the edge, in capital heights.
  private static let reach: Float = 2.5
  /// Distance range from the edge, in capital heights, of a value whose label is completely cut off: the value is
  /// whole, but there is no room for a label.
  private static let withoutRoom: ClosedRange<Float> = 0.5...2

  init(before unit: WordUnit, _ segment: TextSegment, _ crops: CropReader) {
    self.unit = unit
    self.segment = segment
    self.crops = crops
  }

  /// The value in a line, without the rest of its label.
  func value(in line: TextLine) -> ValueText? {
    guard distance(to: unit.left) <= Self.withoutRoom.upperBound else { return ValueText(line) }
    return ValueText(line, afterLabel: LabelKeywords.mayEndSerialLabel)
  }

  /// The sign that replaces the label of an unlabelled value; nil if no edge is near, or if the rest of the label can't
  /// be a serial's.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - line: The recognised line.
  ///   - label: The text read at the label places.
  ///   - places: The label places.
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

  /// Distance from a column of the value's line to the photo's edge before it, in capital heights.
  private func distance(to x: Float) -> Float {
    crops.wayToEdge(.before, x, segment.slope * x + segment.offset) / segment.capitalHeight
  }
}
