/// How much a picture's pixels differ from their neighbours by chance, as in photos taken in little light.
public struct Noise: Sendable, Equatable {
  /// Standard deviation, in gray values.
  public let deviation: Double
  /// The same as a share of the surroundings' brightness, at least 8: strokes are told from their ground by such shares.
  public let share: Double

  /// Rows that are looked at: every so many, so that a photo of twelve megapixels takes some milliseconds.
  private static let step = 5
  /// Of the mask: the sum of its positive weights, times white.
  private static let greatestResponse = 8 * 255
  /// Shares of the mean, in parts of the greatest one that is told apart.
  private static let bins = 1024
  private static let binsPerShare = 128.0
  private static let leastMean = 8.0
  /// Sum of the mask's squared weights, to the half, and the median of a normal distribution's absolute values: from the mask's
  /// absolute response to a standard deviation (Immerkær, "Fast noise variance estimation", CVIU 64, 1996; by the median, since edges
  /// of print respond too).
  private static let scale = 6 * 0.6745

  /// Measures a picture; none where it is smaller than three pixels either way.
  public init(of picture: GrayPicture) {
    let (width, height) = (picture.width, picture.height)
    guard width > 2, height > 2 else {
      (deviation, share) = (0, 0)
      return
    }
    var responses = [Int](repeating: 0, count: Self.greatestResponse + 1)
    var shares = [Int](repeating: 0, count: Self.bins)
    picture.pixels.withUnsafeBufferPointer { pixels in
      for y in stride(from: 1, to: height - 1, by: Self.step) {
        for at in y * width + 1..<(y + 1) * width - 1 {
          let corners =
            Int(pixels[at - width - 1]) + Int(pixels[at - width + 1]) + Int(pixels[at + width - 1])
            + Int(pixels[at + width + 1])
          let sides = Int(pixels[at - width]) + Int(pixels[at - 1]) + Int(pixels[at + 1]) + Int(pixels[at + width])
          let middle = Int(pixels[at])
          let response = abs(corners - 2 * sides + 4 * middle)
          responses[response] += 1
          let mean = max(Self.leastMean, Double(corners + sides + middle) / 9)
          shares[min(Self.bins - 1, Int(Double(response) / mean * Self.binsPerShare))] += 1
        }
      }
    }
    deviation = Self.median(of: responses) / Self.scale
    share = Self.median(of: shares) / Self.binsPerShare / Self.scale
  }

  /// The median of what a histogram counts, within its bin by the share of it that lies below.
  private static func median(of histogram: [Int]) -> Double {
    let half = Double(histogram.reduce(0, +)) / 2
    var below = 0.0
    for (bin, count) in histogram.enumerated() {
      if below + Double(count) > half { return Double(bin) + (half - below) / Double(count) }
      below += Double(count)
    }
    return 0
  }
}

extension GrayPicture {
  /// Each pixel averaged with its neighbours by weights of 1, 2 and 1 along rows and columns: a Gaussian blur of 0.7 pixels.
  public func smoothed() -> GrayPicture {
    guard width > 1, height > 1 else { return self }
    return GrayPicture(width: width, height: height) { out in
      pixels.withUnsafeBufferPointer { source in
        withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width + 2) { columns in
          for y in 0..<height {
            let (middle, above, below) = (y &* width, max(0, y &- 1) &* width, min(height &- 1, y &+ 1) &* width)
            for x in 0..<width {
              columns[x &+ 1] =
                UInt16(source[above &+ x]) &+ 2 &* UInt16(source[middle &+ x]) &+ UInt16(source[below &+ x])
            }
            columns[0] = columns[1]
            columns[width + 1] = columns[width]
            for x in 0..<width {
              out[middle &+ x] = UInt8((columns[x] &+ 2 &* columns[x &+ 1] &+ columns[x &+ 2] &+ 8) >> 4)
            }
          }
        }
      }
    }
  }
}
