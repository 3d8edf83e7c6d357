import Foundation
import Imaging
import ScanModel

/// The place of a read in a decoded picture.
struct ReadPlace {
  /// The middle of its left end, in pixels.
  let x, y: Double
  /// The reading direction, a unit vector.
  let directionX, directionY: Double
  /// Its length and the height of its capitals, in pixels.
  let length, capital: Double

  /// Locates a read in a picture; nil if the text is too small there.
  ///
  /// - Parameter region: The region in the photo as uploaded.
  init?(_ region: Quadrilateral, in source: DecodedPicture) {
    guard region.corners.count == 4, let toPicture = source.toUploaded.inverse else { return nil }
    let corners = region.corners.map { toPicture.apply($0.x, $0.y) }
    let left = (x: (corners[0].x + corners[3].x) / 2, y: (corners[0].y + corners[3].y) / 2)
    let right = (x: (corners[1].x + corners[2].x) / 2, y: (corners[1].y + corners[2].y) / 2)
    length = hypot(right.x - left.x, right.y - left.y)
    capital = hypot(corners[3].x - corners[0].x, corners[3].y - corners[0].y) * LineCrop.capitalShare
    guard length > 8, capital > 3 else { return nil }
    (x, y) = left
    directionX = (right.x - left.x) / length
    directionY = (right.y - left.y) / length
  }

  /// A strip of the picture along the read.
  ///
  /// - Parameters:
  ///   - reach: The ground before and after it, in heights of capitals.
  ///   - halfHeight: Half the strip's height, in heights of capitals.
  ///   - capital: The height of capitals in the strip, in pixels.
  ///   - size: A factor on the measured height of capitals.
  func strip(reach: Double, halfHeight: Double, capital wanted: Double, size: Double = 1) -> LineStrip {
    let capital = capital * size
    let scale = wanted / capital
    return LineStrip(
      originX: x - reach * capital * directionX, originY: y - reach * capital * directionY, directionX: directionX,
      directionY: directionY, scale: scale, width: Int(min(8192, (length + 2 * reach * capital) * scale)),
      height: Int(2 * halfHeight * wanted))
  }
}
