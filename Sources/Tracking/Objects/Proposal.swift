/// Proposes a box for a point that a person tapped: the label, screen or other even region around it, else the line of
/// text.
public enum Proposal {
  /// Longer side of the frame that is searched, in pixels.
  private static let side = 320
  /// Range of a region's share of the frame.
  private static let regionShares = 0.002...0.6
  /// Minimum share of its box that a region fills.
  private static let leastFilled = 0.6
  /// Gray values by which a region's pixels may differ from its seed.
  private static let tolerances = [12, 20, 32]

  /// Proposes a box around a point, both in pixels of the frame as sent. Falls back to a part of the frame around the
  /// point.
  public static func box(in frame: TrackingFrame, around place: SIMD2<Double>) -> Box {
    let small = frame.reduced(to: side)
    let point = small.pixel(ofPlace: place)
    let x = Int(clampedTo(point.x.rounded(), 0...Double(small.width - 1)))
    let y = Int(clampedTo(point.y.rounded(), 0...Double(small.height - 1)))
    let found = region(small, x, y) ?? line(small, x, y) ?? surroundings(small, x, y)
    let (low, high) = (
      small.place(ofPixel: SIMD2(found.x0 - 0.5, found.y0 - 0.5)),
      small.place(ofPixel: SIMD2(found.x1 + 0.5, found.y1 + 0.5))
    )
    let box = Box(x0: low.x, y0: low.y, x1: high.x, y1: high.y)
    return box.clipped(width: Double(frame.fullWidth), height: Double(frame.fullHeight)) ?? box
  }

  // MARK: Even region

  /// The region of background around the point, ignoring letters on it. If the point lies on a large letter, the
  /// background around that letter.
  private static func region(_ frame: TrackingFrame, _ x: Int, _ y: Int) -> Box? {
    let best = regions(frame, x, y, reach: reach).max { $0.filled < $1.filled }?.box
    let limit = largestShare * Double(frame.width * frame.height)
    let around = regions(frame, x, y, reach: largeReach).map(\.box).filter { around in
      around.area <= limit && best.map { around.enlarged(by: 2).holds($0) && around.area > 1.2 * $0.area } ?? true
    }
    return around.max { $0.area < $1.area } ?? best
  }

  private static func regions(
    _ frame: TrackingFrame, _ x: Int, _ y: Int, reach: Int
  ) -> [(box: Box, filled: Double)] {
    // Closing removes thin dark print, opening removes thin light print; the background remains.
    var regions: [(box: Box, filled: Double)] = []
    for picture in [closed(frame, reach), opened(frame, reach)] {
      for tolerance in tolerances {
        guard let (box, count) = grown(picture, frame.width, frame.height, x, y, tolerance) else { continue }
        let share = Double(count) / Double(frame.width * frame.height)
        let filled = Double(count) / max(1, (box.width + 1) * (box.height + 1))
        let touches =
          (box.x0 <= 0 ? 1 : 0) + (box.y0 <= 0 ? 1 : 0) + (box.x1 >= Double(frame.width - 1) ? 1 : 0)
          + (box.y1 >= Double(frame.height - 1) ? 1 : 0)
        guard regionShares.contains(share), filled >= leastFilled, touches <= 1 else { continue }
        regions.append((box, filled))
      }
    }
    return regions
  }

  private static func grown(
    _ gray: [UInt8], _ width: Int, _ height: Int, _ x: Int, _ y: Int, _ tolerance: Int
  ) -> (Box, Int)? {
    let start = Int(gray[y * width + x])
    let near = gray.map { abs(Int($0) - start) <= tolerance }
    var seen = [Bool](repeating: false, count: gray.count)
    var stack = [y * width + x]
    seen[y * width + x] = true
    var (x0, y0, x1, y1, count) = (x, y, x, y, 0)
    func visit(_ index: Int) {
      guard near[index], !seen[index] else { return }
      seen[index] = true
      stack.append(index)
    }
    while let index = stack.popLast() {
      count += 1
      let (px, py) = (index % width, index / width)
      (x0, x1, y0, y1) = (min(x0, px), max(x1, px), min(y0, py), max(y1, py))
      if px > 0 { visit(index - 1) }
      if px < width - 1 { visit(index + 1) }
      if py > 0 { visit(index - width) }
      if py < height - 1 { visit(index + width) }
    }
    guard count >= 25 else { return nil }
    return (Box(x0: Double(x0), y0: Double(y0), x1: Double(x1), y1: Double(y1)), count)
  }

