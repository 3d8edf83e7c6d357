import AppleSerial
import Imaging
import ScanModel

/// The place of a value's label.
struct LabelPlace: Sendable {
  /// The line that contains the label.
  var segment: TextSegment
  /// The part of that line's x coordinates to read.
  var range: ClosedRange<Float>
  /// Its position relative to the value.
  var relation: Relation
  /// How unlikely the position is; 0 for a perfect match.
  var cost: Float
  /// Whether its line begins at the image's left edge, so that its beginning may be cut off.
  var isCut = false
  /// Whether no line was found there. The label is then the ink nearest the end of `range`, if any.
  var isBlind = false
  /// The place to search next if a blind place has no ink; at most one.
  var further: [LabelPlace] = []

  /// The position of a label relative to its value.
  enum Relation: Sendable {
    /// To the left in the same run of text.
    case sameLine
    /// To the left across the row.
    case row
    /// In the line above.
    case above
    /// No readable label, but a part number in the row above, as on every About page.
    case belowPartNumber
    /// No label, but the name of an Apple device in the lines around it, where serials stand without one.
    case besideDeviceMark
    /// No readable label, but a universally unique identifier (UUID) in the row below, as in every hardware overview. It
    /// identifies the row if the labels lie outside the photo.
    case aboveIdentifier
    /// In the header of the value's column, rows above: usually a table.
    case columnHeader
    /// No label, but the photo shows little else, so the value was its subject.
    case closeUp
    /// In the same row, cut off by the photo's edge except for its last letters or its colon.
    case cutOff

    /// Whether it is only a sign that the value may be a serial: enough to show the value, not to accept it.
    var isSign: Bool { [.besideDeviceMark, .aboveIdentifier, .columnHeader, .closeUp, .cutOff].contains(self) }
  }

  /// The same place with its letters stretched.
  func stretched(by stretch: Float) -> LabelPlace {
    var place = self
    place.segment.stretch = stretch
    place.further = further.map { $0.stretched(by: stretch) }
    return place
  }

  /// Whether it lies in a line, or in that line extended.
  func isPart(of line: TextSegment) -> Bool { segment.medianX == line.medianX && segment.medianY == line.medianY }

  /// Whether another place, found in the same image at another contrast, contains the same text.
  func isSame(as other: LabelPlace) -> Bool {
    let near = Self.tolerance * segment.capitalHeight
    return relation == other.relation && abs(range.lowerBound - other.range.lowerBound) < near
      && abs(range.upperBound - other.range.upperBound) < near && abs(segment.medianY - other.segment.medianY) < near
  }

  /// Whether it is a line above the value that contains another place.
  func holds(_ other: LabelPlace) -> Bool {
    let x = (other.range.lowerBound + other.range.upperBound) / 2
    return relation == .above && other.relation == .above
      && abs(other.segment.drop(to: x, segment.y(at: x))) < Self.tolerance * segment.capitalHeight
  }

  /// Length of a line before a value that is read for its label, in capital heights: `Serial Number (system):` takes
  /// 13, and 19 in a terminal.
  static let labelLength: Float = 20

  /// Maximum distance of a label before its value, in capital heights: the rows of wide windows.
  static let reach: Float = 60

  /// Widest space between a label and the value right behind it, in capital heights: a covered character would leave more.
  static let widestSpace = 0.9

  /// Background that is read around a label, in capital heights.
  static let margin: Float = 0.6
  /// Greatest distance at which two places count as the same or a line as another's, in capital heights.
  private static let tolerance: Float = 0.5
  /// Greatest ground kept between a label's place and its value in their line, in capital heights.
  private static let mostGround: Float = 0.4
  /// Number of characters of a line that may be a label.
  private static let leastCharacters = 3
  /// Length of the text before a value in its line, in capital heights, from which that is read for its label, and up to
  /// which the label may also stand above.
  private static let before: (least: Float, mostBelow: Float) = (1, 2.5)

  /// A label to the left of its value, in heights of the value's capitals.
  private enum Left {
    /// Ratio of the heights, and how far both may overlap.
    static let (heights, overlap): (ClosedRange<Float>, Float) = (0.55...1.7, 0.3)
    /// Distance off the row that is added per pixel between them, and the cost of the distance along the row.
    static let (drift, costOfGap): (Float, Float) = (0.03, 0.02)
    /// Number of characters from which a line's own slope is good.
    static let charactersOfSlope = 6
  }

