/// Finds places that can be tracked well: corners by Shi and Tomasi, the smaller eigenvalue of the gradients in 5 x 5
/// pixels.
enum Corners {
  /// Minimum strength of a corner, as a share of the strongest.
  private static let quality: Float = 0.01
  /// Minimum distance between corners, in pixels.
  private static let spacing = 5.0

  /// The strongest corners inside a quadrilateral.
  ///
  /// - Parameters:
  ///   - level: The image.
  ///   - quad: The quadrilateral, in pixels of the image.
  ///   - limit: Maximum number of corners.
  ///   - taken: Points that are already corners.
  static func find(
    in level: Pyramid.Level, inside quad: Quadrilateral, limit: Int, taken: [SIMD2<Double>] = []
  ) -> [SIMD2<Double>] {
    guard limit > 0, let area = quad.pixelBounds(width: level.width, height: level.height, margin: 3) else { return [] }
    let strengths = smallerEigenvalues(level, area)
    let strongest = strengths.max() ?? 0
    guard strongest > 0 else { return [] }
    var grid = SpacingGrid(spacing: spacing)
    taken.forEach { _ = grid.place($0) }
    var found: [SIMD2<Double>] = []
    for index in localMaxima(strengths, area, above: strongest * quality) {
      let point = SIMD2(Double(area.left + index % area.width), Double(area.top + index / area.width))
      guard quad.contains(point), grid.place(point) else { continue }
      found.append(point)
      if found.count == limit { break }
    }
    return found
  }

  private static func smallerEigenvalues(_ level: Pyramid.Level, _ area: PixelArea) -> [Float] {
    let (width, height) = (area.width, area.height)
    // Products of gradients, with a border of 2 for the window.
    let (wide, high) = (width + 4, height + 4)
    var products = [SIMD3<Float>](repeating: SIMD3(), count: wide * high)
    var strengths = [Float](repeating: 0, count: width * height)
    level.values.withUnsafeBufferPointer { values in
      products.withUnsafeMutableBufferPointer { products in
        guard let base = values.baseAddress else { return }
        for y in 0..<high {
          let line = base + (level.origin &+ (area.top &- 2 &+ y) &* level.stride &+ area.left &- 2)
          for x in 0..<wide {
            let gx = line[x &+ 1] - line[x &- 1]
            let gy = line[x &+ level.stride] - line[x &- level.stride]
            products[y &* wide &+ x] = SIMD3(gx * gx, gx * gy, gy * gy)
          }
        }
        sumAcross(products, wide: wide, high: high, width: width)
        strengths.withUnsafeMutableBufferPointer { strengths in
          for y in 0..<height {
            for x in 0..<width {
              var sum = SIMD3<Float>()
              for j in 0..<5 { sum += products[(y &+ j) &* wide &+ x] }
              let half = (sum.x - sum.z) * 0.5
              strengths[y &* width &+ x] = (sum.x + sum.z) * 0.5 - (half * half + sum.y * sum.y).squareRoot()
            }
          }
        }
      }
    }
    return strengths
  }

  /// Replaces each value by the sum of itself and the four to its right.
  private static func sumAcross(
    _ products: UnsafeMutableBufferPointer<SIMD3<Float>>, wide: Int, high: Int, width: Int
  ) {
    for y in 0..<high {
      let line = y &* wide
      for x in 0..<width {
        products[line &+ x] =
          products[line &+ x] + products[line &+ x &+ 1] + products[line &+ x &+ 2] + products[line &+ x &+ 3]
          + products[line &+ x &+ 4]
      }
    }
  }

  private static func localMaxima(_ strengths: [Float], _ area: PixelArea, above least: Float) -> [Int] {
    var found: [Int] = []
    let (width, height) = (area.width, area.height)
    strengths.withUnsafeBufferPointer { s in
      for y in 1..<max(1, height &- 1) {
        for x in 1..<max(1, width &- 1) {
          let i = y &* width &+ x
          let v = s[i]
          if v > least, v >= s[i &- 1], v > s[i &+ 1], v >= s[i &- width], v > s[i &+ width], v >= s[i &- width &- 1],
            v > s[i &+ width &+ 1], v >= s[i &- width &+ 1], v > s[i &+ width &- 1]
          {
            found.append(i)
          }
        }
      }
    }
    return found.sorted { strengths[$0] > strengths[$1] }
  }
}

/// Keeps points apart, by a grid with cells of the spacing's size.
struct SpacingGrid {
  private let spacing: Double
  private var cells: [SIMD2<Int32>: [SIMD2<Double>]] = [:]

  init(spacing: Double) { self.spacing = spacing }

  /// Adds a point unless another is too near; returns whether it was added.
  mutating func place(_ point: SIMD2<Double>) -> Bool {
    guard let x = Int32(exactly: (point.x / spacing).rounded(.down)), abs(x) < 1 << 20,
      let y = Int32(exactly: (point.y / spacing).rounded(.down)), abs(y) < 1 << 20
    else { return false }
    for j in -1...1 {
      for i in -1...1 {
        for other in cells[SIMD2(x + Int32(i), y + Int32(j))] ?? [] {
          let way = other - point
          if (way * way).sum() < spacing * spacing { return false }
        }
      }
    }
    cells[SIMD2(x, y), default: []].append(point)
    return true
  }
}
