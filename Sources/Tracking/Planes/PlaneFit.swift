/// The map of a plane that most point pairs agree on: first a similarity, by RANSAC, then a homography if enough pairs
/// support it, refined over all that fit.
struct PlaneFit {
  /// Number of fitting pairs from which a homography is searched.
  static let homographyPairs = 14
  /// Number of pairs that must fit a similarity before a homography is searched: any two fit one, and a third may by
  /// chance.
  private static let leastSimilar = 5
  /// Maximum number of trials of either search.
  private static let trials = 400
  /// Probability of having found a better map at which a search ends.
  private static let certainty = 0.995

  var map: Homography
  /// Whether each pair fits.
  var fits: [Bool]
  /// Number of pairs that fit.
  var count: Int
  /// Number of pairs that fit the similarity alone.
  var similarCount: Int

  /// Fits a map; nil if none is found.
  ///
  /// - Parameters:
  ///   - from: The first point of each pair.
  ///   - to: The second point of each pair.
  ///   - tolerance: Maximum distance of a mapped point from its place, in pixels.
  ///   - allowsPerspective: Whether a homography is searched.
  init?(_ from: [SIMD2<Double>], _ to: [SIMD2<Double>], tolerance: Double, allowsPerspective: Bool = true) {
    guard from.count == to.count, from.count >= 4 else { return nil }
    var random = SmallRandom(seed: UInt64(from.count))
    guard var similar = Self.similarity(from, to, tolerance * 1.6, &random) else { return nil }
    similar.similarCount = similar.count
    self = similar
    guard allowsPerspective, from.count >= Self.homographyPairs, similar.count >= Self.leastSimilar else { return }
    guard let plane = Self.homography(from, to, tolerance, start: similar, &random) else { return }
    if plane.count >= max(Self.homographyPairs, similar.count) { self = plane }
    similarCount = similar.count
  }

  private init(_ map: Homography, _ from: [SIMD2<Double>], _ to: [SIMD2<Double>], _ tolerance: Double) {
    self.map = map
    fits = (0..<from.count).map { Self.fits(map, from[$0], to[$0], tolerance) }
    count = fits.count { $0 }
    similarCount = count
  }

  @inline(__always)
  private static func fits(
    _ map: Homography, _ from: SIMD2<Double>, _ to: SIMD2<Double>, _ tolerance: Double
  ) -> Bool {
    guard map.depth(from) > 1e-9 else { return false }
    let way = map.map(from) - to
    return (way * way).sum() <= tolerance * tolerance
  }

  /// The number of pairs that fit a map.
  private static func count(
    _ map: Homography, _ from: [SIMD2<Double>], _ to: [SIMD2<Double>], _ tolerance: Double
  ) -> Int {
    from.withUnsafeBufferPointer { from in
      to.withUnsafeBufferPointer { to in
        var count = 0
        for index in 0..<min(from.count, to.count) where fits(map, from[index], to[index], tolerance) { count &+= 1 }
        return count
      }
    }
  }

  private static func similarity(
    _ from: [SIMD2<Double>], _ to: [SIMD2<Double>], _ tolerance: Double, _ random: inout SmallRandom
  ) -> PlaneFit? {
    var best: PlaneFit?
    var needed = trials
    var trial = 0
    while trial < needed {
      trial += 1
      let i = random.next(below: from.count)
      let j = random.next(below: from.count)
      guard i != j, let map = similarity(from[i], from[j], to[i], to[j]) else { continue }
      let count = count(map, from, to, tolerance)
      if count > best?.count ?? 1 {
        best = PlaneFit(map, from, to, tolerance)
        needed = min(trials, trialsNeeded(share: Double(count) / Double(from.count), points: 2))
      }
    }
    guard var fit = best else { return nil }
    for _ in 0..<2 {
      guard let map = LeastSquares.similarity(from, to, fit.fits) else { break }
      let refined = PlaneFit(map, from, to, tolerance)
      if refined.count >= fit.count { fit = refined }
    }
    return fit
  }

  private static func homography(
    _ from: [SIMD2<Double>], _ to: [SIMD2<Double>], _ tolerance: Double, start: PlaneFit, _ random: inout SmallRandom
  ) -> PlaneFit? {
    // The refined similarity is usually close enough to start from.
    var best = refined(start.map, from, to, tolerance, wide: tolerance * 1.6)
    var needed = best.map { trialsNeeded(share: Double($0.count) / Double(from.count), points: 4) } ?? trials
    var trial = 0
    while trial < min(needed, trials) {
      trial += 1
      let picks = (0..<4).map { _ in random.next(below: from.count) }
      guard Set(picks).count == 4, let map = Homography(exactly: picks.map { (from[$0], to[$0]) }) else { continue }
      let count = count(map, from, to, tolerance)
      if count > best?.count ?? 3 {
        best = refined(map, from, to, tolerance, wide: tolerance) ?? PlaneFit(map, from, to, tolerance)
        needed = trialsNeeded(share: Double(count) / Double(from.count), points: 4)
      }
    }
    return best
  }

  private static func refined(
    _ map: Homography, _ from: [SIMD2<Double>], _ to: [SIMD2<Double>], _ tolerance: Double, wide: Double
  ) -> PlaneFit? {
    var fit = PlaneFit(map, from, to, wide)
    for _ in 0..<3 {
      guard fit.count >= 6, let better = LeastSquares.homography(near: fit.map, from, to, fit.fits) else { return nil }
      fit = PlaneFit(better, from, to, tolerance)
    }
    return fit
  }

  private static func trialsNeeded(share: Double, points: Int) -> Int {
    var all = 1.0
    for _ in 0..<points { all *= share }
    guard all < 0.9999 else { return 1 }
    guard all > 1e-9 else { return trials }
    return Int(min(Double(trials), (logarithm(1 - certainty) / logarithm(1 - all)).rounded(.up)))
  }

  private static func similarity(
    _ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>, _ d: SIMD2<Double>
  ) -> Homography? {
    let (u, v) = (b - a, d - c)
    let length = (u * u).sum()
    guard length > 4 else { return nil }
    let cosine = (u * v).sum() / length
    let sine = (u.x * v.y - u.y * v.x) / length
    guard cosine * cosine + sine * sine > 0.01 else { return nil }
    return Homography(
      SIMD3(cosine, -sine, c.x - cosine * a.x + sine * a.y), SIMD3(sine, cosine, c.y - sine * a.x - cosine * a.y),
      SIMD3(0, 0, 1))
  }
}

/// Random numbers that are the same in every run, so that a video is always tracked identically.
struct SmallRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state &<< 13
    state ^= state &>> 7
    state ^= state &<< 17
    return state
  }

  /// A number in 0..<`limit`, for a positive limit.
  mutating func next(below limit: Int) -> Int { Int(next() &>> 33) % max(1, limit) }

  /// A number from a normal distribution.
  mutating func nextNormal() -> Double {
    // The sum of twelve uniform numbers approximates it well enough.
    (0..<12).reduce(-6.0) { sum, _ in sum + Double(next() >> 11) / Double(1 << 53) }
  }
}
