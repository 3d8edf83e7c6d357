/// A photo that shows little but one value: of the print around it parts at most, so that no label can be expected.
struct CloseUp {
  /// How far the photo reaches across the value's line and along it, in heights of capitals and in lengths of the value.
  private let (across, along): (Float, Float)

  /// The most of both: the value with a row above and below it, and as much again beside it as it takes itself.
  private static let most: (across: Float, along: Float) = (7, 2)

  init(of unit: WordUnit, _ segment: TextSegment, _ crops: CropReader) {
    func way(_ direction: CropReader.Direction, _ x: Float) -> Float {
      crops.wayToEdge(direction, x, segment.slope * x + segment.offset)
    }
    let middle = (unit.left + unit.right) / 2
    across = (way(.above, middle) + way(.below, middle)) / segment.capitalHeight
    along = 1 + (way(.before, unit.left) + way(.after, unit.right)) / max(1, unit.right - unit.left)
  }

  /// Whether it shows a value and little else, and what was read beside it says nothing of either.
  func shows(_ value: ValueText, labelled label: Announcement) -> Bool {
    across <= Self.most.across && along <= Self.most.along && value.isPlausible
      && (value.prefix.isEmpty || label.relation == .cutOff)
      && !label.strengths.announcesSerial && !label.strengths.announcesOther
  }
}
