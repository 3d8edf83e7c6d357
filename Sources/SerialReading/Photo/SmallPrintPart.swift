import Imaging
import ScanModel

extension Photo {
  /// The part of a large photo in which small print stands together; nil if there is none.
  ///
  /// In a photo of 12 megapixels or more, print along a curve with capitals of 10 to 20 pixels is too small to be found in a
  /// picture of `workingSide` pixels. A part of that size, read as a photo of its own, is not reduced.
  ///
  /// - Parameter parameters: The parameters of etched text.
  func smallPrintPart(_ parameters: PresetParameters) throws(ReadFailure) -> PhotoPart? {
    guard longestUploadedSide > PhotoTiles.mostOfWhole, try !isScreenshot() else { return nil }
    let whole = try full().picture
    let factor = min(1, Double(SmallPrintSearch.side) / Double(whole.longestSide))
    let search = SmallPrintSearch(
      picture: factor < 1 ? whole.scaled(by: factor) : whole, partSide: Double(Self.workingSide) * factor)
    let found = [StrokePolarity.dark, .light].compactMap { search.densest(TextLineFinder($0, parameters)) }
    return found.max { $0.excess < $1.excess }?.part
  }
}

/// Searches a reduced picture for the window in which many more small characters stand in lines than around it.
private struct SmallPrintSearch {
  /// The longer side of the picture, in pixels: twice that in which lines are searched.
  static let side = 2 * Photo.workingSide
  /// The greatest height of small capitals, in pixels of a picture of `Photo.workingSide`.
  private static let greatestCapital: Float = 10
  /// The least number of characters of a piece of a line, and its least length in heights of capitals.
  private static let (leastOfPiece, leastLength): (Int, Float) = (4, 3)
  /// The side of the cells in which characters are counted, and the margin around them in the part, in pixels.
  private static let (cell, margin) = (64, 100.0)
  /// The least number of characters in the part, and how many times as dense as elsewhere they stand. Texture and boards
  /// full of components are as dense all over the photo.
  private static let (leastCharacters, leastDensity) = (12, 10.0)

  let picture: GrayPicture
  /// The longer side of the part, in pixels of the picture.
  let partSide: Double

  /// The part with the most characters of a kind of strokes; nil if they don't stand together.
  ///
  /// - Returns: The part, and the number of characters by which it exceeds what stands elsewhere on such an area.
  func densest(_ finder: TextLineFinder) -> (part: PhotoPart, excess: Double)? {
    let middles = middles(finder)
    let window = densestWindow(of: middles)
    let inside = middles.filter { window.columns.contains(Int($0.x)) && window.rows.contains(Int($0.y)) }
    guard inside.count >= Self.leastCharacters, let left = inside.map(\.x).min(), let right = inside.map(\.x).max(),
      let top = inside.map(\.y).min(), let bottom = inside.map(\.y).max()
    else { return nil }
    let (width, height) = (Double(picture.width), Double(picture.height))
    let area = (right - left + Self.margin) * (bottom - top + Self.margin)
    let elsewhere = Double(middles.count - inside.count + 1) / max(area, width * height - area) * area
    guard Double(inside.count) >= Self.leastDensity * elsewhere,
      let part = PhotoPart(
        left: max(0, (left - Self.margin) / width), top: max(0, (top - Self.margin) / height),
        right: min(1, (right + Self.margin) / width), bottom: min(1, (bottom + Self.margin) / height))
    else { return nil }
    return (part, Double(inside.count) - elsewhere)
  }

  /// The middles of small characters that stand in pieces of lines along the rows or columns.
  private func middles(_ finder: TextLineFinder) -> [PlanePoint] {
    let characters = CharacterComponents(finder.strokes.mask(of: picture), sides: finder.characterSides)
    return finder.pieces(of: characters, where: isSmallPrint).flatMap(\.middles)
  }

  private func isSmallPrint(_ piece: TextSegment) -> Bool {
    let scale = Float(picture.longestSide) / Float(Photo.workingSide)
    return piece.capitalHeight < Self.greatestCapital * scale && piece.count >= Self.leastOfPiece
      && piece.length >= Self.leastLength * piece.capitalHeight
      && (piece.isStraight || piece.isBent)
  }

  /// The window that holds the most points and whose margins fit the part, in pixels.
  private func densestWindow(of points: [PlanePoint]) -> (columns: Range<Int>, rows: Range<Int>) {
    let (columns, rows) = (picture.width / Self.cell + 1, picture.height / Self.cell + 1)
    let reach = max(1, Int((partSide - 2 * Self.margin) / Double(Self.cell)))
    // The number of points above and to the left of each cell's corner.
    var above = [Int](repeating: 0, count: (columns + 1) * (rows + 1))
    func index(_ column: Int, _ row: Int) -> Int { min(rows, row) * (columns + 1) + min(columns, column) }
    for point in points {
      let (column, row) = (Int(max(0, point.x)) / Self.cell, Int(max(0, point.y)) / Self.cell)
      above[index(column + 1, row + 1)] += 1
    }
    for row in 1...rows {
      for column in 1...columns {
        above[index(column, row)] +=
          above[index(column - 1, row)] + above[index(column, row - 1)] - above[index(column - 1, row - 1)]
      }
    }
    var best = (count: -1, column: 0, row: 0)
    for row in 0..<max(1, rows - reach + 1) {
      for column in 0..<max(1, columns - reach + 1) {
        let count =
          above[index(column + reach, row + reach)] - above[index(column, row + reach)]
          - above[index(column + reach, row)] + above[index(column, row)]
        if count > best.count { best = (count, column, row) }
      }
    }
    return (
      best.column * Self.cell..<(best.column + reach) * Self.cell, best.row * Self.cell..<(best.row + reach) * Self.cell
    )
  }
}
