/// Follows a flat thing (label, lid, screen): points from frame to frame, each tied to its place in the first frame; when
/// they fail, features are matched with the first frame and some later ones. Every place found is checked against what
/// the object looked like first. What fails is lost, and stays so until features match again.
struct PlanarTracker {
  /// What a frame showed.
  struct Step {
    /// The corners, in the frame's pixels.
    var quad: Quadrilateral
    /// Pairs of points that the place rests on.
    var support: Int
    /// How well it looks like the object, by `PatchCheck`.
    var correlation: Double
    /// The same for the better half of its cells.
    var ofBetterHalf: Double
    /// Whether the points could not be followed and features found it.
    var wasDetected: Bool
  }

  /// A frame in which the object was seen well, with its features in the first frame's pixels.
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
  /// So many pairs that fit, and so much likeness, leave no doubt where it is.
  private static let certainPairs = 25
  private static let certainCorrelation = 0.85
  /// Correlation from which an object counts as being where it was.
  private static let leastUnmoved = 0.7
  /// How much larger than the object the window about its last place is, and its least side.
  private static let windowFactor = 2.6
  private static let leastWindow = 110.0
  private static let windowFeatures = 400
  /// An object with a shorter side has features of its double size too: in its own, what is compared about a place would
  /// be ground for the most part.
  private static let smallSide = 64.0
  /// Sides that are stretched or shortened beyond this ratio need more likeness: what is left of the picture says less.
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
  /// From the first frame's pixels to those of the latest.
  private var map = Homography.identity
  /// Points in the first frame, and where they are in the latest.
  private var known: [SIMD2<Double>]
  private var seen: [SIMD2<Double>]
  private(set) var isLost = false
  /// Which of the later key frames is compared next.
  private var searches = 0
  /// Whether the whole frame is searched before the window about its last place.
  private var isWideFirst = false
  /// Where it is expected, if not where it was seen last.
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

  /// Whether there is enough to hold on to.
  var isTextured: Bool { known.count >= 12 || keys.contains { $0.points.count >= 20 } }

