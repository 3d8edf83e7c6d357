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
  }

  /// Forgets where the points were: nothing leads from the latest frame to the next.
  mutating func cut() {
    seen = []
    known = []
  }

  /// Looks for the object in the next frame; nil where it is out of sight.
  mutating func track(from previous: FrameView?, to view: FrameView) -> Step? {
    frames += 1
    let found = followed(previous, view) ?? detected(view)
    isLost = found == nil
    guard let found else {
      cut()
      return nil
    }
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
    guard outcome.correlation > Self.leastFollowed else { return nil }
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

  private mutating func detected(_ view: FrameView) -> Step? {
    let features = view.features
    guard features.points.count >= 8 else { return nil }
    var best: PlaneFit?
    for key in keys.prefix(1) + keys.dropFirst().reversed() {
      let matches = DescriptorMatching.matches(key.descriptors, features.descriptors)
      guard matches.count >= 7,
        let fit = PlaneFit(
          matches.map { key.points[$0.known] }, matches.map { features.points[$0.seen] },
          tolerance: Self.detectTolerance),
        fit.count >= 8, Double(fit.count) >= 0.2 * Double(matches.count), fit.count > best?.count ?? 0,
        isSane(fit.map, view)
      else { continue }
      best = fit
      if fit.count >= 25 { break }
    }
    guard let best else { return nil }
    let outcome = check.check(view.pyramid, best.map)
    guard outcome.correlation > (best.count < 20 ? Self.leastDetectedOfFew : Self.leastDetected) else { return nil }
    map = best.map
    cut()
    return Step(
      quad: map.map(first), support: best.count, correlation: outcome.correlation, ofBetterHalf: outcome.ofBetterHalf,
      wasDetected: true)
  }

  /// Whether a map shows the object as a camera can: in front of it, unfolded, not crushed, and in or near the frame.
  private func isSane(_ map: Homography, _ view: FrameView) -> Bool {
    guard first.corners.allSatisfy({ map.depth($0) > 1e-6 }) else { return false }
    let quad = map.map(first)
    guard quad.bounds.isFinite, quad.isConvex else { return false }
    let ratio = quad.signedArea / first.signedArea
    guard ratio > 0.06, ratio < 16 else { return false }
    let stretch = zip(quad.sides, first.sides).map { $0 / max($1, 1e-6) }
    guard let longest = stretch.max(), let shortest = stretch.min(), longest <= 2.6 * shortest else { return false }
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
    let features = view.features(inside: quad)
    guard features.points.count >= 8 else { return }
    keys.append(KeyFrame(points: features.points.map(back.map), descriptors: features.descriptors))
    // The first is never given up.
    if keys.count > 1 + Self.recentKeys { keys.remove(at: 1) }
  }
}
