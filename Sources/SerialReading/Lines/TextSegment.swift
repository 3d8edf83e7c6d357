import Imaging

/// Characters in a row, and the straight line through their middles: y = slope x + offset.
package struct TextSegment: Sendable {
  /// The box of a character, in pixels.
  struct Box: Sendable {
    /// Its middle.
    var x, y: Float
    var width, height: Float

    var left: Float { x - width / 2 }
    var right: Float { x + width / 2 }
  }

  var boxes: [Box]
  /// Left end of the first and right end of the last box, in pixels.
  package var left, right: Float
  /// Height of the capitals in pixels.
  package var capitalHeight: Float
  /// The line through the middles.
  var slope: Float = 0
  var offset: Float = 0
  /// Median distance of the middles from the line, in pixels.
  var residual: Float = 0
  /// Factor on its length when cropped, which gives its letters the usual width.
  var stretch: Float = 1
  /// Medians of the middles, for comparison with other lines.
  private(set) var medianX: Float = 0
  private(set) var medianY: Float = 0

  /// Number of characters.
  var count: Int { boxes.count }
  /// The middles of its characters.
  var x: [Float] { boxes.map(\.x) }
  var y: [Float] { boxes.map(\.y) }
  /// Distance from the left end to the right, in pixels.
  var length: Float { right - left }
  /// The line's y coordinate at an x coordinate.
  func y(at x: Float) -> Float { slope * x + offset }
  /// How far a point lies below the line, in pixels.
  func drop(to x: Float, _ y: Float) -> Float { y - slope * x - offset }
  /// How much its characters count as text: texture makes endless lines.
  var weight: Int { min(count, Self.mostCounted) }

  private static let mostCounted = 60
  /// Share of the characters' boxes, in per cent, that are at most as high as capitals.
  private static let percentOfCapitals: Float = 70

  package init(_ characters: [Component]) {
    self.init(
      boxes: characters.map {
        let (width, height) = (Float($0.width), Float($0.height))
        return Box(x: Float($0.x) + width / 2, y: Float($0.y) + height / 2, width: width, height: height)
      })
  }

  init(boxes: [Box]) {
    self.boxes = boxes
    capitalHeight = 0
    left = boxes.map(\.left).min() ?? 0
    right = boxes.map(\.right).max() ?? 0
    fit()
  }

  /// Adds the characters of another segment and fits again.
  mutating func absorb(_ other: TextSegment) {
    boxes += other.boxes
    left = min(left, other.left)
    right = max(right, other.right)
    fit()
  }

  /// Least length of a segment that has a slope, and of the characters that determine it, in capital heights, and their
  /// least number.
  private static let (leastLength, leastSpread, leastNear): (Float, Float, Int) = (3, 2, 3)
  /// Distance from the line within which a character counts for it: at least, in pixels, and in capital heights.
  private static let near: (least: Float, reach: Float) = (1.5, 0.35)

  /// Fits the line by least squares, then twice more without the characters off it (i-dots, descenders, dirt).
  private mutating func fit() {
    let (x, y) = (self.x, self.y)
    capitalHeight = Statistics.percentile(boxes.map(\.height), Self.percentOfCapitals)
    medianX = Statistics.median(x)
    medianY = Statistics.median(y)
    guard length >= Self.leastLength * capitalHeight, var line = Statistics.line(x, y) else {
      (slope, offset, residual) = (0, medianY, 0)
      return
    }
    for _ in 0..<2 {
      let near = x.indices.filter {
        abs(y[$0] - line.slope * x[$0] - line.offset) < max(Self.near.least, Self.near.reach * capitalHeight)
      }
      let nearX = near.map { x[$0] }
      guard near.count >= Self.leastNear,
        (nearX.max() ?? 0) - (nearX.min() ?? 0) > Self.leastSpread * capitalHeight,
        let better = Statistics.line(nearX, near.map { y[$0] })
      else { continue }
      line = better
    }
    (slope, offset) = line
    residual = Statistics.median(boxes.map { abs(drop(to: $0.x, $0.y)) })
  }

  /// Whether it has the least length, in capital heights, and number of characters, is no more dense than text can be, and
  /// straight enough.
  func isLine(leastLength: Float, leastCount: Int) -> Bool {
    length >= leastLength * capitalHeight && count >= leastCount
      && Float(count) <= length / capitalHeight * Self.greatestDensity + Self.moreCharacters
      && isStraight
  }

  /// Whether its characters stand on a straight line.
  var isStraight: Bool { residual < Self.greatestResidual * capitalHeight }

  /// Most characters per capital height of a line's length, and how many more a short line may have.
  private static let (greatestDensity, moreCharacters): (Float, Float) = (2.6, 4)
  /// Greatest median distance of a line's characters from it, in capital heights.
  private static let greatestResidual: Float = 0.3

  /// Turns it by 180 degrees with its image, whose size is given in pixels.
  mutating func turnUpsideDown(width: Float, height: Float) {
    boxes = boxes.map { Box(x: width - $0.x, y: height - $0.y, width: $0.width, height: $0.height) }
    (left, right) = (width - right, width - left)
    offset = height - offset - slope * width
    (medianX, medianY) = (width - medianX, height - medianY)
  }

  /// The same line in an image scaled by a factor.
  func scaled(by factor: Float) -> TextSegment {
    var line = self
    line.boxes = boxes.map {
      Box(x: $0.x * factor, y: $0.y * factor, width: $0.width * factor, height: $0.height * factor)
    }
    line.left *= factor
    line.right *= factor
    line.capitalHeight *= factor
    line.offset *= factor
    line.residual *= factor
    line.medianX *= factor
    line.medianY *= factor
    return line
  }
}

