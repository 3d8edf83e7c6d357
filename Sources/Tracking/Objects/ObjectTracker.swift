/// Follows one object: as a plane and as something soft side by side, until its frames have told which it is. That may
/// change: what was only blurred is a plane again when it is sharp, and what lay still is soft when it begins to turn.
struct ObjectTracker {
  /// What the object is taken for.
  enum Model: String, Sendable {
    case undecided, planar, soft
  }

  /// Where the object is in one frame, in the frame's pixels.
  struct Step {
    var quad: Quadrilateral
    var confidence: Double
    var model: Model
    /// Whether a search may say more: it is followed as soft, or looks little like its first picture.
    var isDoubtful: Bool
  }

  /// Frames of evidence after which the model is chosen, and frames in all.
  private static let trial = 8
  private static let longestTrial = 60
  /// What was a plane for so many frames is chosen for by them when it is lost, not by what comes then.
  private static let longFlat = 24
  /// As many frames in which no plane was found make the object soft.
  private static let softFrames = 3
  /// Frames whose correlation is outside this range say nothing: a soft thing at rest is as flat as any, and one that
  /// is hidden for the most part looks like none.
  private static let telling = 0.6..<0.97
  /// A plane changed by camera and light alone agrees so well with its first picture; behind a hand, its better half does.
  private static let planarCorrelation = 0.85
  private static let planarBetterHalf = 0.97

  /// A soft thing that looks so much like its first picture under a plane's map is tried as a plane anew.
  private static let planarAgain = 0.8
  private static let leastPlanarAgain = 0.7
  /// A plane that looks less like its first picture than this, and so does its better half, may be elsewhere.
  private static let doubtfulCorrelation = 0.6
  private static let doubtfulBetterHalf = 0.9
  /// What is found elsewhere must look so much more like it.
  private static let better = 0.1
  /// What was just found again and looks so much less like it than before may be elsewhere too, for so many frames.
  private static let worseThanBefore = 0.1
  private static let freshFrames = 5
  /// Blurred is what has less than this share of the detail that it had as a plane.
  private static let sharpEnough = 0.35
  /// So many tries of a plane follow on one another; then the frames between them double, up to so many: an odd number,
  /// as every second frame is searched for every second size.
  private static let quickTries = 4
  private static let longestRest = 7
  /// While a soft thing is lost, a plane is looked for first in one frame of so many.
  private static let planeTurn = 4
  /// As a plane, the filter learns from one frame of so many.
  private static let learningInterval = 8

  private(set) var model = Model.undecided
  private var plane: PlanarTracker
  private var filter: SoftTracker
  private var frames = 0
  private var softSteps = 0
  /// The latest frames that say something.
  private var evidence: [PlanarTracker.Step] = []
  /// How many of all frames that say something looked flat.
  private var flatFrames = 0
  /// Where the plane was seen last while the model was open.
  private var latest: Quadrilateral?
  /// Detail of the object where it was last a plane.
  private var detail: Double
  /// Whether it was taken for soft before: less is asked of the filter then.
  private var wasSoft = false
  /// When what is followed is searched as a plane next.
  private var retry = Retry()
  /// Blurred frames of a soft thing that followed on one another, and its searches since it was followed.
  private var blurredFrames = 0
  private var softSearches = 0

  /// How like its first picture the plane was when it was seen last, and before it was found again.
  private var correlation = 1.0
  private var earlierCorrelation = 0.0
  private var framesSinceFound = 0

  /// Frames until what is followed is searched all the same: less and less often the longer that is in vain.
  private struct Retry {
    private var rest = 1
    private var tries = 0

    /// Counts a frame; true where it is one to search in.
    mutating func isDue() -> Bool {
      rest -= 1
      guard rest <= 0 else { return false }
      tries += 1
      rest = tries < quickTries ? 1 : min(longestRest, 1 << min(8, tries - quickTries + 1))
      return true
    }
  }

  /// Begins with a box in the first frame's pixels.
  init(_ view: FrameView, box: Box) {
    plane = PlanarTracker(view, box: box)
    filter = SoftTracker(view.frame, box: box)
    detail = view.frame.detail(inside: box)
    if !plane.isTextured { model = .soft }
  }

