/// A frame with what the trackers derive from it, made once where any of them wants it. Used by one thread only.
final class FrameView {
  private static let leastHeld = 0.9

  let frame: TrackingFrame
  /// Its sizes, for points and patches.
  private(set) lazy var pyramid = Pyramid(frame)
  /// The features of the whole frame, of every second size.
  private(set) lazy var features = FeatureSet(frame, limit: featureLimit, sizes: sizes)
  /// Those of the other sizes.
  private(set) lazy var otherFeatures = FeatureSet(frame, limit: featureLimit, sizes: sizes == .even ? .odd : .even)
  private let sizes: FeatureSet.Sizes

  /// As many as a frame at the usual size has; fewer in smaller ones, which are made smaller to cost less.
  private var featureLimit: Int {
    min(FeatureSet.limit, max(200, FeatureSet.limit * frame.width * frame.height / (640 * 360)))
  }

  /// - Parameter sizes: Of which sizes the features of the whole frame are.
  init(_ frame: TrackingFrame, sizes: FeatureSet.Sizes = .even) {
    self.frame = frame
    self.sizes = sizes
  }

  /// Whether hardly anything of a quadrilateral's bounds lies outside the frame.
  func holds(_ quad: Quadrilateral) -> Bool {
    let bounds = quad.bounds
    let visible = bounds.clipped(width: Double(frame.width), height: Double(frame.height))?.area ?? 0
    return visible > Self.leastHeld * bounds.area
  }

  /// The features inside a quadrilateral, from the part of the frame about it.
  func features(inside quad: Quadrilateral) -> FeatureSet {
    features(of: quad.bounds.enlarged(by: 20)) { quad.contains($0) }
  }

  /// The features of a part of the frame, which get no competition from the rest of it.
  ///
  /// - Parameter limit: The most of them.
  func features(
    of area: Box, limit: Int = FeatureSet.limit, enlargement: Int = 1, where isWanted: ((SIMD2<Double>) -> Bool)? = nil
  ) -> FeatureSet {
    guard area.isFinite, let box = area.clipped(width: Double(frame.width), height: Double(frame.height)) else {
      return FeatureSet()
    }
    let (left, top) = (Int(box.x0), Int(box.y0))
    let part =
      enlargement == 1
      ? frame.grayPart(left: left, top: top, right: Int(box.x1), bottom: Int(box.y1))
      : pyramid.levels[0].enlarged(left: left, top: top, right: Int(box.x1), bottom: Int(box.y1), by: enlargement)
    guard let part else { return FeatureSet() }
    let (corner, factor) = (SIMD2(Double(left), Double(top)), Double(enlargement))
    let features = FeatureSet(
      part, limit: limit, where: isWanted.map { isWanted in { isWanted(($0 + 0.5) / factor - 0.5 + corner) } })
    return features.moved(to: corner, enlargedBy: factor)
  }
}

extension Pyramid.Level {
  /// A part at several times its size, values between pixels by their neighbours; nil where it is empty.
  fileprivate func enlarged(left: Int, top: Int, right: Int, bottom: Int, by factor: Int) -> TrackingFrame? {
    let (across, down) = ((right - left) * factor, (bottom - top) * factor)
    guard right > left, bottom > top else { return nil }
    let step = 1 / Float(factor)
    let gray = [UInt8](unsafeUninitializedCapacity: across * down) { out, count in
      values.withUnsafeBufferPointer { source in
        guard let base = source.baseAddress else { return }
        for y in 0..<down {
          let row = (Float(y) + 0.5) * step - 0.5 + Float(top)
          for x in 0..<across {
            let value = sample(base, (Float(x) + 0.5) * step - 0.5 + Float(left), row)
            out[y &* across &+ x] = UInt8(min(max(value + 0.5, 0), 255))
          }
        }
      }
      count = across * down
    }
    return TrackingFrame(width: across, height: down, gray: gray, fullWidth: across, fullHeight: down)
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