  /// A label above its value, in heights of the value's characters.
  private enum Above {
    /// Ratio of the heights, range of the distance, and greatest distance of both left ends or middles.
    static let heights: ClosedRange<Float> = 0.45...1.9
    static let (nearest, farthest, alignment): (Float, Float, Float) = (0.8, 3.4, 2.5)
    /// Length that is read, in heights of the label's capitals.
    static let longest: Float = 30
    /// Cost of any such place, and the distances that cost as much as 1 more.
    static let (cost, distances): (Float, Float) = (0.5, 4)
    /// Greatest number of such places.
    static let most = 2
  }

  /// Least length of a place without a line, in capital heights.
  private static let leastBlind: Float = 1.5

  /// Search distances, near and far, for a label that was not found as a line, and the length of the row read there, in
  /// capital heights.
  private static let blindReaches: (near: Float, far: Float) = (12, reach)
  private static let blindLength: Float = 14

  /// The layout of labels and values.
  enum Layout {
    /// In straight rows.
    case straight
    /// On a curved label, whose rows bend, or too faint to form lines. A place without a line is searched even if a
    /// straight row has a label.
    case uneven

    /// Maximum distance of a label from its value's row, in capital heights.
    fileprivate var rowTolerance: Float { self == .straight ? Self.rowTolerances.straight : Self.rowTolerances.uneven }
    private static let rowTolerances: (straight: Float, uneven: Float) = (0.6, 1.1)
  }

  /// Places where the label of a unit may stand, most likely first.
  static func places(
    of unit: WordUnit, in lines: [TextSegment], slope: RowSlope?, layout: Layout = .straight
  ) -> [LabelPlace] {
    let line = lines[unit.line]
    var places: [LabelPlace] = []
    let before = unit.left - line.left
    if before > Self.before.least * line.capitalHeight {
      let from = max(line.left - margin * line.capitalHeight, unit.left - labelLength * line.capitalHeight)
      let to = unit.left - min(unit.gapBefore / 2, mostGround * line.capitalHeight)
      if to > from { places.append(LabelPlace(segment: line, range: from...to, relation: .sameLine, cost: 0)) }
    } else {
      let partner = leftPartner(of: unit, in: lines, slope: slope, tolerance: layout.rowTolerance)
      places += partner.map { [$0] } ?? []
      if partner == nil || layout == .uneven {
        places += blindPlace(of: unit, in: lines, slope: slope).map { [$0] } ?? []
      }
    }
    if before < Self.before.mostBelow * line.capitalHeight { places += abovePartners(of: unit, in: lines) }
    for index in places.indices {
      let label = places[index].segment
      places[index].isCut = label.left < label.capitalHeight
    }
    return places
  }

  /// The line to the left in the same row, along the slope of the image's rows.
  private static func leftPartner(
    of unit: WordUnit, in lines: [TextSegment], slope: RowSlope?, tolerance: Float
  ) -> LabelPlace? {
    let line = lines[unit.line]
    let height = line.capitalHeight
    let y = line.y(at: unit.left)
    var best: LabelPlace?
    for (index, other) in lines.enumerated() where index != unit.line {
      guard other.right < unit.left + Left.overlap * height, other.count >= leastCharacters,
        Left.heights.contains(other.capitalHeight / height), unit.left - other.right < reach * height
      else { continue }
      let distance = unit.left - other.medianX
      let along =
        slope?.slope(x: (other.medianX + unit.left) / 2, y: other.medianY)
        ?? (other.count >= Left.charactersOfSlope ? (other.slope + line.slope) / 2 : line.slope)
      let offset = abs(other.medianY + along * distance - y)
      guard offset <= tolerance * height + Left.drift * distance else { continue }
      let cost = offset / height + Left.costOfGap * (unit.left - other.right) / height
      if cost < best?.cost ?? .infinity {
        let from = other.right - labelLength * other.capitalHeight
        let to = other.right + margin * other.capitalHeight
        best = LabelPlace(segment: other, range: from...max(from, to), relation: .row, cost: cost)
      }
    }
    return best
  }

  /// The row to the value's left, whether or not a line was found there: labels as short as `SN:`, or with touching
  /// letters, don't form lines. Near the value it follows the value's own slope, farther away that of the image's rows.
  private static func blindPlace(of unit: WordUnit, in lines: [TextSegment], slope: RowSlope?) -> LabelPlace? {
    let line = lines[unit.line]
    let height = line.capitalHeight
    let ends = [Left.overlap, blindReaches.near, blindReaches.far].map { max(0, unit.left - $0 * height) }
    guard ends[0] - ends[1] > leastBlind * height else { return nil }
    var near = LabelPlace(segment: line, range: ends[1]...ends[0], relation: .row, cost: 1, isBlind: true)
    near.segment.left = ends[1]
    guard ends[1] - ends[2] > leastBlind * height else { return near }
    near.segment.left = ends[2]
    var further = LabelPlace(segment: line, range: ends[2]...ends[1], relation: .row, cost: 1, isBlind: true)
    let y = line.y(at: unit.left)
    further.segment.slope = slope?.slope(x: (ends[2] + unit.left) / 2, y: y) ?? line.slope
    further.segment.offset = y - further.segment.slope * unit.left
    further.segment.left = ends[2]
    near.further = [further]
    return near
  }

