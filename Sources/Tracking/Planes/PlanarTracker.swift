/// Tracks a flat object (label, lid, screen). Points are tracked from frame to frame, each tied to its place in the
/// first frame. If they fail, features are matched with the first frame and some later ones. Every place is checked
/// against the object's first appearance. If that fails, the object is lost until features match again.
struct PlanarTracker {
  /// The result for one frame.
  struct Step {
    /// The corners, in the frame's pixels.
    var quad: Quadrilateral
    /// Number of point pairs that support the place.
    var support: Int
    /// Similarity to the object, by `PatchCheck`.
    var correlation: Double
    /// The same for the better half of its cells.
    var ofBetterHalf: Double
    /// Whether the points could not be tracked and the object was found by features.
    var wasDetected: Bool
  }

  /// A frame that shows the object well, with its features in the first frame's pixels.
  private struct KeyFrame {
    var points: [SIMD2<Double>]
    var descriptors: [Descriptor]
  }

  private static let pointLimit = 80
  private static let leastPoints = 6
  private static let leastAnchored = 12
  private static let followTolerance = 2.5
  private static let detectTolerance = 3.0
  private static let leastFollowed = 0.35
  private static let leastDetected = 0.25
  private static let leastDetectedOfFew = 0.4
  /// Minimum share of the pairs that fit.
  private static let leastShare = 0.15
  /// Number of fitting pairs below which they are few, and the correlation of the better half that makes up for it: with
  /// a hand over the rest few are left.
  private static let fewPairs = 20
  private static let clearBetterHalf = 0.75
  /// Number of fitting pairs and the correlation from which the place is certain.
  private static let certainPairs = 25
  private static let certainCorrelation = 0.85
  /// Maximum distance between features of one place at several sizes, in pixels.
  private static let samePlace = 3.0
  /// Correlation from which an object counts as unmoved.
  private static let leastUnmoved = 0.7
  /// Size of the search window as a multiple of the object, and its minimum side in pixels.
  private static let windowFactor = 2.6
  private static let leastWindow = 110.0
  private static let windowFeatures = 400
  /// Area of the window, as a share of the frame, up to which it is larger than the object.
  private static let largestWindow = 0.25
  /// Shorter side, in pixels, below which an object also has features at double size: at its own size, the area
  /// compared around a place is mostly background.
  private static let smallSide = 64.0
  /// Ratio of stretching or shortening between sides beyond which more similarity is required: the remaining image is
  /// less informative.
  private static let certainStretch = 2.6
  private static let recentKeys = 3
  private static let keyDistance = 6
  private static let keyCorrelation = 0.6

  private let first: Quadrilateral
  private let check: PatchCheck
  private let anchor: AnchoredPatch?
  private var keys: [KeyFrame] = []
  private var lastKey = 0
  private var lastCorners = 0
  private var frames = 0
  /// Maps the first frame's pixels to those of the latest.
  private var map = Homography.identity
  /// Points in the first frame, and their places in the latest.
  private var known: [SIMD2<Double>]
  private var seen: [SIMD2<Double>]
  private(set) var isLost = false
  /// Number of searches; selects the next later key frame to compare.
  private var searches = 0
  /// Whether the whole frame is searched before the window around the last place.
  private var isWideFirst = false
  /// The expected place, if not the last one.
  private var expected: Box?

  /// Begins with a box in the first frame's pixels.
  init(_ view: FrameView, box: Box) {
    first = Quadrilateral(box: box)
    check = PatchCheck(view.pyramid, box: box)
    anchor = AnchoredPatch(view, box: box)
    known = Corners.find(in: view.pyramid.levels[0], inside: first, limit: Self.pointLimit)
    seen = known
    addKey(view, quad: first, back: .identity)
  }

  /// Whether the object has enough texture to track.
  var isTextured: Bool { known.count >= 12 || keys.contains { $0.points.count >= 20 } }

