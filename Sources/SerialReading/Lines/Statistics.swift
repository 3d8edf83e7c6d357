import Foundation

/// Order statistics of small samples.
enum Statistics {
  /// The value below which `percent` (0...100) of the values lie, interpolated; 0 if empty.
  static func percentile(_ values: [Float], _ percent: Float) -> Float {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let place = percent / 100 * Float(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Float(below))
  }

  /// The median; 0 if empty.
  static func median(_ values: [Float]) -> Float { percentile(values, 50) }

  /// The weighted median, the value at which half of the weight is reached; nil if empty.
  static func weightedMedian(_ values: [(value: Float, weight: Float)]) -> Float? {
    let half = values.reduce(0) { $0 + $1.weight } / 2
    var seen: Float = 0
    for (value, weight) in values.sorted(by: { $0.value < $1.value }) {
      seen += weight
      if seen >= half { return value }
    }
    return nil
  }

  /// The least spread of x that determines a line, and the least determinant that determines a parabola.
  private static let (leastSpread, leastDeterminant): (Float, Double) = (1e-6, 1e-9)

  /// The least-squares line y = slope x + offset; nil if all x are equal.
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
    guard xx > leastSpread else { return nil }
    let slope = xy / xx
    return (slope, meanY - slope * meanX)
  }

  /// The least-squares parabola y = offset + slope x + bend x^2; nil if the points don't determine it.
  static func parabola(_ x: [Double], _ y: [Double]) -> (offset: Double, slope: Double, bend: Double)? {
    let scale = x.map(abs).max() ?? 0
    guard x.count >= 3, scale > 0 else { return nil }
    // Sums of powers of x, scaled by the greatest, and of their products with y.
    var powers = [Double](repeating: 0, count: 5)
    var products = [Double](repeating: 0, count: 3)
    for (x, y) in zip(x, y) {
      var power = 1.0
      for exponent in powers.indices {
        powers[exponent] += power
        if exponent < products.count { products[exponent] += power * y }
        power *= x / scale
      }
    }
    func determinant(_ a: [Double], _ b: [Double], _ c: [Double]) -> Double {
      a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])
    }
    // Cramer's rule on the normal equations.
    let columns = [Array(powers[0...2]), Array(powers[1...3]), Array(powers[2...4])]
    let whole = determinant(columns[0], columns[1], columns[2])
    guard abs(whole) > leastDeterminant else { return nil }
    return (
      determinant(products, columns[1], columns[2]) / whole,
      determinant(columns[0], products, columns[2]) / whole / scale,
      determinant(columns[0], columns[1], products) / whole / (scale * scale)
    )
  }
}

extension Sequence {
  /// The elements, at most `most`, without those that are the same as one kept before them.
  func distinct(most: Int = .max, by isSame: (_ kept: Element, _ next: Element) -> Bool) -> [Element] {
    var kept: [Element] = []
    for next in self where kept.count < most && !kept.contains(where: { isSame($0, next) }) { kept.append(next) }
    return kept
  }
}

extension Sequence<Bool> {
  /// The ranges of places at which it is true, in order.
  var runs: [Range<Int>] {
    var (runs, start, end): ([Range<Int>], Int?, Int) = ([], nil, 0)
    func close() {
      if let first = start { runs.append(first..<end) }
      start = nil
    }
    for isTrue in self {
      if isTrue { start = start ?? end } else { close() }
      end += 1
    }
    close()
    return runs
  }
}

/// Converts probabilities to and from log-odds, log(p / (1 - p)), the scale on which evidence is additive.
enum LogOdds {
  /// The probability, 0...1, with the given log-odds.
  static func probability(_ logOdds: Double) -> Double { 1 / (1 + exp(-logOdds)) }

  /// The log-odds of a probability, clamped to a range first: 0 and 1 have no finite log-odds.
  static func of(_ probability: Double, within range: ClosedRange<Double>) -> Double {
    let kept = min(range.upperBound, max(range.lowerBound, probability))
    return log(kept / (1 - kept))
  }
}
