/// The colours that distinguish an object from its surroundings: how often each appears inside its box and in a ring
/// around it. Learned from the first frame and slightly from every later one (after Bertinetto's Staple).
struct ColorContrast: Sendable {
  private static let side = ComplexGrid.side
  private static let binCount = 16 * 16 * 16
  /// Learning rate of a new frame.
  private static let learning: Float = 0.04
  /// Weight of the first frame: background learned by mistake can't replace it.
  private static let firstShare: Float = 0.5

  /// Size of the box as a share of the window.
  private let inner: SIMD2<Double>
  private let first: [Float]
  private var inside: [Float]
  private var outside: [Float]

  /// Creates the contrast from a first frame; nil for a frame without colours.
  init?(_ frame: TrackingFrame, center: SIMD2<Double>, window: SIMD2<Double>, size: SIMD2<Double>) {
    guard !frame.colors.isEmpty else { return nil }
    inner = size / window
    (inside, outside) = Self.counted(WindowPixels(frame, center: center, size: window), inner)
    first = zip(inside, outside).map(Self.chance)
  }

  /// Learns the colours of a window around the object.
  mutating func learn(_ frame: TrackingFrame, center: SIMD2<Double>, window: SIMD2<Double>) {
    let (now, round) = Self.counted(WindowPixels(frame, center: center, size: window), inner)
    for bin in inside.indices {
      inside[bin] += Self.learning * (now[bin] - inside[bin])
      outside[bin] += Self.learning * (round[bin] - outside[bin])
    }
  }

  /// The mean probability that the pixels inside the box are the object's, for each shift of the box from the window's
  /// centre, in the order of a filter's response.
  func shares(_ window: WindowPixels) -> [Float] {
    let side = Self.side
    var sums = [Float](repeating: 0, count: (side + 1) * (side + 1))
    for y in 0..<side {
      var line: Float = 0
      for x in 0..<side {
        let bin = Self.bin(window.pixels[y * side + x])
        line += Self.firstShare * first[bin] + (1 - Self.firstShare) * Self.chance(inside[bin], outside[bin])
        sums[(y + 1) * (side + 1) + x + 1] = sums[y * (side + 1) + x + 1] + line
      }
    }
    let half = (Int(max(2, inner.x * Double(side) / 2)), Int(max(2, inner.y * Double(side) / 2)))
    return (0..<side * side).map { index in
      let (dx, dy) = (index % side, index / side)
      let x = (dx < side / 2 ? dx : dx - side) + side / 2
      let y = (dy < side / 2 ? dy : dy - side) + side / 2
      let (x0, x1) = (max(0, x - half.0), min(side, x + half.0))
      let (y0, y1) = (max(0, y - half.1), min(side, y + half.1))
      let sum =
        sums[y1 * (side + 1) + x1] - sums[y0 * (side + 1) + x1] - sums[y1 * (side + 1) + x0]
        + sums[y0 * (side + 1) + x0]
      return sum / Float(4 * half.0 * half.1)
    }
  }

  private static func chance(_ inside: Float, _ outside: Float) -> Float {
    (inside + 2e-4) / (inside + outside + 4e-4)
  }

  private static func bin(_ c: SIMD4<Float>) -> Int {
    let scaled = c * (1 / 16)
    let (r, g, b) = (min(15, Int(scaled.x)), min(15, Int(scaled.y)), min(15, Int(scaled.z)))
    return r * 256 + g * 16 + b
  }

  private static func counted(_ window: WindowPixels, _ inner: SIMD2<Double>) -> (inside: [Float], outside: [Float]) {
    var inside = [Float](repeating: 0, count: binCount)
    var outside = inside
    let side = Double(Self.side)
    var (ins, outs): (Float, Float) = (0, 0)
    for y in 0..<Self.side {
      for x in 0..<Self.side {
        let away = (SIMD2(Double(x) + 0.5, Double(y) + 0.5) / side - 0.5) * 2 / inner
        let far = max(abs(away.x), abs(away.y))
        let bin = bin(window.pixels[y * Self.side + x])
        if far < 0.8 {
          inside[bin] += 1
          ins += 1
        } else if far > 1.05 {
          outside[bin] += 1
          outs += 1
        }
      }
    }
    for bin in inside.indices {
      inside[bin] /= max(1, ins)
      outside[bin] /= max(1, outs)
    }
    return (inside, outside)
  }
}
