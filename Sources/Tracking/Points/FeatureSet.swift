/// Places of a picture that can be found again in another one, with what they look like.
struct FeatureSet: Sendable {
  /// The most features of a whole picture.
  static let limit = 800
  /// How often the picture is reduced, and how much.
  private static let sizes = 6
  private static let step = 1.2
  /// Pixels that a feature keeps from the edges, for the comparisons about it.
  private static let border = 17
  /// Cells of a picture.
  private static let (columns, rows) = (8, 5)

  /// Where they are, in the picture's pixels.
  var points: [SIMD2<Double>] = []
  /// What they look like.
  var descriptors: [Descriptor] = []

  /// Which of the sizes are looked at.
  enum Sizes {
    case all
    /// Every second one: what lies between is found as well by the sizes of the picture that it is compared with.
    case even, odd

    fileprivate func contains(_ size: Int) -> Bool { self == .all || (size % 2 == 0) == (self == .even) }
  }

  /// No features.
  init() {}

  /// The same in a picture of which this one shows a part, enlarged by a factor.
  func moved(to corner: SIMD2<Double>, enlargedBy factor: Double) -> FeatureSet {
    var moved = self
    moved.points = points.map { ($0 + 0.5) / factor - 0.5 + corner }
    return moved
  }

  /// These and others.
  mutating func append(_ others: FeatureSet) {
    points += others.points
    descriptors += others.descriptors
  }

  /// The strongest features of a picture, some of each size.
  ///
  /// - Parameters:
  ///   - frame: The picture.
  ///   - limit: The most features of all sizes together.
  ///   - chosenSizes: Which sizes are looked at.
  ///   - isWanted: Chooses among all of them. Nil for the whole picture, of which each part gets its share.
  init(
    _ frame: TrackingFrame, limit: Int = FeatureSet.limit, sizes chosenSizes: Sizes = .all,
    where isWanted: ((SIMD2<Double>) -> Bool)? = nil
  ) {
    var picture = frame
    var factor = 1.0
    // Each size holds features in proportion to its side.
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
    let corners = FastCorners.find(picture.gray, width: picture.width, height: picture.height, border: Self.border)
      .sorted { $0.strength > $1.strength }
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

  /// As many corners as the limit says, the strongest of each cell first: what is faint would find no place beside what
  /// is strong elsewhere.
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
