import Imaging
import ScanModel

/// The image from which lines are cropped: the one in which they were found, or a larger decoding of the photo.
enum FinerCut {
  /// Always the image in which they were found, if it is not merely a reduction of the photo.
  case never
  /// The photo, if the capitals are lower than `below` pixels and the photo has more pixels.
  case ofCapitals(below: Double, from: Photo)

  /// Maximum side requested, in pixels.
  private static let greatestSide = 12_000.0

  /// The image from which lines are cropped, with the lines in its coordinates.
  ///
  /// - Parameters:
  ///   - lines: Lines found in `decoded` or in a turned copy.
  ///   - capital: Height of their capitals, in pixels of that image.
  ///   - decoded: The image in which they were found.
  /// - Throws: `ReadFailure` if the photo can't be decoded again.
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
