/// One picture of a video, at the size at which it is tracked.
///
/// Coordinates of pixels count from the middle of the first pixel; places in the frame as sent count from its edge.
/// `place(ofPixel:)` and `pixel(ofPlace:)` go from one to the other.
public struct TrackingFrame: Sendable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int
  /// `width * height` gray values, row after row.
  public let gray: [UInt8]
  /// `width * height` colours, 0xRRGGBB00 each, or none: then soft objects are told by brightness alone.
  public let colors: [UInt32]
  /// Pixels across the frame as sent.
  public let fullWidth: Int
  /// Pixels down the frame as sent.
  public let fullHeight: Int

  /// Takes pixels as they are; nil where they do not fill the picture, or it is empty.
  public init?(width: Int, height: Int, gray: [UInt8], colors: [UInt32] = [], fullWidth: Int, fullHeight: Int) {
    guard width > 0, height > 0, fullWidth > 0, fullHeight > 0, width <= 1 << 15, height <= 1 << 15,
      gray.count == width * height, colors.isEmpty || colors.count == gray.count
    else { return nil }
    self.width = width
    self.height = height
    self.gray = gray
    self.colors = colors
    self.fullWidth = fullWidth
    self.fullHeight = fullHeight
  }

  /// The longer side in pixels.
  public var longestSide: Int { max(width, height) }

  /// Pixels of this picture for one of the frame as sent.
  var scale: SIMD2<Double> {
    SIMD2(Double(width) / Double(fullWidth), Double(height) / Double(fullHeight))
  }

  /// From the frame as sent to this picture's pixels.
  func pixel(ofPlace place: SIMD2<Double>) -> SIMD2<Double> { place * scale - 0.5 }

  /// From this picture's pixels to the frame as sent.
  func place(ofPixel pixel: SIMD2<Double>) -> SIMD2<Double> { (pixel + 0.5) / scale }

  /// Whether both pictures show the frame in the same proportions, so that one can be scaled to the other.
  func hasProportions(of other: TrackingFrame) -> Bool {
    let mine = Double(width) * Double(other.height)
    let theirs = Double(other.width) * Double(height)
    return abs(mine - theirs) <= 0.02 * max(mine, theirs)
  }
}
