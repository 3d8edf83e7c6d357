/// The part of a frame around an object that it shows.
public struct ViewedFrame: Sendable {
  /// Margin around the object, as a share of its sides.
  private static let surroundings = 0.2

  let pyramid: Pyramid
  /// The object's corners, in pixels of the part.
  let quad: Quadrilateral

  /// Cuts out the part around an object; nil if the frame shows none of it or the corners enclose nothing.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - corners: The object's corners, in pixels of the frame as sent.
  ///   - pixelLimit: Maximum number of pixels kept; a larger part is reduced.
  public init?(_ frame: TrackingFrame, corners: [SIMD2<Double>], pixelLimit: Int = .max) {
    let quad = Quadrilateral(corners: corners.map(frame.pixel(ofPlace:)))
    guard quad.bounds.isFinite, quad.isConvex, quad.signedArea > 4 else { return nil }
    let bounds = quad.bounds
    let around = SIMD2(bounds.width, bounds.height) * Self.surroundings + 4
    let wanted = Box(
      x0: bounds.x0 - around.x, y0: bounds.y0 - around.y, x1: bounds.x1 + around.x, y1: bounds.y1 + around.y)
    guard let box = wanted.clipped(width: Double(frame.width), height: Double(frame.height)) else { return nil }
    let (left, top) = (Int(box.x0), Int(box.y0))
    let (width, height) = (Int(box.x1) - left, Int(box.y1) - top)
    guard width > 0, height > 0 else { return nil }
    guard
      let part = frame.grayPart(left: left, top: top, right: left + width, bottom: top + height)?
        .limited(to: pixelLimit)
    else { return nil }
    let level = Pyramid.Level(part)
    pyramid = Pyramid(levels: [level, level.halved()])
    // The part counts as the frame as sent here, so that its own scale leads to its pixels.
    let corner = SIMD2(Double(left), Double(top))
    self.quad = Quadrilateral(corners: quad.corners.map { part.pixel(ofPlace: $0 - corner + 0.5) })
  }
}

extension TrackingFrame {
  /// This frame, reduced if it has more than `pixelLimit` pixels.
  fileprivate func limited(to pixelLimit: Int) -> TrackingFrame {
    let pixels = width * height
    guard pixels > pixelLimit else { return self }
    let factor = (Double(max(1, pixelLimit)) / Double(pixels)).squareRoot()
    return scaled(
      width: max(1, Int((Double(width) * factor).rounded(.down))),
      height: max(1, Int((Double(height) * factor).rounded(.down))))
  }
}
