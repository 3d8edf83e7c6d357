/// The object's first picture with its corners, on which every later place is measured anew: the frame is brought back
/// to the first picture's shape, and what is left to move is followed from there. So errors do not add up.
struct AnchoredPatch: Sendable {
  /// The longer side of the picture in its own pixels, which bounds what a frame costs.
  private static let side = 320.0
  /// Pixels kept round the object.
  private static let margin = 10.0
  /// A corner that seems to have moved farther than this is something else.
  private static let longestWay = 5.0
  private static let cornerLimit = 80

  /// From the patch's pixels to those of the first frame.
  private let toFirst: Homography
  private let pyramid: Pyramid
  private let corners: [SIMD2<Double>]

  /// Nil where the object has too few corners.
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

  /// Pairs of places in the first frame and in this one, measured about where a map says that they are.
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
  /// The picture that a map from its pixels to another picture's shows, at full and at half size.
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
