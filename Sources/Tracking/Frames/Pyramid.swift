/// A frame at full, half, quarter ... size, smoothed before each step.
struct Pyramid: Sendable {
  /// One size.
  struct Level: Sendable {
    /// Pixels repeated beyond each edge, so that windows may extend over it.
    static let margin = 20

    let width: Int
    let height: Int
    /// Number of values from one row to the next.
    let stride: Int
    let values: [Float]

    /// Index of the pixel in the upper left corner.
    var origin: Int { Self.margin &* stride &+ Self.margin }
  }

  /// Maximum number of halvings.
  static let halvings = 3

  let levels: [Level]

  init(levels: [Level]) { self.levels = levels }

  init(_ frame: TrackingFrame) {
    var levels = [Level(frame)]
    while levels.count <= Self.halvings, let last = levels.last, min(last.width, last.height) >= 16 {
      levels.append(last.halved())
    }
    self.levels = levels
  }
}

extension Pyramid.Level {
  init(_ frame: TrackingFrame) {
    self.init(width: frame.width, height: frame.height) { row, out in
      frame.gray.withUnsafeBufferPointer { source in
        let start = row &* frame.width
        for x in 0..<frame.width { out[x] = Float(source[start &+ x]) }
      }
    }
  }

  /// This level at half size, smoothed by 1 4 6 4 1; its pixel (x, y) is at (2x, 2y) here.
  func halved() -> Pyramid.Level {
    let newWidth = (width + 1) / 2
    let newHeight = (height + 1) / 2
    return values.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return self }
      var column = [Float](repeating: 0, count: width + 4)
      return Pyramid.Level(width: newWidth, height: newHeight) { row, out in
        let line = base + (origin &+ 2 &* row &* stride &- 2)
        column.withUnsafeMutableBufferPointer { column in
          for x in 0..<(width &+ 4) {
            let p = line + x
            let outer = p[-2 &* stride] + p[2 &* stride]
            let inner = p[-stride] + p[stride]
            column[x] = (outer + 4 * inner + 6 * p[0]) * 0.0625
          }
          for x in 0..<newWidth {
            let c = 2 &* x
            let outer = column[c] + column[c &+ 4]
            let inner = column[c &+ 1] + column[c &+ 3]
            out[x] = (outer + 4 * inner + 6 * column[c &+ 2]) * 0.0625
          }
        }
      }
    }
  }

  /// Creates a level whose rows `fill` writes; the margins repeat the edge pixels.
  init(width: Int, height: Int, fill: (Int, UnsafeMutablePointer<Float>) -> Void) {
    let margin = Self.margin
    let stride = width + 2 * margin
    self.width = width
    self.height = height
    self.stride = stride
    values = [Float](unsafeUninitializedCapacity: stride * (height + 2 * margin)) { out, count in
      count = stride * (height + 2 * margin)
      guard let base = out.baseAddress else { return }
      for y in 0..<height {
        let line = base + ((y &+ margin) &* stride &+ margin)
        fill(y, line)
        for x in 0..<margin {
          line[x &- margin] = line[0]
          line[width &+ x] = line[width &- 1]
        }
      }
      for y in 0..<margin {
        (base + y &* stride).update(from: base + margin &* stride, count: stride)
        (base + (margin &+ height &+ y) &* stride).update(
          from: base + (margin &+ height &- 1) &* stride, count: stride)
      }
    }
  }

  /// The value at a place between pixels; outside, that at the edge.
  @inline(__always)
  func sample(_ base: UnsafePointer<Float>, _ x: Float, _ y: Float) -> Float {
    // This order turns NaN into 0.
    let cx = max(0, min(Float(width &- 1), x))
    let cy = max(0, min(Float(height &- 1), y))
    let ix = Int(cx)
    let iy = Int(cy)
    let fx = cx - Float(ix)
    let fy = cy - Float(iy)
    let p = base + (origin &+ iy &* stride &+ ix)
    let upper = p[0] + (p[1] - p[0]) * fx
    let lower = p[stride] + (p[stride &+ 1] - p[stride]) * fx
    return upper + (lower - upper) * fy
  }
}
