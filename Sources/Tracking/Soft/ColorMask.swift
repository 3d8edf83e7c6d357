#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Separates a soft object from its surroundings by two colour histograms, of the box and of a ring around it, in a few
/// rounds.
struct ColorMask {
  /// Longer side of the coarse image, in pixels.
  private static let side = 96.0
  private static let rounds = 3
  private static let padding = 0.35
  /// Share of its box below which a mask is discarded and the whole box used instead.
  private static let leastFilled = 0.25

  private let columns: Int
  private let rows: Int
  /// The object's box in the coarse image.
  private let inner: Box
  private let bins: [Int]

  /// The pixels of an object, at the size of the frame as sent.
  static func mask(_ frame: TrackingFrame, box: Box) -> Mask {
    let whole = Mask(width: frame.fullWidth, height: frame.fullHeight, filling: Quadrilateral(box: box))
    let area = Box(
      x0: box.x0 - padding * box.width, y0: box.y0 - padding * box.height, x1: box.x1 + padding * box.width,
      y1: box.y1 + padding * box.height)
    guard let around = area.clipped(width: Double(frame.fullWidth), height: Double(frame.fullHeight)),
      let coarse = ColorMask(frame, around: around, box: box), let inside = coarse.segmented()
    else { return whole }
    return Mask(
      width: frame.fullWidth, height: frame.fullHeight, box: around, coarse: inside, columns: coarse.columns,
      rows: coarse.rows)
  }

  private init?(_ frame: TrackingFrame, around: Box, box: Box) {
    let factor = min(1, Self.side / max(around.width, around.height))
    let columns = max(4, Int(around.width * factor))
    let rows = max(4, Int(around.height * factor))
    self.columns = columns
    self.rows = rows
    let step = SIMD2(around.width / Double(columns), around.height / Double(rows))
    inner = Box(
      x0: (box.x0 - around.x0) / step.x, y0: (box.y0 - around.y0) / step.y, x1: (box.x1 - around.x0) / step.x,
      y1: (box.y1 - around.y0) / step.y)
    guard inner.isFinite, inner.area >= 9 else { return nil }
    var bins: [Int] = []
    bins.reserveCapacity(columns * rows)
    frame.withChannels { channels in
      for y in 0..<rows {
        for x in 0..<columns {
          let place = SIMD2(around.x0 + (Double(x) + 0.5) * step.x, around.y0 + (Double(y) + 0.5) * step.y)
          let pixel = frame.pixel(ofPlace: place)
          let px = Int(clampedTo(pixel.x.rounded(), 0...Double(frame.width - 1)))
          let py = Int(clampedTo(pixel.y.rounded(), 0...Double(frame.height - 1)))
          bins.append(Self.bin(channels(py &* frame.width &+ px)))
        }
      }
    }
    self.bins = bins
  }

  /// Sixteen steps each of brightness and of two colour differences.
  private static let binCount = 16 * 16 * 16

  private static func bin(_ c: SIMD4<Float>) -> Int {
    let light = min(15, Int((c.x + c.y + c.z) / 48))
    let red = min(15, max(0, Int((c.x - c.y) / 16 + 8)))
    let blue = min(15, max(0, Int((c.z - c.y) / 16 + 8)))
    return light * 256 + red * 16 + blue
  }

  /// The largest connected part that is more likely the object than background, with holes filled; nil if it is too
  /// small.
  private func segmented() -> [Bool]? {
    let prior = prior()
    var chance = prior
    for _ in 0..<Self.rounds { chance = weighed(chance, prior) }
    let mask = (0..<chance.count).map { chance[$0] > 0.5 && prior[$0] > 0.1 }
    let filled = ConnectedPart.largestFilled(mask, columns: columns, rows: rows)
    let count = filled.count { $0 }
    return Double(count) >= Self.leastFilled * inner.area ? filled : nil
  }

  /// The prior probability before colour: high in the middle of the box, low outside.
  private func prior() -> [Float] {
    (0..<columns * rows).map { index in
      let place = SIMD2(Double(index % columns) + 0.5, Double(index / columns) + 0.5)
      let away = (place - inner.center) / SIMD2(max(2, inner.width / 2), max(2, inner.height / 2))
      guard abs(away.x) <= 1, abs(away.y) <= 1 else { return 0.02 }
      return Float(clampedTo(0.95 - 0.55 * (away * away).sum(), 0.15...0.95))
    }
  }

