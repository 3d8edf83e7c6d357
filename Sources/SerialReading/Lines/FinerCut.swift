import Imaging
import ReaderProtocol

/// Where lines are cut from: the picture they were found in, or a larger one where their capitals are small there and the
/// photo has more pixels.
struct FinerCut {
  /// Height of capitals, in pixels, below which a larger picture is asked for.
  var capitalLimit: Double
  /// The photo with its longer side at most so many pixels; nil where the picture was changed beyond its size.
  var larger: ((Double) throws(ReadFailure) -> DecodedPicture?)?

  /// The greatest side asked for, in pixels.
  static let greatestSide = 12_000.0

  /// Cuts from pictures that are a photo made smaller.
  init(of photo: Photo, capitalLimit: Double) {
    self.capitalLimit = capitalLimit
    larger = { (side: Double) throws(ReadFailure) in try photo.reduced(toSide: Int(min(side, Self.greatestSide))) }
  }

  /// Cuts from the picture itself, which no larger one fits.
  init() { capitalLimit = 0 }

  /// The picture that lines are cut from, with the lines' places in it.
  ///
  /// - Parameters:
  ///   - lines: Found in `decoded`, or in that picture turned.
  ///   - capital: Height of their capitals, in pixels of that picture.
  func source(
    for lines: [TextSegment], capital: Float, in decoded: DecodedPicture
  ) throws(ReadFailure) -> (picture: DecodedPicture, lines: [TextSegment]) {
    guard let larger, capital > 0, capital < Float(capitalLimit) else { return (decoded, lines) }
    let wanted = Double(LineCrop.capitalHeight / capital)
    guard let finer = try larger(wanted * Double(decoded.picture.longestSide)),
      finer.picture.longestSide > decoded.picture.longestSide * 5 / 4
    else { return (decoded, lines) }
    let factor = Float(finer.picture.longestSide) / Float(decoded.picture.longestSide)
    return (finer, lines.map { $0.scaled(by: factor) })
  }
}
