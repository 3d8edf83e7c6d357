/// Tracks one object, as a plane and as a soft object in parallel until its frames show which it is. The model may
/// change later: a blurred plane is a plane again once it is sharp, and a still object turns out soft when it begins to
/// turn.
struct ObjectTracker {
  /// The model by which the object is tracked.
  enum Model: String, Sendable {
    case undecided, planar, soft
  }

  /// The object's place in one frame, in the frame's pixels.
  struct Step {
    var quad: Quadrilateral
    var confidence: Double
    var model: Model
    /// Whether a search may improve it: it is tracked as soft, or looks little like its first image.
    var isDoubtful: Bool
  }

  /// Number of informative frames, and of frames in total, after which the model is chosen.
  private static let trial = 8
  private static let longestTrial = 60
  /// After this many frames as a plane, a lost object's model is chosen from them, not from later frames.
  private static let longFlat = 24
  /// Number of frames without a plane that make the object soft.
  private static let softFrames = 3
  /// Range of correlation of informative frames. Above this range a soft object at rest looks as flat as any; below it
  /// the object is mostly hidden.
  private static let telling = 0.6..<0.97
  /// Minimum correlation of a plane with its first image when only the camera and the light change, and of its better
  /// half when a hand covers the rest.
  private static let planarCorrelation = 0.85
  private static let planarBetterHalf = 0.97

  /// Correlation with its first image under a plane's map from which a soft object is tried as a plane again.
  private static let planarAgain = 0.8
  private static let leastPlanarAgain = 0.7
  /// Correlations of the whole plane and of its better half; below both, the plane may be elsewhere.
  private static let doubtfulCorrelation = 0.6
  private static let doubtfulBetterHalf = 0.9
  /// Increase in correlation that a place elsewhere needs.
  private static let better = 0.1
  /// Decrease in correlation after which an object just found again may be elsewhere too, and the number of frames for
  /// which this is checked.
  private static let worseThanBefore = 0.1
  private static let freshFrames = 5
  /// Share of a plane's detail below which it is blurred.
  private static let sharpEnough = 0.35
  /// Number of attempts at a plane in consecutive frames, and the maximum interval between later ones, which doubles.
  /// The maximum is odd, because consecutive frames alternate between feature sizes.
  private static let quickTries = 4
  private static let longestRest = 7
  /// A lost soft object is searched as a plane first in one of this many frames.
  private static let planeTurn = 4
  /// While the object is a plane, the filter learns from one of this many frames.
  private static let learningInterval = 8

  private(set) var model = Model.undecided
  private var plane: PlanarTracker
  private var filter: SoftTracker
  private var frames = 0
  private var softSteps = 0
  /// The latest informative frames.
  private var evidence: [PlanarTracker.Step] = []
  /// Number of informative frames that looked flat.
  private var flatFrames = 0
  /// The plane's latest place while the model was undecided.
  private var latest: Quadrilateral?
  /// Detail of the object when it was last a plane.
  private var detail: Double
  /// Whether it was considered soft before: the filter's gate is then lower.
  private var wasSoft = false
  /// Schedules the next search for an object that is tracked.
  private var retry = Retry()
  /// Number of consecutive blurred frames of a soft object, and of its searches since it was last tracked.
  private var blurredFrames = 0
  private var softSearches = 0

  /// The plane's correlation with its first image when last seen, and before it was found again.
  private var correlation = 1.0
  private var earlierCorrelation = 0.0
  private var framesSinceFound = 0

  /// Schedules searches for an object that is tracked: less and less often while they fail.
  private struct Retry {
    private var rest = 1
    private var tries = 0

    /// Counts a frame; returns true if it should be searched.
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

  /// Adjusts to the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    plane.rescale(by: factor)
    latest = latest.map { Homography(scale: factor, move: (factor - 1) / 2).map($0) }
    filter.rescale(by: factor)
  }

  /// Discards the tracked points: the next frame does not follow from the latest.
  mutating func cut() { plane.cut() }

  /// Sets the object's last known box.
  mutating func expect(_ box: Box, in frame: TrackingFrame) {
    plane.expect(box)
    filter.follow(Quadrilateral(box: box), in: frame, learns: false)
  }

  /// Discards a place that turned out to be another object's.
  mutating func lose() {
    plane.lose()
    filter.lose()
  }

  /// Tracks the object into the next frame; nil if it must be searched.
  mutating func follow(from previous: FrameView?, to view: FrameView) -> Step? {
    switch model {
    case .planar, .undecided:
      return plane.follow(from: previous, to: view).map { taken($0, view) }
    case .soft: return filter.follow(view.frame, gate: .plain).map(softStep)
    }
  }

  /// Searches for an object that could not be tracked, and checks whether an object tracked as soft is a plane.
  ///
  /// - Parameters:
  ///   - view: The frame.
  ///   - step: The result of tracking.
  ///   - work: The frame's work budget.
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
      // The filter goes first: it tracked the object last, and the plane is searched at its place in later frames. Both
      // share one budget, so they alternate.
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

  /// Places of other objects in a frame: of confirmed planes, and of all.
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

  // MARK: Changing the model

  /// Records a step of the plane and what it shows about the model.
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

  /// Whether it was lost as a plane after it looked less and less flat, as a turning solid object does.
  private var looksSolid: Bool {
    evidence.count >= Self.trial && flatFrames < Self.longFlat && !Self.isFlat(evidence.suffix(Self.trial / 2))
  }

  /// Minimum correlation with its first image to be a plane again: that of its time as a plane, if the light was
  /// already poor.
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

  /// Whether it has much of its original detail. A blurred plane looks no more like its first image than a bending
  /// object.
  private func isSharp(_ quad: Quadrilateral, _ view: FrameView) -> Bool {
    view.frame.detail(inside: quad.bounds) >= Self.sharpEnough * detail
  }

  /// A better place for a plane that looks little like its first image at its tracked place.
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

  /// Searches for the plane of an object tracked as soft: in sharp frames, less and less often while it fails.
  /// Recognised print is more reliable than the filter's place.
  private mutating func asPlane(_ view: FrameView, _ step: Step, _ work: inout SearchWork) -> Step? {
    guard plane.isTextured else { return nil }
    if isSharp(step.quad, view) {
      blurredFrames = 0
      guard retry.isDue() else { return nil }
    } else {
      // A long blur may be background that the filter mistook for the object.
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

  /// Makes the model undecided again.
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

  /// Chooses the model from the frames so far: an object that always looked flat is a plane.
  private mutating func choose() {
    guard Self.isFlat(evidence.suffix(Self.trial / 2)) else { return beSoft() }
    model = .planar
    wasSoft = false
  }

  /// Whether the object was last seen partly outside the frame. A missing plane does not make it soft then.
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