  /// The part of a blind place between the value and an edge beside it, as of a sticker on a dark ground; nil if there is
  /// no edge. Beside one, a label has hardly any contrast.
  func besideEdge(in crop: LineCrop) -> LabelPlace? {
    let picture = crop.picture
    let edge = (0..<picture.width).last { x in
      (0..<picture.height).allSatisfy { picture[x, $0] < InkProfile.inkLevel }
    }
    guard let edge else { return nil }
    var place = self
    let start = crop.x(ofColumn: Float(edge)) + Self.margin * segment.capitalHeight
    place.range = min(start, range.upperBound)...range.upperBound
    place.segment.left = place.range.lowerBound
    place.further = []
    return place
  }

  /// The part of a blind place to read, of which a crop is given; nil if there is no ink.
  func readable(in crop: LineCrop) -> LabelPlace? {
    let profile = InkProfile(crop.picture, capital: Float(crop.capital))
    let runs = profile.runs.filter { $0.count >= Self.leastRun }
    // Noise of bare ground counts as ink after the contrast is stretched.
    guard !crop.picture.isTexture, let start = runs.first?.lowerBound, let end = runs.last?.upperBound else {
      return further.first
    }
    let height = segment.capitalHeight
    // Two letters in a wide crop are not recognised, and far from the value most of it is background.
    let right = min(range.upperBound, crop.x(ofColumn: Float(end)) + Self.margin * height)
    let isFar = further.isEmpty
    var left = max(isFar ? range.lowerBound : segment.left, right - (isFar ? 1 : 2) * Self.blindLength * height)
    if !profile.touchesLeft { left = max(left, crop.x(ofColumn: Float(start)) - Self.margin * height) }
    var place = self
    place.range = min(left, right)...right
    place.isCut = place.range.lowerBound < height
    return place
  }

  /// Minimum columns of ink, at reading size, that are more than a speck.
  private static let leastRun = 3

  /// Lines directly above whose text begins near the unit's left end or has the same centre.
  private static func abovePartners(of unit: WordUnit, in lines: [TextSegment]) -> [LabelPlace] {
    let line = lines[unit.line]
    let height = max(unit.height, 1)
    let y = line.y(at: unit.left)
    var found: [LabelPlace] = []
    for (index, other) in lines.enumerated() where index != unit.line {
      guard Above.heights.contains(other.capitalHeight / height), other.count >= leastCharacters else { continue }
      let above = y - other.y(at: unit.left)
      guard above > Above.nearest * height, above < Above.farthest * height else { continue }
      // Left aligned or centred.
      let aligned = abs(other.left - unit.left)
      let centred = abs((other.left + other.right) / 2 - (unit.left + unit.right) / 2)
      guard min(aligned, centred) < Above.alignment * height else { continue }
      let from = other.left - margin * other.capitalHeight
      let to = min(other.right + margin * other.capitalHeight, other.left + Above.longest * other.capitalHeight)
      found.append(
        LabelPlace(
          segment: other, range: from...max(from, to), relation: .above,
          cost: Above.cost + above / height / Above.distances + min(aligned, centred) / height / Above.distances))
    }
    return Array(found.sorted { $0.cost < $1.cost }.prefix(Above.most))
  }
}

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
  /// Cost of such a place.
  private static let cost: Float = 1.5
  /// The crop of the whole region; its height makes a strip's capitals as high as the region.
  private static let variant = CropVariant(heightFactor: 1, halfHeight: 1.25)

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
    return inked(row).map { LabelPlace(segment: row, range: $0, relation: .above, cost: Self.cost) }
  }

  /// The part of a row with ink: two letters in a wide crop are not recognised.
  private func inked(_ row: TextSegment) -> ClosedRange<Float>? {
    guard let crop = crops.cut(row, row.left...row.right, .measured) else { return nil }
    let runs = InkProfile(crop.picture, capital: Float(crop.capital)).runs.filter { $0.count >= Self.leastInk }
    guard let first = runs.first, let last = runs.last else { return nil }
    let pixel = row.length / Float(crop.picture.width)
    let margin = LabelPlace.margin * row.capitalHeight
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