  private func weighed(_ chance: [Float], _ prior: [Float]) -> [Float] {
    var (object, ground) = ([Float](repeating: 0, count: Self.binCount), [Float](repeating: 0, count: Self.binCount))
    for (bin, p) in zip(bins, chance) {
      spread(p, at: bin, in: &object)
      spread(1 - p, at: bin, in: &ground)
    }
    let (ofObject, ofGround) = (max(1e-6, object.reduce(0, +)), max(1e-6, ground.reduce(0, +)))
    var odds = (0..<bins.count).map { index -> Float in
      let (a, b) = (object[bins[index]] / ofObject + 1e-6, ground[bins[index]] / ofGround + 1e-6)
      let p = prior[index]
      return min(4, max(-4, Float(log(a / b)) + 0.8 * Float(log(p / (1 - p)))))
    }
    for radius in [2, 1] { odds = BoxBlur.blurred(odds, columns: columns, rows: rows, radius: radius) }
    return odds.map { 1 / (1 + Float(exp(-Double($0)))) }
  }

  /// Counts a colour, and its neighbours along each axis with a quarter of the weight.
  private func spread(_ weight: Float, at bin: Int, in counts: inout [Float]) {
    counts[bin] += weight
    for step in [1, 16, 256] {
      if bin >= step { counts[bin - step] += weight * 0.25 }
      if bin + step < counts.count { counts[bin + step] += weight * 0.25 }
    }
  }
}

/// Means over squares.
enum BoxBlur {
  static func blurred(_ values: [Float], columns: Int, rows: Int, radius: Int) -> [Float] {
    var (across, result) = (values, values)
    for y in 0..<rows {
      for x in 0..<columns {
        let range = max(0, x - radius)...min(columns - 1, x + radius)
        across[y * columns + x] = range.reduce(Float(0)) { $0 + values[y * columns + $1] } / Float(range.count)
      }
    }
    for y in 0..<rows {
      let range = max(0, y - radius)...min(rows - 1, y + radius)
      for x in 0..<columns {
        result[y * columns + x] = range.reduce(Float(0)) { $0 + across[$1 * columns + x] } / Float(range.count)
      }
    }
    return result
  }
}

/// Connected parts of a mask, with 4-connectivity.
enum ConnectedPart {
  /// The largest part, with the holes that it encloses.
  static func largestFilled(_ mask: [Bool], columns: Int, rows: Int) -> [Bool] {
    let parts = labels(mask, columns, rows)
    guard let largest = parts.sizes.indices.max(by: { parts.sizes[$0] < parts.sizes[$1] }) else { return mask }
    let outside = labels(parts.of.map { $0 != largest }, columns, rows)
    // Pixels outside the part that connect to the border are outside.
    var isOutside = Set<Int>()
    for index in mask.indices where outside.of[index] >= 0 {
      let (x, y) = (index % columns, index / columns)
      if x == 0 || y == 0 || x == columns - 1 || y == rows - 1 { isOutside.insert(outside.of[index]) }
    }
    return outside.of.map { !isOutside.contains($0) }
  }

  /// The part of each pixel (-1 if none), and the parts' sizes.
  static func labels(_ mask: [Bool], _ columns: Int, _ rows: Int) -> (of: [Int], sizes: [Int]) {
    var of = [Int](repeating: -1, count: mask.count)
    var sizes: [Int] = []
    var stack: [Int] = []
    for start in mask.indices where mask[start] && of[start] < 0 {
      let label = sizes.count
      sizes.append(0)
      of[start] = label
      stack = [start]
      while let index = stack.popLast() {
        sizes[label] += 1
        let (x, y) = (index % columns, index / columns)
        if x > 0 { visit(index - 1) }
        if x < columns - 1 { visit(index + 1) }
        if y > 0 { visit(index - columns) }
        if y < rows - 1 { visit(index + columns) }
      }
      func visit(_ other: Int) {
        guard mask[other], of[other] < 0 else { return }
        of[other] = label
        stack.append(other)
      }
    }
    return (of, sizes)
  }
}
