import Testing
import Tracking

@Suite struct DescriptorMatchingTests {
  /// Random descriptors; the first ones are copies of `others` with some bits changed.
  private static func descriptors(_ count: Int, near others: [Descriptor] = [], seed: UInt64) -> [Descriptor] {
    var state = seed
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
    return (0..<count).map { index in
      guard index < others.count else { return Descriptor(bits: SIMD4(next(), next(), next(), next())) }
      var bits = others[index].bits
      for _ in 0..<(index % 90) { bits[Int(next() >> 33) % 4] ^= 1 << (next() >> 33 & 63) }
      return Descriptor(bits: bits)
    }
  }

  private static func distance(_ a: Descriptor, _ b: Descriptor) -> Int {
    let bits = a.bits ^ b.bits
    return (0..<4).reduce(0) { $0 + bits[$1].nonzeroBitCount }
  }

  @Test(arguments: [2, 15, 16, 17, 130, 403]) func batchedMatchesEqualScalarMatches(count: Int) {
    let known = Self.descriptors(180, seed: 3)
    var seen = Self.descriptors(count, near: known.shuffled(by: 7), seed: 5)
    // Two equal descriptors, and one that differs in every bit.
    seen[count - 1] = seen[0]
    seen[count / 2] = Descriptor(bits: ~known[4].bits)
    var expected: [[Int]] = []
    for (index, descriptor) in known.enumerated() {
      let distances = seen.map { Self.distance(descriptor, $0) }
      let sorted = distances.sorted()
      guard sorted[0] < DescriptorMatching.farthest,
        Double(sorted[0]) < DescriptorMatching.ratio * Double(sorted[1]),
        let place = distances.firstIndex(of: sorted[0])
      else { continue }
      expected.append([index, place, sorted[0]])
    }
    let matches = DescriptorMatching.matches(known, seen)
    #expect(matches.map { [$0.known, $0.seen, $0.distance] } == expected)
    #expect(count < 130 || expected.count > 20)
  }
}

extension [Descriptor] {
  /// In another order that is the same in every run.
  fileprivate func shuffled(by step: Int) -> [Descriptor] { indices.map { self[$0 * step % count] } }
}
