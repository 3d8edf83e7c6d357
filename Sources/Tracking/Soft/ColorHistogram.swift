/// The frequency of colours in a part of a frame: red and blue as shares of the total, 16 steps each, so that light and
/// shade matter little.
struct ColorHistogram: Sendable {
  private static let steps = 16

  /// Frequencies, with sum 1.
  private(set) var shares: [Float]

  /// Creates a histogram; nil if the part is too small.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - box: The part, in pixels of the frame; only its inner 70 % is counted.
  ///   - samples: Approximate number of pixels counted.
  init?(_ frame: TrackingFrame, box: Box, samples: Double = 4000) {
    let inner = Box(
      x0: box.x0 + 0.15 * box.width, y0: box.y0 + 0.15 * box.height, x1: box.x1 - 0.15 * box.width,
      y1: box.y1 - 0.15 * box.height)
    guard inner.isFinite, let part = inner.clipped(width: Double(frame.width), height: Double(frame.height)),
      part.area >= 30
    else { return nil }
    var counts = [Float](repeating: 0, count: Self.steps * Self.steps)
    let step = max(1, Int((part.area / samples).squareRoot()))
    frame.withChannels { channels in
      for y in stride(from: Int(part.y0), to: Int(part.y1), by: step) {
        for x in stride(from: Int(part.x0), to: Int(part.x1), by: step) {
          counts[Self.bin(channels(y &* frame.width &+ x))] += 1
        }
      }
    }
    shares = Self.smoothed(counts)
    let sum = shares.reduce(0, +)
    guard sum > 0 else { return nil }
    for index in shares.indices { shares[index] /= sum }
  }

  @inline(__always)
  static func bin(_ color: SIMD4<Float>) -> Int {
    let sum = color.x + color.y + color.z + 30
    let red = min(steps - 1, Int(color.x / sum * 24))
    let blue = min(steps - 1, Int(color.z / sum * 24))
    return red * steps + blue
  }

  /// The Bhattacharyya coefficient, 0 (nothing in common) ... 1 (equal).
  func likeness(to other: ColorHistogram) -> Double {
    Double(zip(shares, other.shares).reduce(Float(0)) { $0 + ($1.0 * $1.1).squareRoot() })
  }

  private static func smoothed(_ counts: [Float]) -> [Float] {
    let weights: [Float] = [0.21, 0.58, 0.21]
    var result = [Float](repeating: 0, count: counts.count)
    for y in 0..<steps {
      for x in 0..<steps where counts[y * steps + x] > 0 {
        for j in -1...1 where (0..<steps).contains(y + j) {
          for i in -1...1 where (0..<steps).contains(x + i) {
            result[(y + j) * steps + x + i] += counts[y * steps + x] * weights[j + 1] * weights[i + 1]
          }
        }
      }
    }
    return result
  }
}
