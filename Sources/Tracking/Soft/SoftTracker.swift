#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Follows a thing that is not flat, or bends: by a correlation filter, with its colours as a second witness.
struct SoftTracker {
  /// What a frame showed.
  struct Step {
    /// Where the object is, in the frame's pixels.
    var box: Box
    /// The sharpness of the filter's answer.
    var sharpness: Double
    /// The likeness of its colours to the first ones, 0...1.
    var likeness: Double
  }

  /// From which answers on a place counts.
  struct Gate {
    var sharpness: Double
    var likeness: Double

    /// For an object known to be soft.
    static let plain = Gate(sharpness: 7, likeness: 0.7)
    /// For one that may be a plane out of sight.
    static let strict = Gate(sharpness: 11, likeness: 0.75)
  }

  private static let scales = 0.35...3.0
  /// After being lost, an answer must be sharper by this factor.
  private static let returnFactor = 1.15
  /// Windows tried in a frame while the object is lost.
  private static let tries = 8

  private var filter: CorrelationFilter
  private let colors: ColorHistogram?
  /// The colours of the first frame, of which most is ground.
  private let ground: ColorHistogram?
  private let size: SIMD2<Double>
  private var center: SIMD2<Double>
  private var scale = 1.0
  private(set) var isLost = false

  /// Begins with a box in the first frame's pixels.
  init(_ frame: TrackingFrame, box: Box) {
    filter = CorrelationFilter(frame, box: box)
    colors = ColorHistogram(frame, box: box)
    ground = ColorHistogram(
      frame, box: Box(x0: 0, y0: 0, x1: Double(frame.width), y1: Double(frame.height)))
    size = SIMD2(max(8, box.width), max(8, box.height))
    center = box.center
  }

  /// Goes on with the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    center = (center + 0.5) * factor - 0.5
    scale *= (factor.x * factor.y).squareRoot()
  }

  /// Takes the place that the planar tracker has found, and learns from it where it is told to.
  mutating func follow(_ quad: Quadrilateral, in frame: TrackingFrame, learns: Bool) {
    let bounds = quad.bounds
    center = bounds.center
    scale = clampedTo((abs(quad.signedArea) / (size.x * size.y)).squareRoot(), Self.scales)
    isLost = false
    if learns { filter.learn(frame, center: center, scale: scale) }
  }

  /// Looks for the object in the next frame; nil where it is out of sight.
  mutating func track(_ frame: TrackingFrame, gate: Gate) -> Step? {
    let found = (isLost ? nil : near(frame, gate)) ?? searched(frame, gate)
    guard let (response, newScale, likeness) = found, isInside(response.center, frame),
      Self.scales.contains(newScale)
    else {
      isLost = true
      return nil
    }
    isLost = false
    center = response.center
    scale = abs(log(newScale / scale)) < 0.1 ? scale * 0.4 + newScale * 0.6 : newScale
    filter.learn(frame, center: center, scale: scale)
    return Step(box: box(center, scale), sharpness: response.sharpness, likeness: likeness)
  }

  private typealias Found = (response: CorrelationFilter.Response, scale: Double, likeness: Double)

  /// About where it was, at three sizes.
  private func near(_ frame: TrackingFrame, _ gate: Gate) -> Found? {
    var best: (response: CorrelationFilter.Response, scale: Double, rating: Double)?
    for factor in [1, 0.94, 1.06] {
      let response = filter.response(frame, center: center, scale: scale * factor)
      let rating = response.sharpness * (factor == 1 ? 1 : 0.97)
      if rating > best?.rating ?? -1 { best = (response, scale * factor, rating) }
    }
    guard let best, best.rating >= gate.sharpness else { return nil }
    guard let likeness = ownLikeness(frame, best.response.center, best.scale, gate) else { return nil }
    return (best.response, best.scale, likeness)
  }

  /// Anywhere in the frame where its colours are.
  private func searched(_ frame: TrackingFrame, _ gate: Gate) -> Found? {
    var best: Found?
    for place in places(in: frame).prefix(Self.tries) {
      let coarse = filter.response(frame, center: place, scale: scale)
      let fine = filter.response(frame, center: coarse.center, scale: scale)
      guard fine.sharpness >= gate.sharpness * Self.returnFactor, fine.sharpness > best?.response.sharpness ?? 0 else {
        continue
      }
      if let likeness = ownLikeness(frame, fine.center, scale, gate) { best = (fine, scale, likeness) }
    }
    return best
  }

  /// Middles of windows that have most of the object's colours, the best first.
  private func places(in frame: TrackingFrame) -> [SIMD2<Double>] {
    let step = size * scale * 0.4
    guard step.min() >= 1 else { return [] }
    var rated: [(SIMD2<Double>, Double)] = []
    var y = step.y / 2
    while y < Double(frame.height), rated.count < 2_000 {
      var x = step.x / 2
      while x < Double(frame.width), rated.count < 2_000 {
        let place = SIMD2(x, y)
        let likeness = likeness(frame, place, scale)
        if likeness > 0.3 { rated.append((place, likeness)) }
        x += step.x
      }
      y += step.y
    }
    return rated.sorted { $0.1 > $1.1 }.map(\.0)
  }

  /// The likeness of a place's colours; nil where that is too little, or the place looks more like the ground.
  private func ownLikeness(_ frame: TrackingFrame, _ center: SIMD2<Double>, _ scale: Double, _ gate: Gate) -> Double? {
    guard let colors else { return 1 }
    guard let seen = ColorHistogram(frame, box: box(center, scale)) else { return nil }
    let likeness = seen.likeness(to: colors)
    guard likeness >= gate.likeness, likeness >= ground.map(seen.likeness(to:)) ?? 0 else { return nil }
    return likeness
  }

  private func likeness(_ frame: TrackingFrame, _ center: SIMD2<Double>, _ scale: Double) -> Double {
    guard let colors else { return 1 }
    return ColorHistogram(frame, box: box(center, scale))?.likeness(to: colors) ?? 0
  }

  private func box(_ center: SIMD2<Double>, _ scale: Double) -> Box {
    let half = size * scale / 2
    return Box(x0: center.x - half.x, y0: center.y - half.y, x1: center.x + half.x, y1: center.y + half.y)
  }

  private func isInside(_ point: SIMD2<Double>, _ frame: TrackingFrame) -> Bool {
    point.x > 0 && point.y > 0 && point.x < Double(frame.width) && point.y < Double(frame.height)
  }
}
