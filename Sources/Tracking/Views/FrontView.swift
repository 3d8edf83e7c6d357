/// A frontal view of a flat object, made from the frames that show it.
///
/// A single frame is warped to the object's first shape by its corners. Several frames are each registered with the
/// first by tracked points and averaged, best at twice the size: noise decreases, and detail between the pixels of one
/// frame appears in another. A frame that can't be registered is left out.
public struct FrontView: Sendable, Equatable {
  /// Margin around the object, as a share of its sides: a hand-drawn box may cut off part of it.
  private static let margin = 0.06
  /// Range of the scale of a view.
  private static let scales = 0.25...4
  private static let cornerLimit = 120
  /// Minimum number of points that a frame shares with the first one, and their share of those that could be tracked.
  private static let leastPoints = 12
  private static let leastShare = 0.5
  /// Maximum distance of a point from its place, in pixels of the view.
  private static let tolerance = 2.0
  /// Correlation with the first frame below which a frame shows something else or too little of the object.
  private static let leastCorrelation = 0.7

  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// `width * height` gray values, row after row.
  public let gray: [UInt8]
  /// Number of frames averaged.
  public let frameCount: Int

  /// Creates a view; nil if there are no frames or the first shows nothing.
  ///
  /// - Parameters:
  ///   - frames: The frames, sharpest first; the others are registered with it.
  ///   - scale: Pixels of the view per pixel of the first frame, along a side.
  ///   - pixelLimit: Maximum number of pixels of the view.
  public init?(of frames: [ViewedFrame], scale: Double = 2, pixelLimit: Int) {
    guard let first = frames.first, let shape = Shape(first.quad, scale: scale, pixelLimit: pixelLimit),
      let map = shape.map(to: first.quad)
    else { return nil }
    let view = Pyramid(first.pyramid, through: map, width: shape.width, height: shape.height)
    let reference = view.levels[0]
    let corners = Corners.find(in: reference, inside: shape.inside, limit: Self.cornerLimit)
    var mean = FrameMean(reference)
    for frame in frames.dropFirst() {
      guard let map = shape.map(to: frame.quad),
        let registered = Self.registered(frame, near: map, view, corners)
      else { continue }
      mean.add(registered)
    }
    (width, height, gray, frameCount) = (shape.width, shape.height, mean.gray, mean.count)
  }

  /// Registers a frame with the first one; returns nil if too few points agree or it looks different.
  private static func registered(
    _ frame: ViewedFrame, near map: Homography, _ view: Pyramid, _ corners: [SIMD2<Double>]
  ) -> Pyramid.Level? {
    let (width, height) = (view.levels[0].width, view.levels[0].height)
    let rough = Pyramid(frame.pyramid, through: map, width: width, height: height)
    let places = OpticalFlow.follow(corners, from: view, to: rough)
    let pairs = zip(corners, places).compactMap { corner, place in place.map { (corner, $0) } }
    guard pairs.count >= leastPoints,
      let fit = PlaneFit(pairs.map(\.0), pairs.map(\.1), tolerance: tolerance), fit.count >= leastPoints,
      Double(fit.count) >= leastShare * Double(pairs.count)
    else { return nil }
    let exact = Pyramid(frame.pyramid, through: map.after(fit.map), width: width, height: height).levels[0]
    return exact.correlation(with: view.levels[0]) >= leastCorrelation ? exact : nil
  }

  /// The size of the view, and the object's place in it.
  private struct Shape {
    let width: Int
    let height: Int
    let inside: Quadrilateral

    init?(_ quad: Quadrilateral, scale: Double, pixelLimit: Int) {
      let sides = quad.sides
      let size = SIMD2(max(sides[0], sides[2]), max(sides[1], sides[3]))
      let whole = size * (1 + 2 * margin)
      guard whole.x.isFinite, whole.y.isFinite, size.min() >= 1 else { return nil }
      let most = (Double(max(1, pixelLimit)) / (whole.x * whole.y)).squareRoot()
      // This order turns NaN into the minimum.
      let factor = min(max(scales.lowerBound, min(scales.upperBound, scale)), most)
      let (across, down) = (
        Int(clampedTo((whole.x * factor).rounded(.down), 0...32_000)),
        Int(clampedTo((whole.y * factor).rounded(.down), 0...32_000))
      )
      guard across >= 8, down >= 8 else { return nil }
      (width, height) = (across, down)
      let edge = size * margin * factor
      inside = Quadrilateral(
        box: Box(
          x0: edge.x - 0.5, y0: edge.y - 0.5, x1: edge.x + size.x * factor - 0.5, y1: edge.y + size.y * factor - 0.5))
    }

    /// Maps the view's pixels to those of a frame.
    func map(to quad: Quadrilateral) -> Homography? {
      guard let map = Homography(from: inside, to: quad) else { return nil }
      let corners = [
        SIMD2(0, 0), SIMD2(Double(width), 0), SIMD2(0, Double(height)), SIMD2(Double(width), Double(height)),
      ]
      return corners.allSatisfy { map.depth($0) > 1e-9 } ? map : nil
    }
  }
}

/// The mean of registered images, each adjusted to the first one's brightness and contrast.
private struct FrameMean {
  private let first: Pyramid.Level
  private let light: (mean: Float, deviation: Float)
  private var sums: [Float]
  private(set) var count = 1

  init(_ first: Pyramid.Level) {
    self.first = first
    light = first.light
    sums = first.values
  }

  mutating func add(_ level: Pyramid.Level) {
    guard level.values.count == sums.count else { return }
    let other = level.light
    let gain = min(max(light.deviation / max(other.deviation, 1e-3), 0.2), 5)
    for index in sums.indices { sums[index] += (level.values[index] - other.mean) * gain + light.mean }
    count += 1
  }

  var gray: [UInt8] {
    var gray: [UInt8] = []
    gray.reserveCapacity(first.width * first.height)
    for y in 0..<first.height {
      let start = first.origin + y * first.stride
      for x in 0..<first.width {
        // This order turns NaN into 0.
        gray.append(UInt8(max(0, min(255, (sums[start + x] / Float(count)).rounded()))))
      }
    }
    return gray
  }
}

extension Pyramid.Level {
  /// Mean and standard deviation of the values, without the margins.
  fileprivate var light: (mean: Float, deviation: Float) {
    var (sum, square) = (0.0, 0.0)
    forEachValue {
      sum += Double($0)
      square += Double($0) * Double($0)
    }
    let count = Double(max(1, width * height))
    let mean = sum / count
    return (Float(mean), Float(max(0, square / count - mean * mean).squareRoot()))
  }

  /// The normalised correlation of two levels of equal size, -1...1.
  fileprivate func correlation(with other: Pyramid.Level) -> Double {
    guard other.values.count == values.count else { return 0 }
    let (mine, theirs) = (light, other.light)
    var sum = 0.0
    for y in 0..<height {
      let start = origin + y * stride
      for x in start..<(start + width) {
        sum += Double(values[x] - mine.mean) * Double(other.values[x] - theirs.mean)
      }
    }
    return sum / max(1e-9, Double(mine.deviation) * Double(theirs.deviation) * Double(max(1, width * height)))
  }

  private func forEachValue(_ body: (Float) -> Void) {
    for y in 0..<height {
      let start = origin + y * stride
      for x in start..<(start + width) { body(values[x]) }
    }
  }
}
