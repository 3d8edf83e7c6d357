/// Tracks points from one frame to the next by Lucas and Kanade's method, from the smallest size of the pyramid to the
/// largest. Each point is also tracked back.
enum OpticalFlow {
  /// Maximum number of iterations at each size.
  private static let steps = 15
  /// Length of a step, in pixels, below which iteration ends.
  private static let settled: Float = 0.03
  /// Minimum texture of a window, as the smaller eigenvalue of its gradients per pixel.
  private static let leastTexture: Float = 0.5
  /// Maximum distance of a point tracked back from its origin, in pixels; beyond it the point is lost.
  private static let longestReturn = 1.0
  /// Maximum distance of a window's centre outside the frame, in pixels.
  private static let reach: Float = 4

  /// Places of points in the second frame; nil if a point can't be tracked there and back.
  static func follow(_ points: [SIMD2<Double>], from: Pyramid, to: Pyramid) -> [SIMD2<Double>?] {
    points.map { point in
      guard let there = follow(SIMD2<Float>(point), from, to), let back = follow(there, to, from) else { return nil }
      let way = SIMD2<Double>(back) - point
      let inside =
        there.x >= 0 && there.y >= 0 && there.x < Float(to.levels[0].width) && there.y < Float(to.levels[0].height)
      return inside && (way * way).sum() < longestReturn * longestReturn ? SIMD2<Double>(there) : nil
    }
  }

  private static func follow(_ point: SIMD2<Float>, _ from: Pyramid, _ to: Pyramid) -> SIMD2<Float>? {
    guard point.x.isFinite, point.y.isFinite else { return nil }
    var motion = SIMD2<Float>()
    for index in (0..<min(from.levels.count, to.levels.count)).reversed() {
      let factor = 1 / Float(1 << index)
      guard let better = step(point * factor, motion * factor, from.levels[index], to.levels[index]) else {
        if index == 0 { return nil }
        continue
      }
      motion = better / factor
    }
    return point + motion
  }

  /// Improves the motion of a window of 16 x 16 pixels at one size.
  private static func step(
    _ point: SIMD2<Float>, _ guess: SIMD2<Float>, _ from: Pyramid.Level, _ to: Pyramid.Level
  ) -> SIMD2<Float>? {
    guard isInReach(point, of: from) else { return nil }
    return from.values.withUnsafeBufferPointer { source in
      to.values.withUnsafeBufferPointer { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return nil }
        return withUnsafeTemporaryAllocation(of: SIMD16<Float>.self, capacity: 48) { window in
          guard let base = window.baseAddress else { return nil }
          let gradients = Window.read(at: point, from, source, into: base)
          guard gradients.isTextured(leastTexture * 256) else { return nil }
          var motion = guess
          for _ in 0..<steps {
            let place = point + motion
            guard isInReach(place, of: to) else { return nil }
            let difference = Window.difference(at: place, to, target, to: base)
            let change = gradients.solve(difference)
            motion += change
            if (change * change).sum() < settled * settled { break }
          }
          return motion
        }
      }
    }
  }

  @inline(__always)
  private static func isInReach(_ point: SIMD2<Float>, of level: Pyramid.Level) -> Bool {
    point.x > -reach && point.y > -reach && point.x < Float(level.width) + reach
      && point.y < Float(level.height) + reach
  }
}

/// A window of 16 x 16 pixels around a point: 16 rows of values, then of horizontal gradients, then of vertical
/// gradients.
private enum Window {
  /// Sums of the products of gradients.
  struct Gradients {
    var xx: Float
    var xy: Float
    var yy: Float

    func isTextured(_ least: Float) -> Bool {
      let half = (xx - yy) / 2
      return (xx + yy) / 2 - (half * half + xy * xy).squareRoot() > least
    }

    func solve(_ d: SIMD2<Float>) -> SIMD2<Float> {
      let determinant = xx * yy - xy * xy
      return SIMD2((yy * d.x - xy * d.y) / determinant, (xx * d.y - xy * d.x) / determinant)
    }
  }

  /// A row of 16 interpolated values.
  @inline(__always)
  private static func row(_ p: UnsafePointer<Float>, _ fx: Float) -> SIMD16<Float> {
    let left = UnsafeRawPointer(p).loadUnaligned(as: SIMD16<Float>.self)
    let right = UnsafeRawPointer(p + 1).loadUnaligned(as: SIMD16<Float>.self)
    return left + (right - left) * fx
  }

  /// The pixel before the window's first one, and the window's offset from it.
  @inline(__always)
  private static func start(
    _ point: SIMD2<Float>, _ level: Pyramid.Level
  ) -> (offset: Int, fx: Float, fy: Float) {
    let corner = point - 7.5
    let x = corner.x.rounded(.down)
    let y = corner.y.rounded(.down)
    return (level.origin &+ Int(y) &* level.stride &+ Int(x), corner.x - x, corner.y - y)
  }

  static func read(
    at point: SIMD2<Float>, _ level: Pyramid.Level, _ values: UnsafePointer<Float>,
    into window: UnsafeMutablePointer<SIMD16<Float>>
  ) -> Gradients {
    let (offset, fx, fy) = start(point, level)
    var (xx, xy, yy) = (SIMD16<Float>(), SIMD16<Float>(), SIMD16<Float>())
    for y in 0..<16 {
      let p = values + (offset &+ y &* level.stride)
      let above = row(p - level.stride, fx)
      let upper = row(p, fx)
      let lower = row(p + level.stride, fx)
      let below = row(p + 2 &* level.stride, fx)
      let left = row(p - 1, fx) * (1 - fy) + row(p + (level.stride &- 1), fx) * fy
      let right = row(p + 1, fx) * (1 - fy) + row(p + (level.stride &+ 1), fx) * fy
      let gx = (right - left) * 0.5
      let gy = ((lower - above) * (1 - fy) + (below - upper) * fy) * 0.5
      window[y] = upper * (1 - fy) + lower * fy
      window[16 &+ y] = gx
      window[32 &+ y] = gy
      xx += gx * gx
      xy += gx * gy
      yy += gy * gy
    }
    return Gradients(xx: xx.sum(), xy: xy.sum(), yy: yy.sum())
  }

  /// The difference from the values at another place, projected on both gradients.
  static func difference(
    at point: SIMD2<Float>, _ level: Pyramid.Level, _ values: UnsafePointer<Float>,
    to window: UnsafePointer<SIMD16<Float>>
  ) -> SIMD2<Float> {
    let (offset, fx, fy) = start(point, level)
    var (dx, dy) = (SIMD16<Float>(), SIMD16<Float>())
    var upper = row(values + offset, fx)
    for y in 0..<16 {
      let lower = row(values + (offset &+ (y &+ 1) &* level.stride), fx)
      let difference = window[y] - (upper * (1 - fy) + lower * fy)
      dx += difference * window[16 &+ y]
      dy += difference * window[32 &+ y]
      upper = lower
    }
    return SIMD2(dx.sum(), dy.sum())
  }
}
