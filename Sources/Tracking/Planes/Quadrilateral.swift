/// Four corners in order around the object, starting with the upper left one of its first frame.
public struct Quadrilateral: Sendable, Equatable {
  /// The corners.
  public var corners: [SIMD2<Double>]

  /// Creates a rectangle.
  init(box: Box) {
    corners = [
      SIMD2(box.x0, box.y0), SIMD2(box.x1, box.y0), SIMD2(box.x1, box.y1), SIMD2(box.x0, box.y1),
    ]
  }

  /// Creates a quadrilateral from four corners in order; any other number creates an empty one.
  public init(corners: [SIMD2<Double>]) {
    self.corners = corners.count == 4 ? corners : [SIMD2<Double>](repeating: SIMD2(), count: 4)
  }

  /// The smallest upright box around it.
  var bounds: Box {
    corners.dropFirst().reduce(Box(x0: corners[0].x, y0: corners[0].y, x1: corners[0].x, y1: corners[0].y)) {
      Box(x0: min($0.x0, $1.x), y0: min($0.y0, $1.y), x1: max($0.x1, $1.x), y1: max($0.y1, $1.y))
    }
  }

  /// Its area in square pixels, negative for the opposite orientation.
  var signedArea: Double {
    (0..<4).reduce(0) {
      let (a, b) = (corners[$1], corners[($1 + 1) % 4])
      return $0 + (a.x * b.y - b.x * a.y) / 2
    }
  }

  /// Whether it is convex and does not cross itself.
  var isConvex: Bool {
    let turns = (0..<4).map { index -> Double in
      let a = corners[(index + 1) % 4] - corners[index]
      let b = corners[(index + 2) % 4] - corners[(index + 1) % 4]
      return a.x * b.y - a.y * b.x
    }
    return turns.allSatisfy { $0 > 0 } || turns.allSatisfy { $0 < 0 }
  }

  /// Lengths of its sides.
  var sides: [Double] {
    (0..<4).map {
      let way = corners[($0 + 1) % 4] - corners[$0]
      return (way * way).sum().squareRoot()
    }
  }

  var center: SIMD2<Double> { corners.reduce(SIMD2(), +) / 4 }

  func contains(_ point: SIMD2<Double>) -> Bool {
    var (left, right) = (true, true)
    for index in 0..<4 {
      let (a, b) = (corners[index], corners[(index + 1) % 4])
      let turn = (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
      if turn < 0 { left = false }
      if turn > 0 { right = false }
    }
    return left || right
  }

  /// The whole pixels of an image that its bounds cover, at least `margin` from the edges; nil if they are fewer than 3
  /// x 3.
  func pixelBounds(width: Int, height: Int, margin: Int) -> PixelArea? {
    let box = bounds
    guard box.isFinite else { return nil }
    let left = Int(max(Double(margin), min(box.x0, 1e6)))
    let top = Int(max(Double(margin), min(box.y0, 1e6)))
    let right = Int(min(Double(width - margin), max(box.x1, -1e6) + 1))
    let bottom = Int(min(Double(height - margin), max(box.y1, -1e6) + 1))
    guard right - left >= 3, bottom - top >= 3 else { return nil }
    return PixelArea(left: left, top: top, width: right - left, height: bottom - top)
  }
}

/// A rectangle of whole pixels inside an image.
struct PixelArea {
  var left: Int
  var top: Int
  var width: Int
  var height: Int
}

/// An upright box, from its upper left to its lower right corner.
public struct Box: Sendable, Equatable {
  /// Left edge.
  public var x0: Double
  /// Upper edge.
  public var y0: Double
  /// Right edge.
  public var x1: Double
  /// Lower edge.
  public var y1: Double

  /// Creates a box.
  public init(x0: Double, y0: Double, x1: Double, y1: Double) {
    self.x0 = x0
    self.y0 = y0
    self.x1 = x1
    self.y1 = y1
  }

  /// Width in pixels.
  public var width: Double { x1 - x0 }
  /// Height in pixels.
  public var height: Double { y1 - y0 }
  /// Area in square pixels.
  public var area: Double { max(0, width) * max(0, height) }
  var center: SIMD2<Double> { SIMD2((x0 + x1) / 2, (y0 + y1) / 2) }
  var isFinite: Bool { x0.isFinite && y0.isFinite && x1.isFinite && y1.isFinite }

  func contains(_ point: SIMD2<Double>) -> Bool {
    point.x >= x0 && point.x <= x1 && point.y >= y0 && point.y <= y1
  }

  func holds(_ other: Box) -> Bool {
    other.x0 >= x0 && other.y0 >= y0 && other.x1 <= x1 && other.y1 <= y1
  }

  /// The box enlarged by `margin` pixels on each side.
  func enlarged(by margin: Double) -> Box {
    Box(x0: x0 - margin, y0: y0 - margin, x1: x1 + margin, y1: y1 + margin)
  }

  /// The part inside an image; nil if empty.
  public func clipped(width: Double, height: Double) -> Box? {
    let box = Box(x0: max(0, x0), y0: max(0, y0), x1: min(width, x1), y1: min(height, y1))
    return box.x1 > box.x0 && box.y1 > box.y0 ? box : nil
  }

  /// Intersection over union, 0...1.
  public func overlap(with other: Box) -> Double {
    let shared = Box(x0: max(x0, other.x0), y0: max(y0, other.y0), x1: min(x1, other.x1), y1: min(y1, other.y1)).area
    let united = area + other.area - shared
    return united > 0 ? shared / united : 0
  }
}
