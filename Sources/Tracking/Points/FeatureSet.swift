/// Places of a picture that can be found again in another one, with what they look like.
struct FeatureSet: Sendable {
  /// The most features of a whole picture.
  static let limit = 800
  /// How often the picture is reduced, and how much.
  private static let sizes = 6
  private static let step = 1.2
  /// Pixels that a feature keeps from the edges, for the comparisons about it.
  private static let border = 17

  /// Where they are, in the picture's pixels.
  var points: [SIMD2<Double>] = []
  /// What they look like.
  var descriptors: [Descriptor] = []

  /// No features.
  init() {}

  /// The strongest features of a picture, some of each size.
  init(_ frame: TrackingFrame, limit: Int = FeatureSet.limit, where isWanted: (SIMD2<Double>) -> Bool = { _ in true }) {
    var picture = frame
    var factor = 1.0
    // Each size holds features in proportion to its side.
    let share = (1 - 1 / Self.step) / (1 - pow(1 / Self.step, Self.sizes))
    for size in 0..<Self.sizes {
      if size > 0 {
        factor *= Self.step
        picture = frame.grayScaled(by: 1 / factor, from: picture)
      }
      guard min(picture.width, picture.height) > 2 * Self.border else { break }
      let scale = SIMD2(Double(frame.width) / Double(picture.width), Double(frame.height) / Double(picture.height))
      let wanted = Int((Double(limit) * share / factor).rounded(.up))
      add(picture, scale: scale, limit: wanted, where: isWanted)
    }
  }

  private mutating func add(
    _ picture: TrackingFrame, scale: SIMD2<Double>, limit: Int, where isWanted: (SIMD2<Double>) -> Bool
  ) {
    let corners = FastCorners.find(picture.gray, width: picture.width, height: picture.height, border: Self.border)
    let reader = DescriptorReader(picture.gray, width: picture.width, height: picture.height)
    var taken = 0
    for corner in corners.sorted(by: { $0.strength > $1.strength }) {
      let point = (SIMD2(Double(corner.x), Double(corner.y)) + 0.5) * scale - 0.5
      guard isWanted(point) else { continue }
      points.append(point)
      descriptors.append(reader.descriptor(x: corner.x, y: corner.y))
      taken += 1
      if taken == limit { break }
    }
  }
}

extension TrackingFrame {
  /// The gray of this picture at a smaller size, made from one between.
  fileprivate func grayScaled(by factor: Double, from larger: TrackingFrame) -> TrackingFrame {
    let newWidth = max(1, Int((Double(width) * factor).rounded()))
    let newHeight = max(1, Int((Double(height) * factor).rounded()))
    let grayOnly = larger.colors.isEmpty ? larger : larger.withoutColors
    return grayOnly.scaled(width: newWidth, height: newHeight)
  }

  fileprivate var withoutColors: TrackingFrame {
    TrackingFrame(width: width, height: height, gray: gray, fullWidth: fullWidth, fullHeight: fullHeight) ?? self
  }
}

private func pow(_ base: Double, _ exponent: Int) -> Double { (0..<exponent).reduce(1) { value, _ in value * base } }
