#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The appearance of a frame's window for the correlation filter: seven channels of 64 x 64, each fading to zero at the
/// window's edges.
struct AppearanceChannels {
  static let count = 7
  private static let side = ComplexGrid.side

  /// Spectra of the channels.
  var spectra: [ComplexGrid]

  /// The channels of a window with a given centre and size, in the frame's pixels.
  init(_ frame: TrackingFrame, center: SIMD2<Double>, size: SIMD2<Double>) {
    self.init(WindowPixels(frame, center: center, size: size))
  }

  /// The channels of a window.
  init(_ window: WindowPixels) {
    let channels = Self.channels(of: window)
    // One complex transform carries two real channels.
    spectra = []
    for pair in stride(from: 0, to: Self.count, by: 2) {
      let second = pair + 1 < Self.count ? channels[pair + 1] : [Float](repeating: 0, count: Self.side * Self.side)
      let both = FourierTransform.forward(ComplexGrid(real: channels[pair], imaginary: second))
      let (a, b) = Self.split(both)
      spectra.append(a)
      if pair + 1 < Self.count { spectra.append(b) }
    }
  }

  /// The Hann window.
  private static let hann: [Float] = {
    let line = (0..<side).map { 0.5 - 0.5 * cos(2 * Double.pi * (Double($0) + 0.5) / Double(side)) }
    return (0..<side * side).map { Float(line[$0 / side] * line[$0 % side]) }
  }()

  private static func channels(of window: WindowPixels) -> [[Float]] {
    let count = side * side
    var channels = [[Float]](repeating: [Float](repeating: 0, count: count), count: Self.count)
    let gray = window.pixels.map { ($0.x + $0.y + $0.z) / 3 }
    let mean = gray.reduce(0, +) / Float(count)
    let deviation = max(8, (gray.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(count)).squareRoot())
    for y in 0..<side {
      for x in 0..<side {
        let i = y * side + x
        let gx = (gray[y * side + min(side - 1, x + 1)] - gray[y * side + max(0, x - 1)]) * 2
        let gy = (gray[min(side - 1, y + 1) * side + x] - gray[max(0, y - 1) * side + x]) * 2
        let square = gx * gx + gy * gy
        let length = square.squareRoot()
        channels[0][i] = (gray[i] - mean) / deviation * 0.5
        if square > 1e-3 {
          let strength = length / (length + 12)
          // Cosine and sine of twice the gradient's angle, so that light on dark equals dark on light.
          let (c, s) = ((gx * gx - gy * gy) / square * strength, 2 * gx * gy / square * strength)
          channels[1][i] = max(c, 0)
          channels[2][i] = max(-c, 0)
          channels[3][i] = max(s, 0)
          channels[4][i] = max(-s, 0)
        }
        let sum = gray[i] + 20
        channels[5][i] = window.pixels[i].x / sum
        channels[6][i] = window.pixels[i].z / sum
      }
    }
    for channel in 5...6 {
      let mean = channels[channel].reduce(0, +) / Float(count)
      for i in 0..<count { channels[channel][i] = (channels[channel][i] - mean) * 2 }
    }
    for channel in channels.indices {
      for i in 0..<count { channels[channel][i] *= hann[i] }
    }
    return channels
  }

  /// The spectra of the real and of the imaginary part.
  private static func split(_ both: ComplexGrid) -> (ComplexGrid, ComplexGrid) {
    var (a, b) = (ComplexGrid(), ComplexGrid())
    for y in 0..<side {
      for x in 0..<side {
        let i = y * side + x
        let j = ((side - y) % side) * side + (side - x) % side
        a.real[i] = (both.real[i] + both.real[j]) / 2
        a.imaginary[i] = (both.imaginary[i] - both.imaginary[j]) / 2
        b.real[i] = (both.imaginary[i] + both.imaginary[j]) / 2
        b.imaginary[i] = (both.real[j] - both.real[i]) / 2
      }
    }
    return (a, b)
  }
}

/// Red, green and blue of a window of a frame, scaled to 64 x 64; outside the frame the edge is repeated.
struct WindowPixels {
  private static let side = ComplexGrid.side

  var pixels: [SIMD4<Float>]

  init(_ frame: TrackingFrame, center: SIMD2<Double>, size: SIMD2<Double>) {
    let step = size / Double(Self.side)
    let corner = center - size / 2
    // Takes enough samples per pixel not to miss large details.
    let across = min(4, max(1, Int(clampedTo(step.x.rounded(), 1...4))))
    let down = min(4, max(1, Int(clampedTo(step.y.rounded(), 1...4))))
    let columns = Self.places(corner.x, step.x, across, limit: frame.width)
    let rows = Self.places(corner.y, step.y, down, limit: frame.height)
    let factor = 1 / Float(across * down)
    pixels = [SIMD4<Float>](unsafeUninitializedCapacity: Self.side * Self.side) { out, count in
      frame.withChannels { channels in
        for y in 0..<Self.side {
          for x in 0..<Self.side {
            var sum = SIMD4<Float>()
            for j in 0..<down {
              let line = rows[y &* down &+ j] &* frame.width
              for i in 0..<across { sum += channels(line &+ columns[x &* across &+ i]) }
            }
            out[y &* Self.side &+ x] = sum * factor
          }
        }
      }
      count = Self.side * Self.side
    }
  }

  private static func places(_ start: Double, _ step: Double, _ parts: Int, limit: Int) -> [Int] {
    (0..<side * parts).map { index in
      let place = start + step * (Double(index) + 0.5) / Double(parts)
      return Int(clampedTo(place.rounded(), 0...Double(limit - 1)))
    }
  }
}

/// Clamps a value to a range; NaN becomes the lower bound.
func clampedTo(_ value: Double, _ range: ClosedRange<Double>) -> Double {
  value >= range.lowerBound ? min(value, range.upperBound) : range.lowerBound
}

extension TrackingFrame {
  /// Calls a closure with a function that returns a pixel's red, green and blue; without colours, its gray value three
  /// times.
  @inline(__always)
  func withChannels<Result>(_ body: ((Int) -> SIMD4<Float>) -> Result) -> Result {
    if colors.isEmpty {
      return gray.withUnsafeBufferPointer { gray in
        body { index in
          let value = Float(gray[index])
          return SIMD4(value, value, value, 0)
        }
      }
    }
    return colors.withUnsafeBufferPointer { colors in body { colors[$0].channels } }
  }
}
