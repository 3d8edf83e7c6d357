import Imaging
import ScanModel

/// Where lines are cut from: the picture they were found in, or the photo in more pixels.
enum FinerCut {
  /// Always from the picture they were found in, where that is no mere reduction of the photo.
  case never
  /// From the photo, where capitals are lower than so many pixels and it has more of them.
  case ofCapitals(below: Double, from: Photo)

  /// The greatest side asked for, in pixels.
  private static let greatestSide = 12_000.0

  /// The picture that lines are cut from, with the lines' places in it.
  ///
  /// - Parameters:
  ///   - lines: Found in `decoded`, or in that picture turned.
  ///   - capital: Height of their capitals, in pixels of that picture.
  func source(
    for lines: [TextSegment], capital: Float, in decoded: DecodedPicture
  ) throws(ReadFailure) -> (picture: DecodedPicture, lines: [TextSegment]) {
    guard case .ofCapitals(let limit, let photo) = self, capital > 0, capital < Float(limit) else {
      return (decoded, lines)
    }
    let side = decoded.picture.longestSide
    let wanted = Double(LineCrop.capitalHeight / capital) * Double(side)
    let finer = try photo.reduced(toSide: Int(min(wanted, Self.greatestSide)))
    guard finer.picture.longestSide > side * 5 / 4 else { return (decoded, lines) }
    let factor = Float(finer.picture.longestSide) / Float(side)
    return (finer, lines.map { $0.scaled(by: factor) })
  }
}
