/// The object's first appearance, against which every later place is checked. The check compares cells, so that a hand
/// over part of the object or other light doesn't count as another object.
struct PatchCheck: Sendable {
  /// Longer side of the patch, in its own pixels.
  private static let side = 110.0
  /// Contrast (standard deviation of gray values) below which cells are ignored.
  private static let leastContrast: Float = 3
  /// Share of the patch inside the frame below which the check fails.
  private static let leastVisible = 0.3

  /// The result of a check.
  struct Outcome {
    /// Normalised cross-correlation, -1...1: the mean over cells, weighted by their contrast.
    var correlation: Double
    /// The mean correlation of the better half of the cells; a hand over the other half doesn't change it.
    var ofBetterHalf: Double
  }

  private let width: Int
  private let height: Int
  /// Maps the patch's pixels to those of the first frame.
  private let toFirst: Homography
  private let values: [Float]

  init(_ pyramid: Pyramid, box: Box) {
    let factor = min(1, Self.side / max(8, max(box.width, box.height)))
    width = max(12, Int(min(box.width * factor, 200)))
    height = max(12, Int(min(box.height * factor, 200)))
    let scale = SIMD2(box.width / Double(width), box.height / Double(height))
    toFirst = Homography(scale: scale, move: SIMD2(box.x0, box.y0) + scale / 2)
    values = Self.read(pyramid, toFirst, width, height).values
  }

  /// Compares the object with the frame at the place that a map from the first frame gives. Both correlations are -1 if
  /// too little is visible.
  func check(_ pyramid: Pyramid, _ map: Homography) -> Outcome {
    let (seen, inside) = Self.read(pyramid, map.after(toFirst), width, height)
    guard Double(inside.count(where: { $0 })) >= Self.leastVisible * Double(inside.count) else {
      return Outcome(correlation: -1, ofBetterHalf: -1)
    }
    let rows = max(1, min(4, height / 10))
    let columns = max(1, min(8, width / 10))
    var (sum, weights): (Float, Float) = (0, 0)
    var cells: [Float] = []
    for j in 0..<rows {
      for i in 0..<columns {
        let area = PixelArea(
          left: i * width / columns, top: j * height / rows, width: (i + 1) * width / columns - i * width / columns,
          height: (j + 1) * height / rows - j * height / rows)
        guard let (value, contrast) = agreement(seen, inside, area) else { continue }
        let weight = min(contrast, 15)
        sum += value * weight
        weights += weight
        cells.append(value)
      }
    }
    guard !cells.isEmpty else { return Outcome(correlation: -1, ofBetterHalf: -1) }
    let better = cells.sorted(by: >).prefix((cells.count + 1) / 2)
    return Outcome(
      correlation: Double(sum / weights),
      ofBetterHalf: Double(better.reduce(0, +)) / Double(better.count))
  }

  /// Correlation and contrast of one cell; nil if it is outside the frame or plain.
  private func agreement(_ seen: [Float], _ inside: [Bool], _ area: PixelArea) -> (Float, Float)? {
    var (count, a, b, aa, bb, ab): (Float, Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0, 0)
    for y in area.top..<(area.top + area.height) {
      for index in (y * width + area.left)..<(y * width + area.left + area.width) where inside[index] {
        let (p, q) = (values[index], seen[index])
        count += 1
        a += p
        b += q
        aa += p * p
        bb += q * q
        ab += p * q
      }
    }
    guard count >= 0.8 * Float(area.width * area.height), count > 0 else { return nil }
    let contrast = max(0, aa / count - (a / count) * (a / count)).squareRoot()
    let other = max(0, bb / count - (b / count) * (b / count)).squareRoot()
    guard contrast >= Self.leastContrast else { return nil }
    return ((ab / count - (a / count) * (b / count)) / (contrast * max(other, 1.5)), contrast)
  }

  /// The pixels of a patch in a frame, smoothed, and whether each lies inside.
  private static func read(
    _ pyramid: Pyramid, _ map: Homography, _ width: Int, _ height: Int
  ) -> (values: [Float], inside: [Bool]) {
    let magnification = map.magnification(at: SIMD2(Double(width) / 2, Double(height) / 2))
    var index = 0
    while index + 1 < pyramid.levels.count, magnification > 1.6 * Double(1 << index) { index += 1 }
    let level = pyramid.levels[index]
    let factor = 1 / Float(1 << index)
    var values = [Float](repeating: 0, count: width * height)
    var inside = [Bool](repeating: false, count: width * height)
    let (right, bottom) = (Float(level.width - 1) + 0.5, Float(level.height - 1) + 0.5)
    level.values.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      for y in 0..<height {
        for x in 0..<width {
          let point = SIMD2(Double(x), Double(y))
          guard map.depth(point) > 1e-9 else { continue }
          let place = SIMD2<Float>(map.map(point)) * factor
          guard place.x >= -0.5, place.y >= -0.5, place.x <= right, place.y <= bottom else { continue }
          values[y * width + x] = level.sample(base, place.x, place.y)
          inside[y * width + x] = true
        }
      }
    }
    return (smoothed(values, width, height), inside)
  }

  /// Smoothed twice by 1 2 1 in both directions.
  private static func smoothed(_ values: [Float], _ width: Int, _ height: Int) -> [Float] {
    var (result, other) = (values, values)
    for _ in 0..<2 {
      for y in 0..<height {
        for x in 0..<width {
          let line = y &* width
          result[line &+ x] =
            (other[line &+ max(0, x &- 1)] + 2 * other[line &+ x] + other[line &+ min(width &- 1, x &+ 1)]) * 0.25
        }
      }
      for y in 0..<height {
        for x in 0..<width {
          other[y &* width &+ x] =
            (result[max(0, y &- 1) &* width &+ x] + 2 * result[y &* width &+ x]
              + result[min(height &- 1, y &+ 1) &* width &+ x]) * 0.25
        }
      }
    }
    return other
  }
}