  /// Goes on with the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    plane.rescale(by: factor)
    latest = latest.map { Homography(scale: factor, move: (factor - 1) / 2).map($0) }
    filter.rescale(by: factor)
  }

  /// Forgets where the points were: nothing leads from the latest frame to the next.
  mutating func cut() { plane.cut() }

  /// Takes it that the object was seen last in this box.
  mutating func expect(_ box: Box, in frame: TrackingFrame) {
    plane.expect(box)
    filter.follow(Quadrilateral(box: box), in: frame, learns: false)
  }

  /// Gives up a place that turned out to be another object's.
  mutating func lose() {
    plane.lose()
    filter.lose()
  }

  /// Follows the object into the next frame; nil where it must be searched.
  mutating func follow(from previous: FrameView?, to view: FrameView) -> Step? {
    switch model {
    case .planar, .undecided:
      return plane.follow(from: previous, to: view).map { taken($0, view) }
    case .soft: return filter.follow(view.frame, gate: .plain).map(softStep)
    }
  }

  /// Searches for what could not be followed, and looks whether what is followed as soft is a plane.
  ///
  /// - Parameters:
  ///   - step: What following gave.
  ///   - work: What may be done in this frame.
  ///   - held: Places of other objects.
  mutating func search(in view: FrameView, after step: Step?, work: inout SearchWork, except held: Held) -> Step? {
    switch model {
    case .planar where step != nil, .undecided where step != nil:
      return step.flatMap { elsewhere(view, $0, &work) } ?? step
    case .planar:
      if let found = plane.search(in: view, work: &work, except: held.planes) { return taken(found, view) }
      guard looksSolid, !isLeaving(view), !work.wasRefused, let step = filter.follow(view.frame, gate: .strict) else {
        return nil
      }
      beSoft()
      return softStep(step)
    case .undecided: return tried(view, &work, held)
    case .soft:
      if let step {
        softSearches = 0
        return asPlane(view, step, &work) ?? step
      }
      // The filter first: it has had the object last, and a plane that it finds is looked for there in the next frames.
      // What one of them spends is missing to the other, so that they take turns.
      softSearches += 1
      let isPlaneFirst = softSearches % Self.planeTurn == 0
      if isPlaneFirst, let step = foundPlane(view, &work, held) { return step }
      if let found = filter.search(view.frame, gate: .plain, work: &work, except: held.all) { return softStep(found) }
      return isPlaneFirst ? nil : foundPlane(view, &work, held)
    }
  }

  private mutating func foundPlane(_ view: FrameView, _ work: inout SearchWork, _ held: Held) -> Step? {
    var trial = plane
    guard let found = trial.search(in: view, work: &work, except: held.planes), found.correlation >= leastAgain else {
      plane.noteSearch()
      return nil
    }
    plane = trial
    return againPlanar(found, view)
  }

  /// Places of other objects in a frame: of those that are planes for sure, and of all.
  struct Held {
    var planes: [Box] = []
    var all: [Box] = []
  }

  private mutating func tried(_ view: FrameView, _ work: inout SearchWork, _ held: Held) -> Step? {
    if let step = plane.search(in: view, work: &work, except: held.planes) { return taken(step, view) }
    if frames >= Self.longFlat || frames >= Self.trial && isLeaving(view) {
      choose()
      if model == .planar { return nil }
    }
    let gate = wasSoft ? SoftTracker.Gate.plain : .strict
    guard
      let step = filter.follow(view.frame, gate: gate)
        ?? filter.search(view.frame, gate: gate, work: &work, except: held.all)
    else { return nil }
    frames += 1
    softSteps += 1
    decide()
    return softStep(step)
  }

  // MARK: From each kind to the other

  /// A step of the plane, and what it says of the kind.
  private mutating func taken(_ step: PlanarTracker.Step, _ view: FrameView) -> Step {
    frames += 1
    latest = step.quad
    if Self.telling.contains(step.correlation), !step.wasDetected, !isLeaving(view), isSharp(step.quad, view) {
      evidence.append(step)
      if evidence.count > Self.trial { evidence.removeFirst() }
      if Self.isFlat([step]) { flatFrames += 1 }
    }
    if step.wasDetected { (earlierCorrelation, framesSinceFound) = (correlation, 0) } else { framesSinceFound += 1 }
    correlation = step.correlation
    if !isDoubtful(step) { retry = Retry() }
    filter.follow(
      step.quad, in: view.frame, learns: model == .undecided || frames % Self.learningInterval == 0)
    if model == .undecided { decide() }
    return planarStep(step)
  }

  /// Whether it was lost as a plane after frames in which it looked less and less flat, as a solid thing does that turns.
  private var looksSolid: Bool {
    evidence.count >= Self.trial && flatFrames < Self.longFlat && !Self.isFlat(evidence.suffix(Self.trial / 2))
  }

  /// How like its first picture it must be to be a plane again: as much as when it was one, where the light was poor already.
  private var leastAgain: Double {
    let seen = evidence.suffix(Self.trial / 2)
    guard seen.count == Self.trial / 2 else { return Self.planarAgain }
    return min(
      Self.planarAgain, max(Self.leastPlanarAgain, seen.reduce(0) { $0 + $1.correlation } / Double(seen.count)))
  }

  private mutating func beSoft() {
    model = .soft
    wasSoft = true
    retry = Retry()
    blurredFrames = 0
  }

  /// Whether it has much of the detail that it had: blurred, a plane looks no more like its first picture than what bends.
  private func isSharp(_ quad: Quadrilateral, _ view: FrameView) -> Bool {
    view.frame.detail(inside: quad.bounds) >= Self.sharpEnough * detail
  }

  /// A better place for a plane that looks little like its first picture where it is followed.
  private mutating func elsewhere(_ view: FrameView, _ step: Step, _ work: inout SearchWork) -> Step? {
    guard retry.isDue() else { return nil }
    var trial = plane
    guard let found = trial.search(in: view, about: step.quad.bounds, work: &work),
      found.correlation > correlation + Self.better
    else {
      plane.noteSearch()
      return nil
    }
    plane = trial
    return taken(found, view)
  }

  /// The plane of a thing that is followed as soft, where it is found: in sharp frames, less and less often the longer it is
  /// not. A print that is told again is surer than where the filter has got to.
  private mutating func asPlane(_ view: FrameView, _ step: Step, _ work: inout SearchWork) -> Step? {
    guard plane.isTextured else { return nil }
    if isSharp(step.quad, view) {
      blurredFrames = 0
      guard retry.isDue() else { return nil }
    } else {
      // What looks blurred for long may be ground that the filter took for it.
      blurredFrames += 1
      guard blurredFrames % Self.longestRest == 0 else { return nil }
    }
    var trial = plane
    guard let found = trial.search(in: view, about: step.quad.bounds, work: &work), found.correlation >= leastAgain
    else {
      plane.noteSearch()
      return nil
    }
    plane = trial
    return againPlanar(found, view)
  }

  /// Leaves it open anew what the object is.
  private mutating func againPlanar(_ step: PlanarTracker.Step, _ view: FrameView) -> Step {
    model = .undecided
    (frames, softSteps, flatFrames, evidence) = (0, 0, 0, [])
    return taken(step, view)
  }

  private static func isFlat(_ steps: ArraySlice<PlanarTracker.Step>) -> Bool {
    let count = Double(max(1, steps.count))
    let correlation = steps.reduce(0) { $0 + $1.correlation } / count
    let betterHalf = steps.reduce(0) { $0 + $1.ofBetterHalf } / count
    return steps.isEmpty || correlation >= planarCorrelation || betterHalf >= planarBetterHalf
  }

  private mutating func decide() {
    if softSteps >= Self.softFrames {
      beSoft()
    } else if evidence.count >= Self.trial || frames >= Self.longestTrial {
      choose()
    }
  }

  /// Chooses by what there is: what looked flat all the while is a plane.
  private mutating func choose() {
    guard Self.isFlat(evidence.suffix(Self.trial / 2)) else { return beSoft() }
    model = .planar
    wasSoft = false
  }

  /// Whether the object was seen last at the frame's edge, partly outside: that no plane is found any more does not make
  /// it soft then.
  private func isLeaving(_ view: FrameView) -> Bool {
    latest.map { !view.holds($0) } ?? false
  }

  private func isDoubtful(_ step: PlanarTracker.Step) -> Bool {
    if framesSinceFound < Self.freshFrames, step.correlation < earlierCorrelation - Self.worseThanBefore { return true }
    return step.correlation < Self.doubtfulCorrelation && step.ofBetterHalf < Self.doubtfulBetterHalf
  }

  private func planarStep(_ step: PlanarTracker.Step) -> Step {
    Step(
      quad: step.quad,
      confidence: Confidence.planar(correlation: step.correlation, support: step.support), model: model,
      isDoubtful: isDoubtful(step) && !step.wasDetected)
  }

  private func softStep(_ step: SoftTracker.Step) -> Step {
    Step(
      quad: Quadrilateral(box: step.box),
      confidence: Confidence.soft(sharpness: step.sharpness, likeness: step.likeness), model: model, isDoubtful: true)
  }
}
