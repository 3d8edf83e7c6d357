/// Pseudo-random numbers that are the same in every run (Knuth's linear congruential generator).
struct Chance {
  var state: UInt64

  /// The next number, 0..<1.
  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 33) / Double(1 << 31)
  }
}
