extension GrayPicture {
  /// The side of the squares that are compared, in pixels.
  private static let squareSide = 16
  /// The least difference of gray values in a square and its neighbours that counts as an edge.
  private static let leastContrast = 48
  /// The least number of squares with edges from which sharpness can be told.
  private static let leastEdges = 8
  /// The share of the squares that are the sharpest.
  private static let shareOfSharpest = 0.02

  /// How sharp the sharpest edges are: the share of an edge's contrast that two pixels span, 0...1. About 0.8 and more in
  /// focus, 0.45 blurred by 2 pixels (standard deviation), 0.35 by 3 pixels; nil if there are hardly any edges.
  ///
  /// The median of the sharpest fiftieth of all squares with edges, so that a single sharp thing in a photo counts.
  public var sharpness: Double? {
    let (columns, rows) = ((width - 2) / Self.squareSide, (height - 2) / Self.squareSide)
    guard columns > 0, rows > 0 else { return nil }
    let squares = (0..<rows).map { row in (0..<columns).map { square(column: $0, row: row) } }
    var shares: [Double] = []
    for row in 0..<rows {
      for column in 0..<columns {
        var (darkest, lightest) = (squares[row][column].darkest, squares[row][column].lightest)
        for near in squares[max(0, row - 1)...min(rows - 1, row + 1)] {
          for square in near[max(0, column - 1)...min(columns - 1, column + 1)] {
            (darkest, lightest) = (min(darkest, square.darkest), max(lightest, square.lightest))
          }
        }
        let contrast = Int(lightest) - Int(darkest)
        guard contrast >= Self.leastContrast else { continue }
        shares.append(Double(squares[row][column].steepest) / Double(contrast))
      }
    }
    guard shares.count >= Self.leastEdges else { return nil }
    let sharpest = shares.sorted().suffix(max(4, Int(Double(shares.count) * Self.shareOfSharpest)))
    return sharpest[sharpest.startIndex + sharpest.count / 2]
  }

  /// The extremes of a square's gray values, and the greatest difference of pixels two apart along rows and columns.
  private func square(column: Int, row: Int) -> (darkest: UInt8, lightest: UInt8, steepest: UInt8) {
    var (darkest, lightest, steepest) = (UInt8.max, UInt8.min, UInt8.min)
    pixels.withUnsafeBufferPointer { pixels in
      for y in 1 + row * Self.squareSide...(row + 1) * Self.squareSide {
        let start = y * width + 1 + column * Self.squareSide
        for at in start..<start + Self.squareSide {
          let (left, right, above, below) = (pixels[at - 1], pixels[at + 1], pixels[at - width], pixels[at + width])
          (darkest, lightest) = (min(darkest, pixels[at]), max(lightest, pixels[at]))
          let (across, down) = (max(left, right) - min(left, right), max(above, below) - min(above, below))
          steepest = max(steepest, across, down)
        }
      }
    }
    return (darkest, lightest, steepest)
  }
}