  // MARK: Line of text

  /// The line of strokes at the point: strong gradients, joined along the line.
  private static func line(_ frame: TrackingFrame, _ x: Int, _ y: Int) -> Box? {
    let (width, height) = (frame.width, frame.height)
    guard width > 8, height > 8 else { return nil }
    var strokes = [Bool](repeating: false, count: width * height)
    for row in 1..<(height - 1) {
      for column in 1..<(width - 1) {
        let p = row * width + column
        let across = abs(Int(frame.gray[p + 1]) - Int(frame.gray[p - 1]))
        let down = abs(Int(frame.gray[p + width]) - Int(frame.gray[p - width]))
        strokes[p] = across + down > 28
      }
    }
    let joined = dilated(strokes, width, height, across: 4, down: 1)
    let parts = ConnectedPart.labels(joined, width, height)
    // The part at the point, or the nearest within reach.
    var nearest: (label: Int, distance: Int)?
    for row in max(0, y - 12)...min(height - 1, y + 12) {
      for column in max(0, x - 16)...min(width - 1, x + 16) where parts.of[row * width + column] >= 0 {
        let distance = abs(row - y) * 2 + abs(column - x)
        if distance < nearest?.distance ?? Int.max { nearest = (parts.of[row * width + column], distance) }
      }
    }
    guard let nearest, parts.sizes[nearest.label] >= 20 else { return nil }
    var box: Box?
    for index in parts.of.indices where parts.of[index] == nearest.label {
      let (px, py) = (Double(index % width), Double(index / width))
      box =
        box.map { Box(x0: min($0.x0, px), y0: min($0.y0, py), x1: max($0.x1, px), y1: max($0.y1, py)) }
        ?? Box(x0: px, y0: py, x1: px, y1: py)
    }
    guard let box, box.area <= 0.5 * Double(width * height) else { return nil }
    return Box(x0: box.x0 - 1, y0: box.y0 - 2, x1: box.x1 + 1, y1: box.y1 + 2)
  }

  private static func dilated(_ mask: [Bool], _ width: Int, _ height: Int, across: Int, down: Int) -> [Bool] {
    var result = mask
    for index in mask.indices where mask[index] {
      let (x, y) = (index % width, index / width)
      for row in max(0, y - down)...min(height - 1, y + down) {
        for column in max(0, x - across)...min(width - 1, x + across) { result[row * width + column] = true }
      }
    }
    return result
  }

  /// A fifth of the frame around the point.
  private static func surroundings(_ frame: TrackingFrame, _ x: Int, _ y: Int) -> Box {
    let (dx, dy) = (max(4, Double(frame.width) / 10), max(4, Double(frame.height) / 10))
    return Box(x0: Double(x) - dx, y0: Double(y) - dy, x1: Double(x) + dx, y1: Double(y) + dy)
  }

  // MARK: Removing print

  /// Half the width of strokes that are removed, for normal and for large letters.
  private static let reach = 3
  private static let largeReach = 5
  /// Maximum share of the frame of the background around a large letter.
  private static let largestShare = 0.3

  private static func closed(_ frame: TrackingFrame, _ reach: Int) -> [UInt8] {
    let (width, height) = (frame.width, frame.height)
    return extreme(extreme(frame.gray, width, height, reach, max), width, height, reach, min)
  }

  private static func opened(_ frame: TrackingFrame, _ reach: Int) -> [UInt8] {
    let (width, height) = (frame.width, frame.height)
    return extreme(extreme(frame.gray, width, height, reach, min), width, height, reach, max)
  }

  /// The maximum or minimum in a square around each pixel.
  private static func extreme(
    _ values: [UInt8], _ width: Int, _ height: Int, _ reach: Int, _ choose: (UInt8, UInt8) -> UInt8
  ) -> [UInt8] {
    var (across, result) = (values, values)
    for y in 0..<height {
      for x in 0..<width {
        var value = values[y * width + x]
        for i in max(0, x - reach)...min(width - 1, x + reach) { value = choose(value, values[y * width + i]) }
        across[y * width + x] = value
      }
    }
    for y in 0..<height {
      for x in 0..<width {
        var value = across[y * width + x]
        for j in max(0, y - reach)...min(height - 1, y + reach) { value = choose(value, across[j * width + x]) }
        result[y * width + x] = value
      }
    }
    return result
  }
}
