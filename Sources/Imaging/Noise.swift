/// The random variation between neighbouring pixels, as in photos taken in low light.
public struct Noise: Sendable, Equatable {
  /// Standard deviation, in gray values.
  public let deviation: Double
  /// The deviation as a share of the local brightness (at least 8), the unit in which strokes are separated from their
  /// ground.
  public let share: Double

  /// Spacing of the sampled rows, so that a photo of 12 megapixels takes a few milliseconds.
  private static let step = 5
  /// The greatest response of the mask: the sum of its positive weights, times white.
  private static let greatestResponse = 8 * 255
  /// Histogram bins for shares of the mean; shares beyond the last bin count in it.
  private static let bins = 1024
  private static let binsPerShare = 128.0
  private static let leastMean = 8.0
  /// Converts the median absolute response of the mask to a standard deviation: the square root of the sum of its
  /// squared weights, times the median absolute value of a normal distribution.
  ///
  /// From Immerkær, "Fast noise variance estimation", CVIU 64, 1996. Uses the median because edges of print respond
  /// too.
  private static let scale = 6 * 0.6745

  /// Measures a picture's noise; 0 if either side is less than 3 pixels.
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

  /// The median of a histogram, interpolated within its bin.
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
  /// The picture blurred with weights 1, 2, 1 along rows and columns, a Gaussian blur of 0.7 pixels.
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