extension [TextSegment] {
  /// The amount of text.
  var weight: Int { reduce(0) { $0 + $1.weight } }
}

extension [TextSegment.Box] {
  /// The boxes, in order from left to right, in groups that wide gaps part.
  ///
  /// - Parameter isWide: Whether a gap parts its neighbours, by its width and the length of the group before it, in pixels.
  func parted(where isWide: (_ gap: Float, _ length: Float) -> Bool) -> [[TextSegment.Box]] {
    var groups: [[TextSegment.Box]] = []
    var end: Float = 0
    for box in self {
      if let first = groups.last?.first, !isWide(box.left - end, end - first.left) {
        groups[groups.count - 1].append(box)
        end = Swift.max(end, box.right)
      } else {
        groups.append([box])
        end = box.right
      }
    }
    return groups
  }
}

extension TextSegment {
  /// Numbers of characters of a word as short as `SN` or `S/N`, too short for a line.
  private static let charactersOfAbbreviation = 2...3
  /// Greatest difference of the heights of their middles, and least height of one, in heights of another: marks and dirt
  /// don't count.
  private static let (sameRow, leastHeight): (Float, Float) = (0.5, 0.4)

  /// The words of two or three characters in a picture, with wide ground on both sides.
  package static func abbreviations(of characters: [Component]) -> [TextSegment] {
    let row = characters.sorted { $0.x < $1.x }
    func isNext(_ other: Component, to letter: Component) -> Bool {
      let height = Float(letter.height)
      let offset = Float(2 * other.y + other.height - 2 * letter.y - letter.height) / 2
      return Float(other.height) >= leastHeight * height && abs(offset) < sameRow * height
        && Float(other.x - letter.x - letter.width) < WordUnit.joinableGap * height
    }
    let next = row.indices.map { index in
      row.indices.dropFirst(index + 1).first { isNext(row[$0], to: row[index]) }
    }
    let continued = Set(next.compactMap(\.self))
    return row.indices.filter { !continued.contains($0) }.compactMap { first in
      let word = sequence(first: first) { next[$0] }.prefix(charactersOfAbbreviation.upperBound + 1).map { row[$0] }
      return charactersOfAbbreviation.contains(word.count) ? TextSegment(word) : nil
    }
  }
}

/// Joins segments of the same line: words that the closing left apart.
enum LineMerging {
  /// Slope above which a line is found along the other axis.
  private static let greatestSlope: Float = 0.5
  /// Length of a segment that others may continue, and the greatest gap to one, in capital heights.
  private static let (leastLength, greatestGap): (Float, Float) = (5, 5)
  /// Share of a segment's length by which it may overlap the line.
  private static let overlap: Float = 0.5
  /// Bounds of the ratio of the heights of two segments of one line.
  private static let heights: (least: Float, greatest: Float) = (0.6, 1.6)
  /// Greatest distance from the line: near its end in capital heights, and per pixel beyond it.
  private static let off: (near: Float, slope: Float) = (0.45, 0.02)

  /// The segments, merged if they continue each other. Segments steeper than one in two are dropped.
  static func merged(_ segments: [TextSegment]) -> [TextSegment] {
    var open: [TextSegment?] = segments.filter { abs($0.slope) < greatestSlope }.sorted { $0.length > $1.length }
    var changed = true
    while changed {
      changed = false
      for index in open.indices {
        guard var line = open[index], line.length >= leastLength * line.capitalHeight else { continue }
        var grown = false
        for other in open.indices where other != index {
          guard let candidate = open[other], continues(line, candidate) else { continue }
          line.absorb(candidate)
          open[other] = nil
          grown = true
        }
        if grown {
          open[index] = line
          changed = true
        }
      }
      open.removeAll { $0 == nil }
    }
    return open.compactMap { $0 }
  }

  /// Whether the second segment continues the first: near its end, of similar height, on its line.
  private static func continues(_ line: TextSegment, _ other: TextSegment) -> Bool {
    let height = line.capitalHeight
    let gap = max(other.left - line.right, line.left - other.right)
    let ratio = other.capitalHeight / height
    guard gap <= greatestGap * height, gap >= -overlap * other.length, ratio > heights.least, ratio < heights.greatest
    else { return false }
    let distance = max(0, other.medianX - line.right, line.left - other.medianX)
    return abs(line.drop(to: other.medianX, other.medianY)) <= off.near * height + off.slope * distance
  }
}
