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
  /// Windows tried in a frame while the object is lost, beside that about its last place.
  private static let tries = 3
  /// Places whose colours are looked at in a frame meanwhile; of many, the next frames take the others.
  private static let colorPlaces = 300
  /// The most of them that wait to be tried.
  private static let waitingPlaces = 8
  /// An answer less sharp than this share of what counts is not looked at more closely.
  private static let hopeful = 0.5
  /// Pixels that tell a place's colours roughly.
  private static let roughSamples = 500.0

  private var filter: CorrelationFilter
  private var contrast: ColorContrast?
  private let colors: ColorHistogram?
  /// The colours of the first frame, of which most is ground.
  private let ground: ColorHistogram?
  private let size: SIMD2<Double>
  private var center: SIMD2<Double>
  private var scale = 1.0
  private(set) var isLost = false
  /// Searches since it was seen, and the places that have its colours, the likest first.
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

  /// Goes on with the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    center = (center + 0.5) * factor - 0.5
    scale *= (factor.x * factor.y).squareRoot()
    waiting = []
  }

  /// Gives up a place that turned out to be another object's.
  mutating func lose() { isLost = true }

  /// Where it is, or was seen last.
  var place: Box { box(center, scale) }

  /// Takes the place that the planar tracker has found, and learns from it where it is told to.
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

  /// Looks for the object about where it was in the frame before; nil where it is not there.
  mutating func follow(_ frame: TrackingFrame, gate: Gate) -> Step? {
    let step = isLost ? nil : near(frame, gate).flatMap { held($0, frame) }
    isLost = step == nil
    return step
  }

  /// Looks for it where it was and wherever its colours are; nil where it is out of sight.
  ///
  /// - Parameters:
  ///   - work: What may be done; what is refused is done in a later frame.
  ///   - taken: Places of other things, which are not looked at.
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

  /// About where it was, at three sizes.
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

  /// Where it was, then anywhere in the frame where its colours are.
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

  /// What the filter answers about a place; nil where that does not count.
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

  /// Adds places that have most of the object's colours to those that wait to be tried.
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
    // The likest in each frame, and by turns the others.
    guard parts == 1, waiting.count > Self.tries else { return }
    let others = waiting.dropFirst()
    let turn = (searches - 1) * (Self.tries - 1) % others.count
    waiting = Array(waiting.prefix(1) + others.dropFirst(turn) + others.prefix(turn))
  }

  /// The likeness of a place's colours; nil where that is too little, or the place looks more like the ground.
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
