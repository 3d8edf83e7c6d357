/// A frame with what the trackers derive from it, made once where any of them wants it. Used by one thread only.
final class FrameView {
  private static let leastHeld = 0.9

  let frame: TrackingFrame
  /// Its sizes, for points and patches.
  private(set) lazy var pyramid = Pyramid(frame)
  /// The features of the whole frame.
  private(set) lazy var features = FeatureSet(frame)

  init(_ frame: TrackingFrame) { self.frame = frame }

  /// Whether hardly anything of a quadrilateral's bounds lies outside the frame.
  func holds(_ quad: Quadrilateral) -> Bool {
    let bounds = quad.bounds
    let visible = bounds.clipped(width: Double(frame.width), height: Double(frame.height))?.area ?? 0
    return visible > Self.leastHeld * bounds.area
  }

  /// The features inside a quadrilateral, from the part of the frame about it.
  func features(inside quad: Quadrilateral) -> FeatureSet {
    let margin = 20.0
    let bounds = quad.bounds
    let area = Box(
      x0: bounds.x0 - margin, y0: bounds.y0 - margin, x1: bounds.x1 + margin, y1: bounds.y1 + margin)
    guard area.isFinite, let box = area.clipped(width: Double(frame.width), height: Double(frame.height)) else {
      return FeatureSet()
    }
    let (left, top) = (Int(box.x0), Int(box.y0))
    guard let part = frame.grayPart(left: left, top: top, right: Int(box.x1), bottom: Int(box.y1)) else {
      return FeatureSet()
    }
    let corner = SIMD2(Double(left), Double(top))
    var features = FeatureSet(part) { quad.contains($0 + corner) }
    features.points = features.points.map { $0 + corner }
    return features
  }
}

extension TrackingFrame {
  /// The gray pixels of a rectangle inside the picture; nil where it is empty.
  func grayPart(left: Int, top: Int, right: Int, bottom: Int) -> TrackingFrame? {
    let across = right - left
    let down = bottom - top
    guard across > 0, down > 0 else { return nil }
    var part: [UInt8] = []
    part.reserveCapacity(across * down)
    for y in top..<bottom { part += gray[(y * width + left)..<(y * width + right)] }
    return TrackingFrame(width: across, height: down, gray: part, fullWidth: across, fullHeight: down)
  }
}
