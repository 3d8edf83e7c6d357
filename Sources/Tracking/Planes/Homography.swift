/// A projective map between planes, which keeps lines straight: the rows of a 3 x 3 matrix.
struct Homography: Sendable, Equatable {
  var rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

  static func == (a: Homography, b: Homography) -> Bool { a.rows == b.rows }

  static let identity = Homography(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))

  init(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) { rows = (a, b, c) }

  /// Scales each axis, then translates.
  init(scale: SIMD2<Double>, move: SIMD2<Double>) {
    self.init(SIMD3(scale.x, 0, move.x), SIMD3(0, scale.y, move.y), SIMD3(0, 0, 1))
  }

  /// The divisor at a point; not positive behind the horizon.
  @inline(__always)
  func depth(_ p: SIMD2<Double>) -> Double { rows.2.x * p.x + rows.2.y * p.y + rows.2.z }

  @inline(__always)
  func map(_ p: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(rows.0.x * p.x + rows.0.y * p.y + rows.0.z, rows.1.x * p.x + rows.1.y * p.y + rows.1.z) / depth(p)
  }

  func map(_ quad: Quadrilateral) -> Quadrilateral { Quadrilateral(corners: quad.corners.map(map)) }

  /// This map applied after another.
  func after(_ other: Homography) -> Homography {
    func row(_ r: SIMD3<Double>) -> SIMD3<Double> {
      other.rows.0 * r.x + other.rows.1 * r.y + other.rows.2 * r.z
    }
    return Homography(row(rows.0), row(rows.1), row(rows.2))
  }

  /// The inverse map; nil if the map is singular.
  var inverse: Homography? {
    let (a, b, c) = rows
    let x = cross(b, c)
    let y = cross(c, a)
    let z = cross(a, b)
    let determinant = (a * x).sum()
    guard determinant.isFinite, abs(determinant) > 1e-12 else { return nil }
    return Homography(
      SIMD3(x.x, y.x, z.x) / determinant, SIMD3(x.y, y.y, z.y) / determinant, SIMD3(x.z, y.z, z.z) / determinant)
  }

  /// The linear magnification at a point: the square root of the area's change.
  func magnification(at point: SIMD2<Double>) -> Double {
    let o = map(point)
    let a = map(point + SIMD2(1, 0)) - o
    let b = map(point + SIMD2(0, 1)) - o
    return abs(a.x * b.y - a.y * b.x).squareRoot()
  }

  /// The map from one quadrilateral to another; nil if there is no such map.
  init?(from: Quadrilateral, to: Quadrilateral) {
    self.init(exactly: Array(zip(from.corners, to.corners)))
  }

  /// The map from four points to four others; nil if three of them lie on a line.
  init?(exactly pairs: [(SIMD2<Double>, SIMD2<Double>)]) {
    guard pairs.count == 4 else { return nil }
    var matrix = [Double](repeating: 0, count: 64)
    var right = [Double](repeating: 0, count: 8)
    for (index, (p, q)) in pairs.enumerated() {
      let r = index * 16
      matrix[r] = p.x
      matrix[r + 1] = p.y
      matrix[r + 2] = 1
      matrix[r + 6] = -p.x * q.x
      matrix[r + 7] = -p.y * q.x
      matrix[r + 11] = p.x
      matrix[r + 12] = p.y
      matrix[r + 13] = 1
      matrix[r + 14] = -p.x * q.y
      matrix[r + 15] = -p.y * q.y
      right[index * 2] = q.x
      right[index * 2 + 1] = q.y
    }
    guard let h = LinearEquations.solve(&matrix, &right) else { return nil }
    self.init(SIMD3(h[0], h[1], h[2]), SIMD3(h[3], h[4], h[5]), SIMD3(h[6], h[7], 1))
  }
}

private func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
  SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// Gaussian elimination with partial pivoting.
enum LinearEquations {
  /// Solves `matrix * x = right` for a matrix in row order; nil if there is no unique solution. Overwrites both
  /// arguments.
  static func solve(_ matrix: inout [Double], _ right: inout [Double]) -> [Double]? {
    let n = right.count
    for column in 0..<n {
      guard let pivot = (column..<n).max(by: { abs(matrix[$0 * n + column]) < abs(matrix[$1 * n + column]) }),
        abs(matrix[pivot * n + column]) > 1e-12
      else { return nil }
      if pivot != column {
        for k in 0..<n { matrix.swapAt(pivot * n + k, column * n + k) }
        right.swapAt(pivot, column)
      }
      for row in (column + 1)..<max(n, column + 1) {
        let factor = matrix[row * n + column] / matrix[column * n + column]
        guard factor != 0 else { continue }
        for k in column..<n { matrix[row * n + k] -= factor * matrix[column * n + k] }
        right[row] -= factor * right[column]
      }
    }
    var solution = [Double](repeating: 0, count: n)
    for row in (0..<n).reversed() {
      var sum = right[row]
      for k in (row + 1)..<max(n, row + 1) { sum -= matrix[row * n + k] * solution[k] }
      solution[row] = sum / matrix[row * n + row]
    }
    return solution.allSatisfy(\.isFinite) ? solution : nil
  }
}
