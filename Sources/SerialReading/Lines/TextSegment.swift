import Imaging

/// Characters that stand in a row, and the straight line through their middles: y = slope x + offset.
package struct TextSegment: Sendable {
  /// Middles of the characters' boxes in pixels, and the boxes' widths and heights.
  var x, y, widths, heights: [Float]
  /// Left end of the first and right end of the last box.
  package var left, right: Float
  /// Height of the capitals: the 70th percentile of the boxes' heights.
  package var capitalHeight: Float
  /// The line through the middles.
  var slope: Float = 0
  var offset: Float = 0
  /// Median distance of the middles from the line, in pixels.
  var residual: Float = 0
  /// Factor on its length by which it is cut out, so that its letters have the usual width.
  var stretch: Float = 1
  /// Medians of the middles, for comparing with other lines.
  private(set) var medianX: Float = 0
  private(set) var medianY: Float = 0

  /// Number of characters.
  var count: Int { x.count }
  /// From the left end to the right.
  var length: Float { right - left }

  package init(_ boxes: [Component]) {
    x = boxes.map { Float($0.x) + Float($0.width) / 2 }
    y = boxes.map { Float($0.y) + Float($0.height) / 2 }
    widths = boxes.map { Float($0.width) }
    heights = boxes.map { Float($0.height) }
    left = Float(boxes.map(\.x).min() ?? 0)
    right = Float(boxes.map { $0.x + $0.width }.max() ?? 0)
    capitalHeight = Statistics.percentile(heights, 70)
    fit()
  }

  /// Takes in the characters of another segment.
  mutating func absorb(_ other: TextSegment) {
    x += other.x
    y += other.y
    widths += other.widths
    heights += other.heights
    left = min(left, other.left)
    right = max(right, other.right)
    capitalHeight = Statistics.percentile(heights, 70)
    fit()
  }

  /// Fits the line by least squares, and twice more without the characters that lie off it (i-dots, descenders, dirt).
  private mutating func fit() {
    medianX = Statistics.median(x)
    medianY = Statistics.median(y)
    guard length >= 3 * capitalHeight, var line = Statistics.line(x, y) else {
      (slope, offset, residual) = (0, medianY, 0)
      return
    }
    for _ in 0..<2 {
      let near = x.indices.filter {
        abs(y[$0] - line.slope * x[$0] - line.offset) < max(1.5, 0.35 * capitalHeight)
      }
      let nearX = near.map { x[$0] }
      guard near.count >= 3, (nearX.max() ?? 0) - (nearX.min() ?? 0) > 2 * capitalHeight,
        let better = Statistics.line(nearX, near.map { y[$0] })
      else { continue }
      line = better
    }
    (slope, offset) = line
    residual = Statistics.median(x.indices.map { abs(y[$0] - slope * x[$0] - offset) })
  }

  /// Turns it with its picture by 180 degrees.
  ///
  /// - Parameters:
  ///   - width: Of the picture, in pixels.
  ///   - height: Of the picture, in pixels.
  mutating func turnUpsideDown(width: Float, height: Float) {
    x = x.map { width - $0 }
    y = y.map { height - $0 }
    (left, right) = (width - right, width - left)
    offset = height - offset - slope * width
    (medianX, medianY) = (width - medianX, height - medianY)
  }

  /// The same line in a picture that is larger or smaller by a factor.
  func scaled(by factor: Float) -> TextSegment {
    var line = self
    line.x = x.map { $0 * factor }
    line.y = y.map { $0 * factor }
    line.widths = widths.map { $0 * factor }
    line.heights = heights.map { $0 * factor }
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
