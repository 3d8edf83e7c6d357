#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tracks an object that is not flat, or that bends, by a correlation filter, with its colours as a second check.
struct SoftTracker {
  /// The result for one frame.
  struct Step {
    /// The object's place, in the frame's pixels.
    var box: Box
    /// The sharpness of the filter's response.
    var sharpness: Double
    /// The similarity of its colours to the first ones, 0...1.
    var likeness: Double
  }

  /// Minimum sharpness and colour similarity of a valid place.
  struct Gate {
    var sharpness: Double
    var likeness: Double

    /// For an object known to be soft.
    static let plain = Gate(sharpness: 7, likeness: 0.7)
    /// For an object that may be a lost plane.
    static let strict = Gate(sharpness: 11, likeness: 0.75)
  }

  private static let scales = 0.35...3.0
  /// Factor on the minimum sharpness after the object was lost.
  private static let returnFactor = 1.15
  /// Number of windows tried per frame while the object is lost, besides the one around its last place.
  private static let tries = 3
  /// Maximum number of places per frame whose colours are compared while the object is lost; further places follow in
  /// later frames.
  private static let colorPlaces = 300
  /// Maximum number of places that wait to be tried.
  private static let waitingPlaces = 8
  /// Share of the minimum sharpness below which a response is not refined.
  private static let hopeful = 0.5
  /// Number of pixels for a rough comparison of colours.
  private static let roughSamples = 500.0

  private var filter: CorrelationFilter
  private var contrast: ColorContrast?
  private let colors: ColorHistogram?
  /// The colours of the first frame, most of which is background.
  private let ground: ColorHistogram?
  private let size: SIMD2<Double>
  private var center: SIMD2<Double>
  private var scale = 1.0
  private(set) var isLost = false
  /// Number of searches since the object was seen, and the places with its colours, most similar first.
  private var searches = 0
  private var waiting: [(place: SIMD2<Double>, likeness: Double)] = []

  /// Begins with a box in the first frame's pixels.
  init(_ frame: TrackingFrame, box: Box) {
    filter = CorrelationFilter(frame, box: box)
    colors = ColorHistogram(frame, box: box)
    ground = ColorHistogram(
      frame, box: Box(x0: 0, y0: 0, x1: Double(frame.width), y1: Double(frame.height)))
    size = SIMD2(max(8, box.width), max(8, box.height))
    center = box.center
    contrast = ColorContrast(frame, center: center, window: filter.window, size: size)
  }

