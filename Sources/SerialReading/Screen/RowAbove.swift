import Imaging

/// The row directly above a value, whether or not a line was found there: labels as short as `SN`, or bold and blurred
/// with touching letters, don't form lines.
struct RowAbove {
  let crops: CropReader

  /// The region searched above the value's middle: its own middle, and its reach up and down, in heights of the value's
  /// capitals.
  private static let searched: (middle: Float, reach: Float) = (2, 1.3)
  /// Range of the label row's height, and its maximum reach beyond both ends of the value, in heights of the value's
  /// capitals.
  private static let heights: ClosedRange<Float> = 0.4...1.5
  private static let beyond: Float = 2
  /// Share of a printed row's height, from capital tops to descenders, that its capitals take.
  private static let capitalShare: Float = 0.85
  /// The crop of the whole region; its height makes a strip's capitals as high as the region.
  private static let variant = CropVariant(heightFactor: 1, halfHeight: 1.25, shift: 0)

  /// The place of the row; nil if there is no ink or more than one row.
  func place(of unit: WordUnit, in line: TextSegment) -> LabelPlace? {
    let height = line.capitalHeight
    var strip = line
    strip.capitalHeight = Self.searched.reach / Self.variant.halfHeight * height
    strip.offset -= Self.searched.middle * height
    let beyond = Self.beyond * height
    let left = max(0, unit.left - beyond)
    let right = min(unit.right + beyond, Float(crops.source.picture.width - 1))
    guard right - left > height, let crop = crops.cut(strip, left...right, Self.variant) else { return nil }
    let pixel = strip.capitalHeight / LineCrop.capitalHeight
    guard let rows = Self.lowestRow(in: crop.picture), Self.heights.contains(Float(rows.count) * pixel / height) else {
      return nil
    }
    var row = strip
    row.capitalHeight = Self.capitalShare * Float(rows.count) * pixel
    row.offset += (Float(rows.lowerBound + rows.upperBound - crop.picture.height) / 2) * pixel
    (row.left, row.right) = (left, right)
    return inked(row).map { LabelPlace(segment: row, range: $0, relation: .above, cost: 1.5) }
  }

  /// The part of a row with ink: two letters in a wide crop are not recognised.
  private func inked(_ row: TextSegment) -> ClosedRange<Float>? {
    guard let crop = crops.cut(row, row.left...row.right, .measured) else { return nil }
    let runs = InkProfile(crop.picture, capital: Float(crop.capital)).runs.filter { $0.count >= Self.leastInk }
    guard let first = runs.first, let last = runs.last else { return nil }
    let pixel = row.length / Float(crop.picture.width)
    let margin = 0.6 * row.capitalHeight
    return max(
      row.left, row.left + Float(first.lowerBound) * pixel - margin)...min(
        row.right, row.left + Float(last.upperBound) * pixel + margin)
  }

  /// The lowest rows of a crop with ink that have background above and below.
  private static func lowestRow(in cut: GrayPicture) -> Range<Int>? {
    let isInked = (0..<cut.height).map { y in
      cut.pixels[y * cut.width..<(y + 1) * cut.width].count { $0 < InkProfile.inkLevel } >= leastInk
    }
    // Ink at the lower edge belongs to the value.
    guard let ground = isInked.lastIndex(of: false), let last = isInked[..<ground].lastIndex(of: true),
      let above = isInked[..<last].lastIndex(of: false)
    else { return nil }
    return above + 1..<last + 1
  }

  /// Minimum number of ink pixels in a row of print.
  private static let leastInk = 3
}
