/// Where the label of a value stands.
struct LabelPlace: Sendable {
  /// The line that holds the label.
  var segment: TextSegment
  /// The part of that line's x coordinates that is to be read.
  var range: ClosedRange<Float>
  /// How it lies to the value.
  var relation: Relation
  /// How badly it lies there, 0 for a perfect partner.
  var cost: Float
  /// Whether its line begins at the picture's left edge, so that its beginning may be cut off.
  var isCut = false

  /// Where labels stand.
  enum Relation: String, Sendable {
    /// To the left in the same run of text.
    case sameLine
    /// To the left across the row.
    case row
    /// In the line above.
    case above
    /// No label that could be read, but a part number stands in the row above, as on every About page.
    case belowPartNumber
  }

  /// Whether it lies in a line, or in that line prolonged.
  func isPart(of line: TextSegment) -> Bool { segment.medianX == line.medianX && segment.medianY == line.medianY }

  /// How much of a line before a value is read for its label, in capital heights: `Serial Number (system):` takes 13, and 19 in
  /// a terminal.
  static let labelLength: Float = 20

  /// Places where the label of a unit may stand, the most likely first.
  static func places(of unit: WordUnit, in lines: [TextSegment], slope: RowSlope?) -> [LabelPlace] {
    let line = lines[unit.line]
    var places: [LabelPlace] = []
    let before = unit.left - line.left
    if before > 1.0 * line.capitalHeight {
      let from = max(line.left - 0.6 * line.capitalHeight, unit.left - labelLength * line.capitalHeight)
      let to = unit.left - min(unit.gapBefore / 2, 0.4 * line.capitalHeight)
      if to > from { places.append(LabelPlace(segment: line, range: from...to, relation: .sameLine, cost: 0)) }
    } else if let partner = leftPartner(of: unit, in: lines, slope: slope) {
      places.append(partner)
    } else if let blind = blindPlace(of: unit, in: lines) {
      places.append(blind)
    }
    if before < 2.5 * line.capitalHeight { places += abovePartners(of: unit, in: lines) }
    for index in places.indices {
      let label = places[index].segment
      places[index].isCut = label.left < label.capitalHeight
    }
    return places
  }

  /// The line to the left on the same row, followed along the slope of the picture's rows.
  private static func leftPartner(of unit: WordUnit, in lines: [TextSegment], slope: RowSlope?) -> LabelPlace? {
    let line = lines[unit.line]
    let height = line.capitalHeight
    let y = line.slope * unit.left + line.offset
    var best: LabelPlace?
    for (index, other) in lines.enumerated() where index != unit.line {
      guard other.right < unit.left + 0.3 * height, other.count >= 3,
        (0.55...1.7).contains(other.capitalHeight / height), unit.left - other.right < 60 * height
      else { continue }
      let distance = unit.left - other.medianX
      let along =
        slope?.slope(x: (other.medianX + unit.left) / 2, y: other.medianY)
        ?? (other.count >= 6 ? (other.slope + line.slope) / 2 : line.slope)
      let offset = abs(other.medianY + along * distance - y)
      guard offset <= 0.6 * height + 0.03 * distance else { continue }
      let cost = offset / height + 0.02 * (unit.left - other.right) / height
      if cost < best?.cost ?? .infinity {
        let from = other.right - labelLength * other.capitalHeight
        let to = other.right + 0.6 * other.capitalHeight
        best = LabelPlace(segment: other, range: from...max(from, to), relation: .row, cost: cost)
      }
    }
    return best
  }

  /// The value's own line, prolonged to the left: labels as short as `SN:` make no line of their own.
  private static func blindPlace(of unit: WordUnit, in lines: [TextSegment]) -> LabelPlace? {
    var line = lines[unit.line]
    let height = line.capitalHeight
    let to = unit.left - 0.3 * height
    let from = max(0, unit.left - 12 * height)
    guard to - from > 1.5 * height else { return nil }
    line.left = from
    return LabelPlace(segment: line, range: from...to, relation: .row, cost: 1)
  }

  /// Lines right above whose text begins at about the unit's left end.
  private static func abovePartners(of unit: WordUnit, in lines: [TextSegment]) -> [LabelPlace] {
    let line = lines[unit.line]
    let height = max(unit.height, 1)
    let y = line.slope * unit.left + line.offset
    var found: [LabelPlace] = []
    for (index, other) in lines.enumerated() where index != unit.line {
      guard (0.45...1.9).contains(other.capitalHeight / height), other.count >= 3 else { continue }
      let above = y - (other.slope * unit.left + other.offset)
      guard above > 0.8 * height, above < 3.4 * height else { continue }
      // Left aligned, or around the same middle.
      let aligned = abs(other.left - unit.left)
      let centred = abs((other.left + other.right) / 2 - (unit.left + unit.right) / 2)
      guard min(aligned, centred) < 2.5 * height else { continue }
      let from = other.left - 0.6 * other.capitalHeight
      let to = min(other.right + 0.6 * other.capitalHeight, other.left + 30 * other.capitalHeight)
      found.append(
        LabelPlace(
          segment: other, range: from...max(from, to), relation: .above,
          cost: 0.5 + above / height / 4 + min(aligned, centred) / height / 4))
    }
    return Array(found.sorted { $0.cost < $1.cost }.prefix(2))
  }
}
