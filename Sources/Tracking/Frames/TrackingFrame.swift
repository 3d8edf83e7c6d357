/// One frame of a video, at the size at which it is tracked.
///
/// Pixel coordinates count from the centre of the first pixel; places in the frame as sent count from its edge.
/// `place(ofPixel:)` and `pixel(ofPlace:)` convert between them.
public struct TrackingFrame: Sendable {
  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// `width * height` gray values, row after row.
  public let gray: [UInt8]
  /// `width * height` colours, 0xRRGGBB00 each, or empty: soft objects are then tracked by brightness alone.
  public let colors: [UInt32]
  /// Width of the frame as sent, in pixels.
  public let fullWidth: Int
  /// Height of the frame as sent, in pixels.
  public let fullHeight: Int

  /// Creates a frame from pixels; nil if it is empty, a side exceeds 32,768 pixels, or the number of pixels doesn't
  /// match.
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

  /// Pixels of this frame per pixel of the frame as sent.
  var scale: SIMD2<Double> {
    SIMD2(Double(width) / Double(fullWidth), Double(height) / Double(fullHeight))
  }

  /// Converts a place in the frame as sent to this frame's pixels.
  func pixel(ofPlace place: SIMD2<Double>) -> SIMD2<Double> { place * scale - 0.5 }

  /// Converts a pixel of this frame to a place in the frame as sent.
  func place(ofPixel pixel: SIMD2<Double>) -> SIMD2<Double> { (pixel + 0.5) / scale }

  /// Whether both frames have the same proportions (to 2 %), so that one can be scaled to the other.
  func hasProportions(of other: TrackingFrame) -> Bool {
    let mine = Double(width) * Double(other.height)
    let theirs = Double(other.width) * Double(height)
    return abs(mine - theirs) <= 0.02 * max(mine, theirs)
  }
}