  /// Goes on with the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    let scaling = Homography(scale: factor, move: (factor - 1) / 2)
    map = scaling.after(map)
    seen = seen.map(scaling.map)
    expected = expected.map { scaling.map(Quadrilateral(box: $0)).bounds }
  }

  /// Forgets where the points were: nothing leads from the latest frame to the next.
  mutating func cut() {
    seen = []
    known = []
  }

  /// Takes it that the object is about this box.
  mutating func expect(_ box: Box) { expected = box }

  /// Gives up a place that turned out to be another object's.
  mutating func lose() {
    isLost = true
    cut()
  }

  /// Counts a search that was made in a copy, so that the next one tries something else.
  mutating func noteSearch() { searches += 1 }

  /// Follows the object into the next frame; nil where it can't be followed.
  mutating func follow(from previous: FrameView?, to view: FrameView) -> Step? {
    frames += 1
    guard let found = followed(previous, view) else {
      lose()
      return nil
    }
    return held(found, view)
  }

  /// Looks for the object where it was, about there, and then in the whole frame; nil where it is out of sight.
  ///
  /// - Parameters:
  ///   - work: What may be done; what is refused is done in a later frame.
  ///   - taken: Places of other things, which are not looked at.
  mutating func search(in view: FrameView, work: inout SearchWork, except taken: [Box]) -> Step? {
    guard isTextured else { return nil }
    searches += 1
    if let found = unmoved(view, &work) { return held(found, view) }
    let found =
      isWideFirst
      ? anywhere(view, &work, taken) ?? nearby(view, &work, taken)
      : nearby(view, &work, taken) ?? anywhere(view, &work, taken)
    // What was refused has its turn first.
    if work.wasRefused { isWideFirst.toggle() }
    return found.map { held($0, view) }
  }

  /// Looks for the object about a box, and in the whole frame where the box is too large for a window.
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

  // MARK: From frame to frame

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

  /// The place measured anew on the first frame, where that fits as well or better.
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

  // MARK: Found again

  /// Whether it is where it was seen last.
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

  /// In a window about its last place, with features of its own: those of the whole frame leave few to what is small on
  /// busy ground. Larger things have their share of them.
  private mutating func nearby(_ view: FrameView, _ work: inout SearchWork, _ taken: [Box]) -> Step? {
    let place = expected ?? map.map(first).bounds
    let side = max(max(place.width, place.height) * (Self.windowFactor - 1), Self.leastWindow - place.width)
    let frameArea = Double(view.frame.width * view.frame.height)
    guard place.isFinite,
      let window = place.enlarged(by: side / 2).clipped(
        width: Double(view.frame.width), height: Double(view.frame.height)),
      window.area < frameArea / 4
    else { return nil }
    let enlargement = isSmall ? 2 : 1
    let pixels = Int(window.area) * enlargement * enlargement
    guard work.spend(pixels * SearchWork.featuresPerPixel) else { return nil }
    let features = view.features(of: window, limit: Self.windowFeatures * enlargement, enlargement: enlargement)
    let chosen = Array(keys.prefix(1) + keys.dropFirst().reversed())
    return detection(features, chosen, view, &work, taken).map { step(of: $0) }
  }

  /// In the whole frame: every second size, and beside the first key frame another one each time, which comes first by turns.
  /// The other sizes too, where there is work left for them, as in the first frame that has lost it.
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
      let pairs = matches.map { (key.points[$0.known], features.points[$0.seen]) }
      guard let found = borneOut(pairs, view, &work),
        found.outcome.correlation > best?.outcome.correlation ?? -1
      else { continue }
      best = found
      if isCertain(found) { break }
    }
    return best
  }

  private mutating func step(of detection: Detection) -> Step {
    map = detection.fit.map
    cut()
    return Step(
      quad: map.map(first), support: detection.fit.count, correlation: detection.outcome.correlation,
      ofBetterHalf: detection.outcome.ofBetterHalf, wasDetected: true)
  }

  /// A map that many pairs share and that shows the object. The ground about a small thing has more pairs than the thing,
  /// and stays where it was: where what most pairs share does not show the object, the others are asked.
  private func borneOut(
    _ pairs: [(SIMD2<Double>, SIMD2<Double>)], _ view: FrameView, _ work: inout SearchWork
  ) -> Detection? {
    var rest = pairs
    for _ in 0..<2 {
      guard rest.count >= 7 else { return nil }
      work.note(rest.count * SearchWork.fitPerPair)
      guard let fit = PlaneFit(rest.map(\.0), rest.map(\.1), tolerance: Self.detectTolerance), fit.count >= 8,
        Double(fit.count) >= 0.2 * Double(rest.count)
      else { return nil }
      if isSane(fit.map, view) {
        work.note(SearchWork.check)
        let outcome = check.check(view.pyramid, fit.map)
        let least = fit.count < 20 ? Self.leastDetectedOfFew : Self.leastDetected
        if isBorneOut(fit.map, outcome, least: least) { return (fit, outcome) }
      }
      rest = zip(rest, fit.fits).filter { !$0.1 }.map(\.0)
    }
    return nil
  }

  /// Whether what is seen under a map looks enough like the object. How far it may be tilted is for that to say.
  private func isBorneOut(_ map: Homography, _ outcome: PatchCheck.Outcome, least: Double) -> Bool {
    let stretch = zip(map.map(first).sides, first.sides).map { $0 / max($1, 1e-6) }
    guard let longest = stretch.max(), let shortest = stretch.min(), shortest > 0 else { return false }
    let excess = max(0, logarithm(longest / shortest / Self.certainStretch))
    return outcome.correlation > least + 0.35 * excess
  }

  /// Whether a map shows the object as a camera can: in front of it, unfolded, and in or near the frame.
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

  // MARK: What is held on to next

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
    // The first is never given up.
    if keys.count > 1 + Self.recentKeys { keys.remove(at: 1) }
  }
}
