import Testing
import Tracking

/// A picture of random gray values, many of them at the ends of their range.
private func noise(width: Int, height: Int) -> [UInt8] {
  var state: UInt64 = 11
  return (0..<width * height).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let value = Int(state >> 33) % 400 - 72
    return UInt8(max(0, min(255, value)))
  }
}

@Suite struct FastCornersTests {
  private static let ring = [
    (0, -3), (1, -3), (2, -2), (3, -1), (3, 0), (3, 1), (2, 2), (1, 3), (0, 3), (-1, 3), (-2, 2), (-3, 1), (-3, 0),
    (-3, -1), (-2, -2), (-1, -3),
  ]

  /// The score of a place by the definition: the sum of the differences beyond the threshold.
  private static func score(_ gray: [UInt8], _ width: Int, _ x: Int, _ y: Int) -> Int {
    let middle = Int(gray[y * width + x])
    let differences = ring.map { Int(gray[(y + $0.1) * width + x + $0.0]) - middle }
    for sign in [1, -1] {
      let excess = differences.map { $0 * sign - Int(FastCorners.threshold) }
      let isCorner = (0..<16).contains { start in (0..<9).allSatisfy { excess[(start + $0) % 16] > 0 } }
      if isCorner { return excess.filter { $0 > 0 }.reduce(0, +) }
    }
    return 0
  }

  @Test(arguments: [(61, 40), (64, 33), (90, 57)]) func vectorizedCornersMatchDefinition(width: Int, height: Int) {
    let (gray, border) = (noise(width: width, height: height), 5)
    var scores = [Int](repeating: 0, count: width * height)
    for y in border..<height - border {
      for x in border..<width - border { scores[y * width + x] = Self.score(gray, width, x, y) }
    }
    var expected: [Int] = []
    for index in scores.indices where scores[index] > 0 {
      let value = scores[index]
      let earlier = [-1, -width, -width - 1, -width + 1].allSatisfy { value >= scores[index + $0] }
      let later = [1, width, width + 1, width - 1].allSatisfy { value > scores[index + $0] }
      if earlier && later { expected.append(index) }
    }
    let found = FastCorners.find(gray, width: width, height: height, border: border).map { $0.y * width + $0.x }
    #expect(!expected.isEmpty)
    #expect(found == expected)
  }

  @Test(arguments: [(90, 60, 75), (64, 48, 32), (101, 40, 37)])
  func reducedPixelsAreMeans(width: Int, height: Int, side: Int) throws {
    let gray = noise(width: width, height: height)
    let frame = try #require(
      TrackingFrame(width: width, height: height, gray: gray, fullWidth: width, fullHeight: height))
    let reduced = frame.reduced(to: side)
    #expect(reduced.width == side)
    let step = (Double(width) / Double(reduced.width), Double(height) / Double(reduced.height))
    func shares(_ index: Int, _ step: Double, _ limit: Int) -> [(Int, Double)] {
      let (begin, end) = (Double(index) * step, Double(index + 1) * step)
      return (Int(begin)..<min(limit, Int(end.rounded(.up)))).map {
        ($0, min(end, Double($0 + 1)) - max(begin, Double($0)))
      }
    }
    for y in 0..<reduced.height {
      for x in 0..<reduced.width {
        var sum = 0.0
        for (j, down) in shares(y, step.1, height) {
          for (i, over) in shares(x, step.0, width) { sum += Double(gray[j * width + i]) * down * over }
        }
        let mean = sum / (step.0 * step.1)
        #expect(abs(Double(reduced.gray[y * reduced.width + x]) - mean) <= 0.51)
      }
    }
  }
}
