/// The change of the lines' slope over an image taken at an angle: a plane fitted to the slopes of its longer lines.
struct RowSlope: Sendable {
  private var base, alongX, alongY: Float

  /// Fits the plane; nil if fewer than four lines agree.
  init?(_ lines: [TextSegment]) {
    let long = lines.filter { $0.count >= 7 && $0.length >= 5 * $0.capitalHeight }
    guard long.count >= 4 else { return nil }
    let median = Statistics.median(long.map(\.slope))
    var kept = long.filter { abs($0.slope - median) < 0.08 }
    (base, alongX, alongY) = (median, 0, 0)
    for _ in 0..<2 {
      guard kept.count >= 4, let plane = Self.plane(kept) else { return nil }
      (base, alongX, alongY) = plane
      let residuals = long.map { abs(slope(x: $0.medianX, y: $0.medianY) - $0.slope) }
      let limit = max(0.01, 1.5 * Statistics.median(residuals))
      kept = zip(long, residuals).filter { $0.1 < limit }.map(\.0)
    }
  }

  /// The slope of a line at a place, given in pixels.
  func slope(x: Float, y: Float) -> Float { base + alongX * x / 1000 + alongY * y / 1000 }

  /// Weighted least squares of slope = a + b x + c y (x, y in thousands of pixels). A small ridge term keeps the plane
  /// flat if all lines stand in one place.
  private static func plane(_ lines: [TextSegment]) -> (Float, Float, Float)? {
    var matrix = [[Float]](repeating: [0, 0, 0, 0], count: 3)
    for line in lines {
      let row: [Float] = [1, line.medianX / 1000, line.medianY / 1000]
      let weight = Float(min(line.count, 30))
      for i in 0..<3 {
        for j in 0..<3 { matrix[i][j] += weight * row[i] * row[j] }
        matrix[i][3] += weight * row[i] * line.slope
      }
    }
    for i in 1..<3 { matrix[i][i] += 0.5 }
    for pivot in 0..<3 {
      guard abs(matrix[pivot][pivot]) > 1e-6 else { return nil }
      for other in 0..<3 where other != pivot {
        let factor = matrix[other][pivot] / matrix[pivot][pivot]
        for column in pivot..<4 { matrix[other][column] -= factor * matrix[pivot][column] }
      }
    }
    return (matrix[0][3] / matrix[0][0], matrix[1][3] / matrix[1][1], matrix[2][3] / matrix[2][2])
  }
}
