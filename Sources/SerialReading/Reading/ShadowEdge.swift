import Imaging
import ScanModel

/// Looks for the edge of a shadow or reflection in the ground of a text.
enum ShadowEdge {
  /// The height of capitals in the measured strip, in pixels, and half its height in these.
  private static let (capital, halfHeight) = (24.0, 0.8)
  /// The side of the squares whose ground is compared, in pixels.
  private static let side = 12
  /// The ratio of the ground of two squares a capital apart from which an edge lies between them: lighting that fades, and
  /// the shading of curved metal, change it less.
  private static let leastRatio: Float = 1.3

  /// Whether an edge crosses the text at a place of an upright picture, or what is `reach` heights of capitals beyond its
  /// ends: there it breaks a line off.
  static func crosses(_ place: ReadPlace, reach: Double, in picture: GrayPicture) -> Bool {
    let strip = place.strip(reach: reach, halfHeight: halfHeight, capital: capital)
    guard strip.width < LineCrop.widths.upperBound else { return false }
    let cut = picture.strip(strip)
    guard let ground = (isLight(cut) ? cut.inverted() : cut).ground() else { return false }
    let squares = means(of: ground)
    return squares.indices.contains { row in
      squares[row].indices.contains { column in
        let value = squares[row][column]
        let below = row + 2 < squares.count ? squares[row + 2][column] : value
        let beside = column + 2 < squares[row].count ? squares[row][column + 2] : value
        return [below, beside].contains { max(value, $0) > leastRatio * max(1, min(value, $0)) }
      }
    }
  }

  /// Whether its text is lighter than its ground: the middle rows are lighter than the outer ones.
  private static func isLight(_ cut: GrayPicture) -> Bool {
    let (width, height) = (cut.width, cut.height)
    let outer = height / 8
    let sums = (0..<height).map { y in cut.pixels[y * width..<(y + 1) * width].reduce(0) { $0 + Int($1) } }
    let ground = sums.prefix(outer).reduce(0, +) + sums.suffix(outer).reduce(0, +)
    let text = sums.dropFirst(outer).dropLast(outer).reduce(0, +)
    return text * 2 * outer > ground * (height - 2 * outer)
  }

  /// The mean of each square, row by row.
  private static func means(of ground: GrayPicture) -> [[Float]] {
    stride(from: 0, through: ground.height - side, by: side).map { y in
      stride(from: 0, through: ground.width - side, by: side).map { x in
        var sum = 0
        for row in y..<y + side {
          for column in x..<x + side { sum += Int(ground[column, row]) }
        }
        return Float(sum) / Float(side * side)
      }
    }
  }
}

extension Photo {
  /// The most lines checked, and how far beyond their ends, in heights of capitals.
  private static let (mostLines, reachOfLines) = (12, 1.5)

  /// Whether the edge of a shadow or reflection crosses a text at a region of the photo.
  func hasShadowEdge(across region: Quadrilateral) throws(ReadFailure) -> Bool {
    try hasShadowEdge(across: [region], reach: 0)
  }

  /// Whether one crosses or ends any of the lines that were read.
  func hasShadowEdgeAcrossLines() throws(ReadFailure) -> Bool {
    try hasShadowEdge(across: textSeen.lines.prefix(Self.mostLines).map(\.place.region), reach: Self.reachOfLines)
  }

  /// Never in a screenshot.
  private func hasShadowEdge(across regions: [Quadrilateral], reach: Double) throws(ReadFailure) -> Bool {
    guard try !isScreenshot() else { return false }
    let source = try workingPicture()
    return regions.contains { region in
      ReadPlace(region, in: source).map { ShadowEdge.crosses($0, reach: reach, in: source.picture) } ?? false
    }
  }
}
