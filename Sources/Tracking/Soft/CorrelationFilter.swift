#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A filter that responds with a peak where a window looks like the object (after Bolme's MOSSE, with channels as in
/// Danelljan's DSST). Learned from the first frame and slightly from every later one.
struct CorrelationFilter {
  /// The response to a window.
  struct Response {
    /// The peak's place, in the frame's pixels.
    var center: SIMD2<Double>
    /// The peak's height.
    var height: Double
    /// The peak's height above the rest, in standard deviations of the rest.
    var sharpness: Double
  }

  private static let side = ComplexGrid.side
  /// Learning rate of a new frame.
  private static let learning: Float = 0.05
  /// Weight of the colours beside the filter's response, as in Staple.
  private static let colorShare: Float = 0.3
  /// Regularisation weight, which avoids division by zero.
  private static let regularity: Float = 0.02

  /// The window's size at the object's first size.
  let window: SIMD2<Double>
  private let wanted: ComplexGrid
  private var numerators: [ComplexGrid]
  private var denominator: [Float]

  init(_ frame: TrackingFrame, box: Box) {
    let size = SIMD2(max(8, box.width), max(8, box.height))
    let padded = size * 2.2
    window = SIMD2(max(padded.x, padded.max() / 2), max(padded.y, padded.max() / 2))
    let spread = SIMD2(max(1.2, 0.07 * 64 * size.x / window.x), max(1.2, 0.07 * 64 * size.y / window.y))
    wanted = Self.peak(spread)
    numerators = [ComplexGrid](repeating: ComplexGrid(), count: AppearanceChannels.count)
    denominator = [Float](repeating: 0, count: Self.side * Self.side)
    for (scale, weight) in [(1, 1), (0.95, 0.3), (1.05, 0.3)] {
      add(AppearanceChannels(frame, center: box.center, size: window * scale), keep: 1, weight: Float(weight))
    }
  }

  /// The response to a window around a place.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - center: The window's centre, in the frame's pixels.
  ///   - scale: The window's size as a multiple of the first.
  ///   - colors: The object's colour contrast, which helps to locate the peak.
  func response(
    _ frame: TrackingFrame, center: SIMD2<Double>, scale: Double, colors: ColorContrast? = nil
  ) -> Response {
    let size = window * scale
    let pixels = WindowPixels(frame, center: center, size: size)
    let channels = AppearanceChannels(pixels)
    let level = Self.regularity * denominator.reduce(0, +) / Float(denominator.count)
    var sum = ComplexGrid()
    for (filter, seen) in zip(numerators, channels.spectra) {
      for i in 0..<denominator.count {
        sum.real[i] += filter.real[i] * seen.real[i] + filter.imaginary[i] * seen.imaginary[i]
        sum.imaginary[i] += filter.real[i] * seen.imaginary[i] - filter.imaginary[i] * seen.real[i]
      }
    }
    for i in 0..<denominator.count {
      let divisor = 1 / (denominator[i] + level + 1e-9)
      sum.real[i] *= divisor
      sum.imaginary[i] *= divisor
    }
    return peak(of: FourierTransform.backward(sum).real, colors?.shares(pixels), center, size)
  }

  /// Learns the object's current appearance.
  mutating func learn(_ frame: TrackingFrame, center: SIMD2<Double>, scale: Double) {
    add(
      AppearanceChannels(frame, center: center, size: window * scale), keep: 1 - Self.learning, weight: Self.learning)
  }

  private mutating func add(_ channels: AppearanceChannels, keep: Float, weight: Float) {
    for i in denominator.indices { denominator[i] *= keep }
    for index in numerators.indices {
      let seen = channels.spectra[index]
      for i in denominator.indices {
        let (re, im) = (seen.real[i], seen.imaginary[i])
        numerators[index].real[i] =
          keep * numerators[index].real[i] + weight * (wanted.real[i] * re + wanted.imaginary[i] * im)
        numerators[index].imaginary[i] =
          keep * numerators[index].imaginary[i] + weight * (wanted.real[i] * im - wanted.imaginary[i] * re)
        denominator[i] += weight * (re * re + im * im)
      }
    }
  }

  /// The spectrum of a normal curve around the first pixel.
  private static func peak(_ spread: SIMD2<Double>) -> ComplexGrid {
    var grid = ComplexGrid()
    for y in 0..<side {
      for x in 0..<side {
        let dx = Double(x < side / 2 ? x : x - side) / spread.x
        let dy = Double(y < side / 2 ? y : y - side) / spread.y
        grid.real[y * side + x] = Float(exp(-0.5 * (dx * dx + dy * dy)))
      }
    }
    return FourierTransform.forward(grid)
  }

  private func peak(
    of values: [Float], _ shares: [Float]?, _ center: SIMD2<Double>, _ size: SIMD2<Double>
  ) -> Response {
    let side = Self.side
    var place = 0
    let merged =
      shares.map { shares in
        zip(values, shares).map { (1 - Self.colorShare) * $0 + Self.colorShare * $1 }
      } ?? values
    for index in merged.indices where merged[index] > merged[place] { place = index }
    let (px, py) = (place % side, place / side)
    var (sum, squares, count) = (0.0, 0.0, 0.0)
    for y in 0..<side {
      let dy = min(abs(y - py), side - abs(y - py))
      for x in 0..<side {
        let dx = min(abs(x - px), side - abs(x - px))
        guard dx > 6 || dy > 6 else { continue }
        let value = Double(values[y * side + x])
        sum += value
        squares += value * value
        count += 1
      }
    }
    let mean = sum / count
    let deviation = max(0, squares / count - mean * mean).squareRoot()
    func at(_ x: Int, _ y: Int) -> Double { Double(merged[((y + side) % side) * side + (x + side) % side]) }
    func between(_ a: Double, _ b: Double, _ c: Double) -> Double {
      let curve = a - 2 * b + c
      return abs(curve) > 1e-12 ? clampedTo(0.5 * (a - c) / curve, -0.5...0.5) : 0
    }
    let top = at(px, py)
    var height = 0.0
    for j in -1...1 {
      for i in -1...1 {
        height = max(height, Double(values[((py + j + side) % side) * side + (px + i + side) % side]))
      }
    }
    let move = SIMD2(
      Double(px < side / 2 ? px : px - side) + between(at(px - 1, py), top, at(px + 1, py)),
      Double(py < side / 2 ? py : py - side) + between(at(px, py - 1), top, at(px, py + 1)))
    return Response(
      center: center + move * size / Double(side), height: height, sharpness: (height - mean) / (deviation + 1e-9))
  }
}
