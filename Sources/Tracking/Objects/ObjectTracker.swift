/// Follows one object: as a plane and as something soft side by side, until the first frames have told which it is.
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

  private(set) var model = Model.undecided
  private var plane: PlanarTracker
  private var filter: SoftTracker?
  private var frames = 0
  private var softSteps = 0
  private var evidence: [PlanarTracker.Step] = []
  /// Where the plane was seen last while the model was open.
  private var latest: Quadrilateral?

  /// Begins with a box in the first frame's pixels.
  init(_ view: FrameView, box: Box) {
    plane = PlanarTracker(view, box: box)
    filter = SoftTracker(view.frame, box: box)
    if !plane.isTextured { model = .soft }
  }

  /// Goes on with the latest frame scaled to another size.
  mutating func rescale(by factor: SIMD2<Double>) {
    plane.rescale(by: factor)
    latest = latest.map { Homography(scale: factor, move: (factor - 1) / 2).map($0) }
    filter?.rescale(by: factor)
  }

  /// Forgets where the points were: nothing leads from the latest frame to the next.
  mutating func cut() { plane.cut() }

  /// Takes it that the object was seen last in this box.
  mutating func expect(_ box: Box, in frame: TrackingFrame) {
    filter?.follow(Quadrilateral(box: box), in: frame, learns: false)
  }

  /// Looks for the object in the next frame; nil where it is out of sight.
  mutating func track(from previous: FrameView?, to view: FrameView) -> Step? {
    switch model {
    case .planar: return plane.track(from: previous, to: view).map(planarStep)
    case .soft: return filter?.track(view.frame, gate: .plain).map(softStep)
    case .undecided: return tried(previous, view)
    }
  }

  private mutating func tried(_ previous: FrameView?, _ view: FrameView) -> Step? {
    if let step = plane.track(from: previous, to: view) {
      frames += 1
      latest = step.quad
      if Self.telling.contains(step.correlation), !step.wasDetected, !isLeaving(view) { evidence.append(step) }
      filter?.follow(step.quad, in: view.frame, learns: true)
      decide()
      return planarStep(step)
    }
    if frames >= Self.longFlat || frames >= Self.trial && isLeaving(view) {
      choose()
      if model == .planar { return nil }
    }
    guard let step = filter?.track(view.frame, gate: .strict) else { return nil }
    frames += 1
    softSteps += 1
    decide()
    return softStep(step)
  }

  private mutating func decide() {
    if softSteps >= Self.softFrames {
      model = .soft
    } else if evidence.count >= Self.trial || frames >= Self.longestTrial {
      choose()
    }
  }

  /// Chooses by what there is: what looked flat all the while is a plane.
  private mutating func choose() {
    let last = evidence.suffix(Self.trial / 2)
    let count = Double(max(1, last.count))
    let correlation = last.reduce(0) { $0 + $1.correlation } / count
    let betterHalf = last.reduce(0) { $0 + $1.ofBetterHalf } / count
    let isPlanar = last.isEmpty || correlation >= Self.planarCorrelation || betterHalf >= Self.planarBetterHalf
    model = isPlanar ? .planar : .soft
    if isPlanar { filter = nil }
  }

  /// Whether the object was seen last at the frame's edge, partly outside: that no plane is found any more does not make
  /// it soft then.
  private func isLeaving(_ view: FrameView) -> Bool {
    latest.map { !view.holds($0) } ?? false
  }

  private func planarStep(_ step: PlanarTracker.Step) -> Step {
    Step(
      quad: step.quad,
      confidence: Confidence.planar(correlation: step.correlation, support: step.support), model: model)
  }

  private func softStep(_ step: SoftTracker.Step) -> Step {
    Step(
      quad: Quadrilateral(box: step.box),
      confidence: Confidence.soft(sharpness: step.sharpness, likeness: step.likeness), model: model)
  }
}
