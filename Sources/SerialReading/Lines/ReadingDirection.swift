import Imaging

/// The direction from a text's first character to its last, in the photo as uploaded.
struct ReadingDirection: Sendable {
  /// A unit vector.
  private var x, y: Double

  /// Cosine of the greatest angle, 45 degrees, at which two directions count as the same.
  private static let least = 0.707

  /// The direction of upright text in an image.
  init(of picture: DecodedPicture) {
    let (from, to) = (picture.toUploaded.apply(0, 0), picture.toUploaded.apply(1, 0))
    let length = max(
      .leastNormalMagnitude, ((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)).squareRoot())
    (x, y) = ((to.x - from.x) / length, (to.y - from.y) / length)
  }

  /// The direction turned by 180 degrees.
  var opposite: ReadingDirection {
    var turned = self
    (turned.x, turned.y) = (-x, -y)
    return turned
  }

  /// Whether text of one direction is upside down to a reader of the other.
  func isOpposite(to other: ReadingDirection) -> Bool { x * other.x + y * other.y < -Self.least }
}
