/// A frame with data derived from it, each computed once on first use. Not thread-safe: use on one thread only.
final class FrameView {
  private static let leastHeld = 0.9

  let frame: TrackingFrame
  /// The frame at several sizes, for points and patches.
  private(set) lazy var pyramid = Pyramid(frame)
  /// The features of the whole frame, at every second size.
  private(set) lazy var features = FeatureSet(frame, limit: featureLimit, sizes: sizes)
  /// The features at the other sizes.
  private(set) lazy var otherFeatures = FeatureSet(frame, limit: featureLimit, sizes: sizes == .even ? .odd : .even)
  private let sizes: FeatureSet.Sizes

  /// Maximum number of features: `FeatureSet.limit` at the usual size, fewer in smaller frames, which are reduced to
  /// save time.
  private var featureLimit: Int {
    min(FeatureSet.limit, max(200, FeatureSet.limit * frame.width * frame.height / (640 * 360)))
  }

  /// Creates a view of a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - sizes: The sizes of `features`.
  init(_ frame: TrackingFrame, sizes: FeatureSet.Sizes = .even) {
    self.frame = frame
    self.sizes = sizes
  }

  /// Whether more than 90 % of a quadrilateral's bounds lies inside the frame.
  func holds(_ quad: Quadrilateral) -> Bool {
    let bounds = quad.bounds
    let visible = bounds.clipped(width: Double(frame.width), height: Double(frame.height))?.area ?? 0
    return visible > Self.leastHeld * bounds.area
  }

  /// The features inside a quadrilateral, computed from the part of the frame around it.
  func features(inside quad: Quadrilateral) -> FeatureSet {
    features(of: quad.bounds.enlarged(by: 20)) { quad.contains($0) }
  }

  /// The features of a part of the frame, which don't compete with those of the rest.
  ///
  /// - Parameters:
  ///   - area: The part, in pixels of the frame.
  ///   - limit: Maximum number of features.
  ///   - enlargement: Factor by which the part is enlarged first.
  ///   - isWanted: Selects features by their place in the frame; nil to take all.
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
  /// A part enlarged by a factor, with bilinear interpolation; nil if empty.
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
  /// The gray pixels of a rectangle inside the frame; nil if empty.
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
