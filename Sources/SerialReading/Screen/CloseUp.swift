/// A photo that shows little except one value. Other print is at most partly visible, so no label can be expected.
struct CloseUp {
  /// Extent of the photo across the value's line, in capital heights, and along it, in lengths of the value.
  private let (across, along): (Float, Float)

  /// Maximum of both: the value with a row above and below it, and its own length again beside it.
  private static let most: (across: Float, along: Float) = (7, 2)

  init(of unit: WordUnit, _ segment: TextSegment, _ crops: CropReader) {
    func way(_ direction: CropReader.Direction, _ x: Float) -> Float {
      crops.wayToEdge(direction, x, segment.slope * x + segment.offset)
    }
    let middle = (unit.left + unit.right) / 2
    across = (way(.above, middle) + way(.below, middle)) / segment.capitalHeight
    along = 1 + (way(.before, unit.left) + way(.after, unit.right)) / max(1, unit.right - unit.left)
  }

  /// Whether the photo shows a value and little else, and the text beside it announces neither a serial nor anything
  /// else.
  func shows(_ value: ValueText, labelled label: Announcement) -> Bool {
    across <= Self.most.across && along <= Self.most.along && value.isPlausible
      && (value.prefix.isEmpty || label.relation == .cutOff)
      && !label.strengths.announcesSerial && !label.strengths.announcesOther
  }
}
