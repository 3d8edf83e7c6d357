/// Order statistics of small samples.
enum Statistics {
  /// The value below which `percent` (0...100) of the values lie, interpolated; 0 for none.
  static func percentile(_ values: [Float], _ percent: Float) -> Float {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let place = percent / 100 * Float(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Float(below))
  }

  /// The middle value.
  static func median(_ values: [Float]) -> Float { percentile(values, 50) }

  /// The value at which half of the weight is reached; nil for none.
  static func weightedMedian(_ values: [(value: Float, weight: Float)]) -> Float? {
    let half = values.reduce(0) { $0 + $1.weight } / 2
    var seen: Float = 0
    for (value, weight) in values.sorted(by: { $0.value < $1.value }) {
      seen += weight
      if seen >= half { return value }
    }
    return nil
  }

  /// Least squares line y = slope x + offset; nil where the points stand above each other.
  static func line(_ x: [Float], _ y: [Float]) -> (slope: Float, offset: Float)? {
    guard x.count >= 2 else { return nil }
    let count = Float(x.count)
    let meanX = x.reduce(0, +) / count
    let meanY = y.reduce(0, +) / count
    var (xx, xy): (Float, Float) = (0, 0)
    for index in x.indices {
      xx += (x[index] - meanX) * (x[index] - meanX)
      xy += (x[index] - meanX) * (y[index] - meanY)
    }
    guard xx > 1e-6 else { return nil }
    let slope = xy / xx
    return (slope, meanY - slope * meanX)
  }
}