  /// Adjusts to the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    center = (center + 0.5) * factor - 0.5
    scale *= (factor.x * factor.y).squareRoot()
    waiting = []
  }

  /// Discards a place that turned out to be another object's.
  mutating func lose() { isLost = true }

  /// The object's current or last place.
  var place: Box { box(center, scale) }

  /// Adopts the place found by the planar tracker, and learns from it if `learns` is set.
  mutating func follow(_ quad: Quadrilateral, in frame: TrackingFrame, learns: Bool) {
    let bounds = quad.bounds
    center = bounds.center
    scale = clampedTo((abs(quad.signedArea) / (size.x * size.y)).squareRoot(), Self.scales)
    isLost = false
    if learns {
      filter.learn(frame, center: center, scale: scale)
      contrast?.learn(frame, center: center, window: filter.window * scale)
    }
  }

  /// Tracks the object near its previous place; nil if it is not there.
  mutating func follow(_ frame: TrackingFrame, gate: Gate) -> Step? {
    let step = isLost ? nil : near(frame, gate).flatMap { held($0, frame) }
    isLost = step == nil
    return step
  }

  /// Searches for the object where it was and wherever its colours are; nil if it is not found.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - gate: The minimum sharpness and colour similarity.
  ///   - work: The frame's work budget; refused steps continue in a later frame.
  ///   - taken: Places of other objects, which are skipped.
  mutating func search(_ frame: TrackingFrame, gate: Gate, work: inout SearchWork, except taken: [Box]) -> Step? {
    if searches == 0 { waiting = [] }
    searches += 1
    let step = searched(frame, gate, &work, taken).flatMap { held($0, frame) }
    isLost = step == nil
    return step
  }

  private mutating func held(_ found: Found, _ frame: TrackingFrame) -> Step? {
    guard isInside(found.response.center, frame), Self.scales.contains(found.scale) else { return nil }
    searches = 0
    center = found.response.center
    scale = abs(log(found.scale / scale)) < 0.1 ? scale * 0.4 + found.scale * 0.6 : found.scale
    filter.learn(frame, center: center, scale: scale)
    contrast?.learn(frame, center: center, window: filter.window * scale)
    return Step(box: place, sharpness: found.response.sharpness, likeness: found.likeness)
  }

  private typealias Found = (response: CorrelationFilter.Response, scale: Double, likeness: Double)

  /// Tries its previous place at three sizes.
  private func near(_ frame: TrackingFrame, _ gate: Gate) -> Found? {
    var best: (response: CorrelationFilter.Response, scale: Double, rating: Double)?
    for factor in [1, 0.94, 1.06] {
      let response = filter.response(frame, center: center, scale: scale * factor, colors: contrast)
      let rating = response.sharpness * (factor == 1 ? 1 : 0.97)
      if rating > best?.rating ?? -1 { best = (response, scale * factor, rating) }
    }
    guard let best, best.rating >= gate.sharpness else { return nil }
    guard let likeness = ownLikeness(frame, best.response.center, best.scale, gate) else { return nil }
    return (best.response, best.scale, likeness)
  }

  /// Searches its last place, then places anywhere in the frame with its colours.
  private mutating func searched(
    _ frame: TrackingFrame, _ gate: Gate, _ work: inout SearchWork, _ taken: [Box]
  ) -> Found? {
    lookForColors(frame, &work, taken)
    var best: Found?
    var tried = 0
    if !taken.contains(where: { $0.contains(center) }) {
      best = answer(frame, center, gate, &work, taken)
    }
    while best == nil, tried < Self.tries, !waiting.isEmpty, !work.wasRefused {
      let place = waiting.removeFirst().place
      guard !taken.contains(where: { $0.contains(place) }) else { continue }
      tried += 1
      best = answer(frame, place, gate, &work, taken)
    }
    return best
  }

  /// The filter's response at a place; nil if it is below the gate.
  private func answer(
    _ frame: TrackingFrame, _ place: SIMD2<Double>, _ gate: Gate, _ work: inout SearchWork, _ taken: [Box]
  ) -> Found? {
    let least = gate.sharpness * Self.returnFactor
    guard work.spend(SearchWork.filterResponse) else { return nil }
    let coarse = filter.response(frame, center: place, scale: scale)
    guard coarse.sharpness >= least * Self.hopeful else { return nil }
    work.note(SearchWork.filterResponse)
    let fine = filter.response(frame, center: coarse.center, scale: scale)
    guard fine.sharpness >= least, !taken.contains(where: { $0.contains(fine.center) }),
      let likeness = ownLikeness(frame, fine.center, scale, gate)
    else { return nil }
    return (fine, scale, likeness)
  }

  /// Adds places with most of the object's colours to those that wait to be tried.
  private mutating func lookForColors(_ frame: TrackingFrame, _ work: inout SearchWork, _ taken: [Box]) {
    let step = size * scale * 0.4
    guard step.min() >= 1 else { return }
    let columns = Int(clampedTo((Double(frame.width) / step.x).rounded(.up), 1...4_000))
    let rows = Int(clampedTo((Double(frame.height) / step.y).rounded(.up), 1...4_000))
    let parts = (columns * rows + Self.colorPlaces - 1) / Self.colorPlaces
    guard work.spend(columns * rows / parts * SearchWork.colors) else { return }
    if parts == 1 { waiting = [] }
    for index in stride(from: searches % parts, to: columns * rows, by: parts) {
      let place = step * (SIMD2(Double(index % columns), Double(index / columns)) + 0.5)
      guard !taken.contains(where: { $0.contains(place) }) else { continue }
      let likeness = roughLikeness(frame, place)
      if likeness > 0.3 { waiting.append((place, likeness)) }
    }
    waiting = Array(waiting.sorted { $0.likeness > $1.likeness }.prefix(Self.waitingPlaces))
    // Tries the most similar place in every frame, the others in turn.
    guard parts == 1, waiting.count > Self.tries else { return }
    let others = waiting.dropFirst()
    let turn = (searches - 1) * (Self.tries - 1) % others.count
    waiting = Array(waiting.prefix(1) + others.dropFirst(turn) + others.prefix(turn))
  }

  /// The similarity of a place's colours; nil if it is too low or the place looks more like the background.
  private func ownLikeness(_ frame: TrackingFrame, _ center: SIMD2<Double>, _ scale: Double, _ gate: Gate) -> Double? {
    guard let colors else { return 1 }
    guard let seen = ColorHistogram(frame, box: box(center, scale)) else { return nil }
    let likeness = seen.likeness(to: colors)
    guard likeness >= gate.likeness, likeness >= ground.map(seen.likeness(to:)) ?? 0 else { return nil }
    return likeness
  }

  private func roughLikeness(_ frame: TrackingFrame, _ center: SIMD2<Double>) -> Double {
    guard let colors else { return 1 }
    return ColorHistogram(frame, box: box(center, scale), samples: Self.roughSamples)?.likeness(to: colors) ?? 0
  }

  private func box(_ center: SIMD2<Double>, _ scale: Double) -> Box {
    let half = size * scale / 2
    return Box(x0: center.x - half.x, y0: center.y - half.y, x1: center.x + half.x, y1: center.y + half.y)
  }

  private func isInside(_ point: SIMD2<Double>, _ frame: TrackingFrame) -> Bool {
    point.x > 0 && point.y > 0 && point.x < Double(frame.width) && point.y < Double(frame.height)
  }
}
