#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fits maps by least squares over the pairs that fit.
enum LeastSquares {
  /// The similarity; nil if too few pairs fit.
  static func similarity(_ from: [SIMD2<Double>], _ to: [SIMD2<Double>], _ fits: [Bool]) -> Homography? {
    var (p, q, count) = (SIMD2<Double>(), SIMD2<Double>(), 0.0)
    for index in fits.indices where fits[index] {
      p += from[index]
      q += to[index]
      count += 1
    }
    guard count >= 2 else { return nil }
    p /= count
    q /= count
    var (along, across, square) = (0.0, 0.0, 0.0)
    for index in fits.indices where fits[index] {
      let (u, v) = (from[index] - p, to[index] - q)
      along += (u * v).sum()
      across += u.x * v.y - u.y * v.x
      square += (u * u).sum()
    }
    guard square > 1e-6 else { return nil }
    let (c, s) = (along / square, across / square)
    return Homography(
      SIMD3(c, -s, q.x - c * p.x + s * p.y), SIMD3(s, c, q.y - s * p.x - c * p.y), SIMD3(0, 0, 1))
  }

  /// The homography, by two Gauss-Newton steps from a nearby one; nil if they don't converge.
  static func homography(
    near start: Homography, _ from: [SIMD2<Double>], _ to: [SIMD2<Double>], _ fits: [Bool]
  ) -> Homography? {
    // In units around the points' centroid, for well-conditioned equations.
    guard let (toUnit, fromUnit) = units(from, fits) else { return nil }
    guard var map = normalized(start.after(fromUnit)) else { return nil }
    for _ in 0..<2 {
      var matrix = [Double](repeating: 0, count: 64)
      var right = [Double](repeating: 0, count: 8)
      for index in fits.indices where fits[index] {
        let p = toUnit.map(from[index])
        let depth = map.depth(p)
        guard depth > 1e-9 else { return nil }
        let place = map.map(p)
        let rest = to[index] - place
        let (u, v, w) = (p.x / depth, p.y / depth, 1 / depth)
        add([u, v, w, 0, 0, 0, -u * place.x, -v * place.x], rest.x, &matrix, &right)
        add([0, 0, 0, u, v, w, -u * place.y, -v * place.y], rest.y, &matrix, &right)
      }
      // A small ridge term for what the points don't determine.
      for index in 0..<8 { matrix[index * 9] += 1e-6 * matrix[index * 9] + 1e-9 }
      guard let change = LinearEquations.solve(&matrix, &right) else { return nil }
      map = Homography(
        map.rows.0 + SIMD3(change[0], change[1], change[2]), map.rows.1 + SIMD3(change[3], change[4], change[5]),
        map.rows.2 + SIMD3(change[6], change[7], 0))
    }
    return normalized(map.after(toUnit))
  }

  @inline(__always)
  private static func add(_ row: [Double], _ rest: Double, _ matrix: inout [Double], _ right: inout [Double]) {
    for i in 0..<8 where row[i] != 0 {
      for j in 0..<8 { matrix[i * 8 + j] += row[i] * row[j] }
      right[i] += row[i] * rest
    }
  }

  private static func units(_ points: [SIMD2<Double>], _ fits: [Bool]) -> (Homography, Homography)? {
    var (middle, count) = (SIMD2<Double>(), 0.0)
    for index in fits.indices where fits[index] {
      middle += points[index]
      count += 1
    }
    guard count >= 4 else { return nil }
    middle /= count
    var spread = 0.0
    for index in fits.indices where fits[index] {
      let way = points[index] - middle
      spread += (way * way).sum()
    }
    let size = (spread / count).squareRoot()
    guard size > 0.5 else { return nil }
    return (
      Homography(scale: SIMD2(repeating: 1 / size), move: -middle / size),
      Homography(scale: SIMD2(repeating: size), move: middle)
    )
  }

  private static func normalized(_ map: Homography) -> Homography? {
    let last = map.rows.2.z
    guard last.isFinite, abs(last) > 1e-9 else { return nil }
    return Homography(map.rows.0 / last, map.rows.1 / last, map.rows.2 / last)
  }
}

/// The natural logarithm.
func logarithm(_ value: Double) -> Double { log(value) }
