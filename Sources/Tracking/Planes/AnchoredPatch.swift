/// The object's first image with its corners, against which every later place is measured again: the frame is warped to
/// the first image's shape, and the remaining motion is tracked from there. This keeps errors from accumulating.
struct AnchoredPatch: Sendable {
  /// Longer side of the image in its own pixels, which bounds the cost of a frame.
  private static let side = 320.0
  /// Margin around the object, in pixels.
  private static let margin = 10.0
  /// Distance in pixels beyond which a moved corner counts as a mismatch.
  private static let longestWay = 5.0
  private static let cornerLimit = 80

  /// Maps the patch's pixels to those of the first frame.
  private let toFirst: Homography
  private let pyramid: Pyramid
  private let corners: [SIMD2<Double>]

  /// Creates a patch; nil if the object has too few corners.
  init?(_ view: FrameView, box: Box) {
    let factor = min(1, Self.side / max(1, max(box.width, box.height)))
    let corner = SIMD2(box.x0, box.y0) - Self.margin
    let size = (SIMD2(box.width, box.height) + 2 * Self.margin) * factor
    toFirst = Homography(scale: SIMD2(repeating: 1 / factor), move: corner)
    pyramid = Pyramid(
      view.pyramid, through: toFirst, width: Int(clampedTo(size.x.rounded(.up), 1...400)),
      height: Int(clampedTo(size.y.rounded(.up), 1...400)))
    let inside = Box(
      x0: Self.margin * factor, y0: Self.margin * factor, x1: (Self.margin + box.width) * factor,
      y1: (Self.margin + box.height) * factor)
    corners = Corners.find(in: pyramid.levels[0], inside: Quadrilateral(box: inside), limit: Self.cornerLimit)
    if corners.count < 8 { return nil }
  }

  /// Pairs of places in the first frame and in this one, measured near those that a map predicts.
  func pairs(in view: FrameView, near map: Homography) -> (first: [SIMD2<Double>], seen: [SIMD2<Double>]) {
    let whole = map.after(toFirst)
    guard whole.depth(SIMD2(0, 0)) > 1e-9 else { return ([], []) }
    let level = pyramid.levels[0]
    let restored = Pyramid(view.pyramid, through: whole, width: level.width, height: level.height)
    let places = OpticalFlow.follow(corners, from: pyramid, to: restored)
    var pairs: (first: [SIMD2<Double>], seen: [SIMD2<Double>]) = ([], [])
    let (right, bottom) = (Double(view.frame.width - 1), Double(view.frame.height - 1))
    for (corner, place) in zip(corners, places) {
      guard let place, ((place - corner) * (place - corner)).sum() < Self.longestWay * Self.longestWay else { continue }
      let seen = whole.map(place)
      guard seen.x > 0, seen.y > 0, seen.x < right, seen.y < bottom else { continue }
      pairs.first.append(toFirst.map(corner))
      pairs.seen.append(seen)
    }
    return pairs
  }
}

extension Pyramid {
  /// Warps another image through a map from this one's pixels, at full and at half size.
  init(_ other: Pyramid, through map: Homography, width: Int, height: Int) {
    let magnification = map.magnification(at: SIMD2(Double(width) / 2, Double(height) / 2))
    var index = 0
    while index + 1 < other.levels.count, magnification > 1.6 * Double(1 << index) { index += 1 }
    let source = other.levels[index]
    let factor = 1 / Float(1 << index)
    let full = source.values.withUnsafeBufferPointer { values in
      Level(width: width, height: height) { y, out in
        for x in 0..<width {
          let point = SIMD2(Double(x), Double(y))
          guard let base = values.baseAddress, map.depth(point) > 1e-9 else {
            out[x] = 0
            continue
          }
          let place = SIMD2<Float>(map.map(point)) * factor
          out[x] = source.sample(base, place.x, place.y)
        }
      }
    }
    self.init(levels: min(width, height) >= 32 ? [full, full.halved()] : [full])
  }
}