  /// Adjusts to the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    let scaling = Homography(scale: factor, move: (factor - 1) / 2)
    map = scaling.after(map)
    seen = seen.map(scaling.map)
    expected = expected.map { scaling.map(Quadrilateral(box: $0)).bounds }
  }

  /// Discards the tracked points: the next frame does not follow from the latest.
  mutating func cut() {
    seen = []
    known = []
  }

  /// Sets the box near which the object is expected.
  mutating func expect(_ box: Box) { expected = box }

  /// Discards a place that turned out to be another object's.
  mutating func lose() {
    isLost = true
    cut()
  }

  /// Counts a search made in a copy, so that the next one tries something else.
  mutating func noteSearch() { searches += 1 }

  /// Tracks the object into the next frame; nil if that fails.
  mutating func follow(from previous: FrameView?, to view: FrameView) -> Step? {
    frames += 1
    guard let found = followed(previous, view) else {
      lose()
      return nil
    }
    return held(found, view)
  }

  /// Searches for the object where it was, around that place, and in the whole frame; nil if it is not found.
  ///
  /// - Parameters:
  ///   - view: The frame.
  ///   - work: The frame's work budget; refused steps continue in a later frame.
  ///   - taken: Places of other objects, which are skipped.
  mutating func search(in view: FrameView, work: inout SearchWork, except taken: [Box]) -> Step? {
    guard isTextured else { return nil }
    searches += 1
    if let found = unmoved(view, &work) { return held(found, view) }
    let found =
      isWideFirst
      ? anywhere(view, &work, taken) ?? nearby(view, &work, taken)
      : nearby(view, &work, taken) ?? anywhere(view, &work, taken)
    // Refused searches go first in the next frame.
    if work.wasRefused { isWideFirst.toggle() }
    return found.map { held($0, view) }
  }

  /// Searches for the object around a box, and in the whole frame if the box is too large for a window or the object is
  /// not there.
  mutating func search(in view: FrameView, about box: Box, work: inout SearchWork) -> Step? {
    guard isTextured else { return nil }
    expected = box
    searches += 1
    return (nearby(view, &work, []) ?? anywhere(view, &work, [])).map { held($0, view) }
  }

  private mutating func held(_ found: Step, _ view: FrameView) -> Step {
    isLost = false
    expected = nil
    let step = anchored(found, view)
    refill(view, step)
    return step
  }

  // MARK: Tracking

  private mutating func followed(_ previous: FrameView?, _ view: FrameView) -> Step? {
    guard let previous, !isLost, seen.count >= Self.leastPoints else { return nil }
    let flow = OpticalFlow.follow(seen, from: previous.pyramid, to: view.pyramid)
    var (from, to): ([SIMD2<Double>], [SIMD2<Double>]) = ([], [])
    for (point, place) in zip(known, flow) {
      guard let place else { continue }
      from.append(point)
      to.append(place)
    }
    guard from.count >= Self.leastPoints, from.count * 5 >= seen.count,
      let fit = PlaneFit(from, to, tolerance: Self.followTolerance), fit.count >= Self.leastPoints,
      Double(fit.count) >= 0.4 * Double(from.count), isSane(fit.map, view)
    else { return nil }
    let outcome = check.check(view.pyramid, fit.map)
    guard isBorneOut(fit.map, outcome, least: Self.leastFollowed) else { return nil }
    map = fit.map
    known = zip(from, fit.fits).filter(\.1).map(\.0)
    seen = zip(to, fit.fits).filter(\.1).map(\.0)
    return Step(
      quad: map.map(first), support: fit.count, correlation: outcome.correlation, ofBetterHalf: outcome.ofBetterHalf,
      wasDetected: false)
  }

  /// Measures the place again on the first frame, and uses the result if it fits about as well or better.
  private mutating func anchored(_ step: Step, _ view: FrameView) -> Step {
    guard let pairs = anchor?.pairs(in: view, near: map), pairs.first.count >= Self.leastAnchored,
      let fit = PlaneFit(pairs.first, pairs.seen, tolerance: Self.followTolerance),
      fit.count >= Self.leastAnchored, Double(fit.count) >= 0.6 * Double(pairs.first.count), isSane(fit.map, view)
    else { return step }
    let outcome = check.check(view.pyramid, fit.map)
    guard outcome.correlation >= step.correlation - 0.01 else { return step }
    map = fit.map
    var better = step
    better.quad = map.map(first)
    better.correlation = outcome.correlation
    better.ofBetterHalf = outcome.ofBetterHalf
    better.support = max(step.support, fit.count)
    return better
  }

  // MARK: Detection

  /// Finds the object where it was last seen.
  private mutating func unmoved(_ view: FrameView, _ work: inout SearchWork) -> Step? {
    guard expected == nil, isSane(map, view) else { return nil }
    work.note(SearchWork.check)
    let outcome = check.check(view.pyramid, map)
    guard isBorneOut(map, outcome, least: Self.leastUnmoved) else { return nil }
    cut()
    return Step(
      quad: map.map(first), support: Self.leastPoints, correlation: outcome.correlation,
      ofBetterHalf: outcome.ofBetterHalf, wasDetected: true)
  }

  /// Searches a window around the last place, with its own features: those of the whole frame include few of a small
  /// object on busy background. Larger objects have enough of them.
  private mutating func nearby(_ view: FrameView, _ work: inout SearchWork, _ taken: [Box]) -> Step? {
    let place = expected ?? map.map(first).bounds
    let frame = SIMD2(Double(view.frame.width), Double(view.frame.height))
    let margin = min(
      max(max(place.width, place.height) * (Self.windowFactor - 1), Self.leastWindow - place.width) / 2,
      Self.margin(around: place, area: frame.x * frame.y * Self.largestWindow))
    guard place.isFinite,
      let window = place.enlarged(by: max(0, margin)).clipped(width: frame.x, height: frame.y),
      window.area < frame.x * frame.y / 2
    else { return nil }
    let enlargement = isSmall ? 2 : 1
    let pixels = Int(window.area) * enlargement * enlargement
    guard work.spend(pixels * SearchWork.featuresPerPixel) else { return nil }
    let features = view.features(of: window, limit: Self.windowFeatures * enlargement, enlargement: enlargement)
    let chosen = Array(keys.prefix(1) + keys.dropFirst().reversed())
    return detection(features, chosen, view, &work, taken).map { step(of: $0) }
  }

  /// The margin with which a box has an area; negative if the box is larger.
  private static func margin(around box: Box, area: Double) -> Double {
    // The root of (width + 2 m) (height + 2 m) = area.
    let difference = (box.width - box.height) / 2
    return ((area + difference * difference).squareRoot() - (box.width + box.height) / 2) / 2
  }

  /// Searches the whole frame at every second size, with the first key frame and another one that changes with each
  /// search; the two alternate in order. The other sizes follow if budget is left for them, as in the first frame after
  /// the object was lost.
  private mutating func anywhere(_ view: FrameView, _ work: inout SearchWork, _ taken: [Box]) -> Step? {
    guard work.spendFrameFeatures(view.frame) else { return nil }
    let others = keys.dropFirst()
    let other = others.isEmpty ? [] : [others[others.startIndex + (searches - 1) / 4 % others.count]]
    let first = Array(keys.prefix(1))
    let chosen = (searches - 1) / 2 % 2 == 0 ? first + other : other + first
    let some = detection(view.features, chosen, view, &work, taken)
    if let some, isCertain(some) { return step(of: some) }
    var best = some
    if work.affordsOtherFeatures(view.frame), work.spendOtherFeatures(view.frame),
      let other = detection(view.otherFeatures, keys, view, &work, taken),
      other.outcome.correlation > best?.outcome.correlation ?? -1
    {
      best = other
    }
    return best.map { step(of: $0) }
  }

  private var isSmall: Bool { min(first.bounds.width, first.bounds.height) < Self.smallSide }

  private typealias Detection = (fit: PlaneFit, outcome: PatchCheck.Outcome)

  private func isCertain(_ found: Detection) -> Bool {
    found.fit.count >= Self.certainPairs && found.outcome.correlation >= Self.certainCorrelation
  }

  private func detection(
    _ features: FeatureSet, _ keys: [KeyFrame], _ view: FrameView, _ work: inout SearchWork, _ taken: [Box]
  ) -> Detection? {
    guard features.points.count >= 8 else { return nil }
    var best: Detection?
    for key in keys {
      guard work.spend(key.points.count * features.points.count * SearchWork.comparison) else { break }
      let matches = DescriptorMatching.matches(key.descriptors, features.descriptors).filter { pair in
        !taken.contains { $0.contains(features.points[pair.seen]) }
      }
      let pairs = Self.agreeing(matches, key, count: features.points.count).map {
        (key.points[$0.known], features.points[$0.seen])
      }
      guard let found = borneOut(pairs, view, &work),
        found.outcome.correlation > best?.outcome.correlation ?? -1
      else { continue }
      best = found
      if isCertain(found) { break }
    }
    return best
  }

  /// The matches without those of places that another place of the object fits better: a map that shrinks the object to
  /// a few places of the frame would have many pairs. One corner at several sizes is one place.
  private static func agreeing(
    _ matches: [DescriptorMatching.Match], _ key: KeyFrame, count: Int
  ) -> [DescriptorMatching.Match] {
    var nearest = [DescriptorMatching.Match?](repeating: nil, count: count)
    for match in matches where match.distance < nearest[match.seen]?.distance ?? .max { nearest[match.seen] = match }
    return matches.filter { match in
      guard let best = nearest[match.seen] else { return false }
      let way = key.points[match.known] - key.points[best.known]
      return (way * way).sum() <= samePlace * samePlace
    }
  }

  private mutating func step(of detection: Detection) -> Step {
    map = detection.fit.map
    cut()
    return Step(
      quad: map.map(first), support: detection.fit.count, correlation: detection.outcome.correlation,
      ofBetterHalf: detection.outcome.ofBetterHalf, wasDetected: true)
  }

  /// A map that many pairs share and that shows the object. The background around a small object has more pairs than
  /// the object and doesn't move. If the map of most pairs doesn't show the object, the remaining pairs are tried.
  private func borneOut(
    _ pairs: [(SIMD2<Double>, SIMD2<Double>)], _ view: FrameView, _ work: inout SearchWork
  ) -> Detection? {
    var rest = pairs
    for _ in 0..<2 {
      guard rest.count >= 7 else { return nil }
      work.note(rest.count * SearchWork.fitPerPair)
      guard let fit = PlaneFit(rest.map(\.0), rest.map(\.1), tolerance: Self.detectTolerance), fit.count >= 8,
        Double(fit.count) >= Self.leastShare * Double(rest.count)
      else { return nil }
      if isSane(fit.map, view) {
        work.note(SearchWork.check)
        let outcome = check.check(view.pyramid, fit.map)
        let isUncertain = fit.count < Self.fewPairs && outcome.ofBetterHalf < Self.clearBetterHalf
        let least = isUncertain ? Self.leastDetectedOfFew : Self.leastDetected
        if isBorneOut(fit.map, outcome, least: least) { return (fit, outcome) }
      }
      rest = zip(rest, fit.fits).filter { !$0.1 }.map(\.0)
    }
    return nil
  }

  /// Whether the frame under a map looks enough like the object. The similarity also limits the tilt.
  private func isBorneOut(_ map: Homography, _ outcome: PatchCheck.Outcome, least: Double) -> Bool {
    let stretch = zip(map.map(first).sides, first.sides).map { $0 / max($1, 1e-6) }
    guard let longest = stretch.max(), let shortest = stretch.min(), shortest > 0 else { return false }
    let excess = max(0, logarithm(longest / shortest / Self.certainStretch))
    return outcome.correlation > least + 0.35 * excess
  }

  /// Whether a map is one that a camera can produce: the object in front of it, not folded, and in or near the frame.
  private func isSane(_ map: Homography, _ view: FrameView) -> Bool {
    guard first.corners.allSatisfy({ map.depth($0) > 1e-6 }) else { return false }
    let quad = map.map(first)
    guard quad.bounds.isFinite, quad.isConvex else { return false }
    let ratio = quad.signedArea / first.signedArea
    guard ratio > 0.06, ratio < 16 else { return false }
    let (width, height) = (Double(view.frame.width), Double(view.frame.height))
    let center = quad.center
    return center.x > -0.2 * width && center.x < 1.2 * width && center.y > -0.2 * height && center.y < 1.2 * height
  }

  // MARK: Points and key frames

  private mutating func refill(_ view: FrameView, _ step: Step) {
    guard let back = map.inverse else { return }
    if seen.count * 10 < Self.pointLimit * 7, seen.count < 2 * Self.leastPoints || frames - lastCorners >= 3 {
      let corners = Corners.find(
        in: view.pyramid.levels[0], inside: step.quad, limit: Self.pointLimit - seen.count, taken: seen)
      known += corners.map(back.map)
      seen += corners
      lastCorners = frames
    }
    if step.correlation > Self.keyCorrelation, frames - lastKey >= Self.keyDistance, view.holds(step.quad) {
      addKey(view, quad: step.quad, back: back)
      lastKey = frames
    }
  }

  /// Keeps the frame's features inside the object.
  private mutating func addKey(_ view: FrameView, quad: Quadrilateral, back: Homography) {
    var features = view.features(inside: quad)
    if isSmall {
      features.append(
        view.features(of: quad.bounds.enlarged(by: 20), enlargement: 2) { quad.contains($0) })
    }
    guard features.points.count >= 8 else { return }
    keys.append(KeyFrame(points: features.points.map(back.map), descriptors: features.descriptors))
    // The first key frame is never dropped.
    if keys.count > 1 + Self.recentKeys { keys.remove(at: 1) }
  }
}
