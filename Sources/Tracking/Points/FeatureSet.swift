/// Places of an image that can be found again in another one, with their descriptors.
struct FeatureSet: Sendable {
  /// Maximum number of features of a whole image.
  static let limit = 800
  /// Number of image sizes, and the factor between them.
  private static let sizes = 6
  private static let step = 1.2
  /// Minimum distance of a feature from the edges in pixels, for the comparisons around it.
  private static let border = 17
  /// Cells into which an image is divided.
  private static let (columns, rows) = (8, 5)

  /// Places of the features, in the image's pixels.
  var points: [SIMD2<Double>] = []
  /// Descriptors of the features.
  var descriptors: [Descriptor] = []

  /// The image sizes that are used.
  enum Sizes {
    case all
    /// Every second size: the sizes of the image that it is compared with cover those between.
    case even, odd

    fileprivate func contains(_ size: Int) -> Bool { self == .all || (size % 2 == 0) == (self == .even) }
  }

  /// No features.
  init() {}

  /// The same features in the image of which this one is an enlarged part.
  func moved(to corner: SIMD2<Double>, enlargedBy factor: Double) -> FeatureSet {
    var moved = self
    moved.points = points.map { ($0 + 0.5) / factor - 0.5 + corner }
    return moved
  }

  /// Appends other features.
  mutating func append(_ others: FeatureSet) {
    points += others.points
    descriptors += others.descriptors
  }

  /// Finds the strongest features of an image, some at each size.
  ///
  /// - Parameters:
  ///   - frame: The image.
  ///   - limit: Maximum number of features of all sizes together.
  ///   - chosenSizes: The sizes that are used.
  ///   - isWanted: Selects features by place; nil for the whole image, with a share for each cell.
  init(
    _ frame: TrackingFrame, limit: Int = FeatureSet.limit, sizes chosenSizes: Sizes = .all,
    where isWanted: ((SIMD2<Double>) -> Bool)? = nil
  ) {
    var picture = frame
    var factor = 1.0
    // The number of features of a size is proportional to its side.
    let share = (1 - 1 / Self.step) / (1 - pow(1 / Self.step, Self.sizes))
    for size in 0..<Self.sizes {
      if size > 0 { factor *= Self.step }
      guard chosenSizes.contains(size) else { continue }
      if size > 0 { picture = frame.grayScaled(by: 1 / factor, from: picture) }
      guard min(picture.width, picture.height) > 2 * Self.border else { break }
      let scale = SIMD2(Double(frame.width) / Double(picture.width), Double(frame.height) / Double(picture.height))
      let wanted = Int((Double(limit) * share / factor).rounded(.up))
      add(picture, scale: scale, limit: wanted, where: isWanted)
    }
  }

  private mutating func add(
    _ picture: TrackingFrame, scale: SIMD2<Double>, limit: Int, where isWanted: ((SIMD2<Double>) -> Bool)?
  ) {
    let corners = Self.sorted(
      FastCorners.find(picture.gray, width: picture.width, height: picture.height, border: Self.border))
    let reader = DescriptorReader(picture.gray, width: picture.width, height: picture.height)
    func place(_ corner: FastCorners.Corner) -> SIMD2<Double> {
      (SIMD2(Double(corner.x), Double(corner.y)) + 0.5) * scale - 0.5
    }
    let chosen =
      isWanted.map { isWanted in corners.lazy.filter { isWanted(place($0)) }.prefix(limit).map { $0 } }
      ?? Self.spread(corners, picture, limit: limit)
    for corner in chosen {
      points.append(place(corner))
      descriptors.append(reader.descriptor(x: corner.x, y: corner.y))
    }
  }

  /// The strongest corners first, those of one strength in their order. Sorts numbers of strength and index, which is
  /// faster than sorting corners.
  private static func sorted(_ corners: [FastCorners.Corner]) -> [FastCorners.Corner] {
    var keys = corners.enumerated().map { index, corner in
      // Bits in the order of the numbers: negative ones are below, in reverse.
      let bits = (corner.strength + 0).bitPattern
      let rank = bits >> 31 == 0 ? bits | 1 << 31 : ~bits
      return UInt64(rank) << 32 | UInt64(~UInt32(truncatingIfNeeded: index))
    }
    keys.sort(by: >)
    return keys.map { corners[Int(~UInt32(truncatingIfNeeded: $0))] }
  }

  /// At most `limit` corners, the strongest of each cell first, so that strong corners elsewhere don't displace faint
  /// ones.
  private static func spread(
    _ corners: [FastCorners.Corner], _ picture: TrackingFrame, limit: Int
  ) -> [FastCorners.Corner] {
    guard corners.count > limit else { return corners }
    let share = max(1, limit / (columns * rows))
    var taken = [Int](repeating: 0, count: columns * rows)
    var (chosen, others): ([FastCorners.Corner], [FastCorners.Corner]) = ([], [])
    for corner in corners {
      let cell = corner.y * rows / picture.height * columns + corner.x * columns / picture.width
      taken[cell] += 1
      if taken[cell] <= share { chosen.append(corner) } else { others.append(corner) }
    }
    return Array((chosen + others).prefix(limit))
  }
}

extension TrackingFrame {
  /// The gray values of this frame at a smaller size, made from an intermediate size.
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
