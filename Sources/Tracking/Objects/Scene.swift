/// Up to five objects followed through the frames of one video.
///
/// A scene is a value: a copy goes on by itself. Every call takes one frame and costs some milliseconds; none waits.
public struct Scene {
  /// Where an object is.
  public struct Sighting: Sendable, Equatable {
    /// The smallest upright box around it inside the frame, in pixels of the frame as sent.
    public var box: Box
    /// Its corners, which may lie outside the frame: those of its first box, turned and zoomed with it.
    public var quad: Quadrilateral
    /// The chance that it is here, 0...1.
    public var confidence: Double
    /// Whether it is taken for a plane, so that `quad` tells how it is turned.
    public var isPlanar: Bool

    /// The box that an object begins with.
    public init(box: Box) {
      self.box = box
      quad = Quadrilateral(box: box)
      confidence = 1
      isPlanar = true
    }

    init(box: Box, quad: Quadrilateral, confidence: Double, isPlanar: Bool) {
      self.box = box
      self.quad = quad
      self.confidence = confidence
      self.isPlanar = isPlanar
    }
  }

  /// The most objects of a scene.
  public static let objectLimit = 5

  /// Places that share more than this are one.
  private static let onePlace = 0.6
  /// Objects that share more than this from the start may go on to.
  private static let onePlaceFromStart = 0.4

  private var objects: [ObjectTracker]
  /// The first boxes, which say who may lie on whom.
  private let first: [Box]
  private var frames = 0
  /// Whose search comes first in the next frame.
  private var turn = 0
  /// What the search of the frame before left, or took too much, which the next one pays for.
  private var carriedWork = 0
  /// The frame that was tracked last.
  public private(set) var latest: TrackingFrame
  private var view: FrameView?

  /// Begins with boxes in pixels of the first frame as sent. Boxes beyond the limit, or outside the frame, are the
  /// caller's to refuse.
  public init(_ frame: TrackingFrame, boxes: [Box]) {
    let view = FrameView(frame)
    first = boxes.prefix(Self.objectLimit).map { box in
      let (a, b) = (frame.pixel(ofPlace: SIMD2(box.x0, box.y0)), frame.pixel(ofPlace: SIMD2(box.x1, box.y1)))
      return Box(x0: a.x, y0: a.y, x1: b.x, y1: b.y)
    }
    objects = first.map { ObjectTracker(view, box: $0) }
    latest = frame
    self.view = view
  }

  /// Looks for every object in the next frame, in their order; nil for those out of sight.
  ///
  /// The frame may have another size than those before, and other proportions (a phone turned).
  public mutating func track(_ frame: TrackingFrame) -> [Sighting?] {
    let previous = follow(to: frame)
    frames += 1
    let view = FrameView(frame, sizes: frames % 2 == 1 ? .even : .odd)
    let before = objects
    var steps = objects.indices.map { objects[$0].follow(from: previous, to: view) }
    let followed = steps.map { $0 != nil }
    var work = SearchWork(frame, carried: carriedWork)
    let order = objects.indices.map { (turn + $0) % objects.count }
    var refused: Int?
    // What can't be followed first: whether something followed is elsewhere, or of another kind, can wait.
    for index in order where steps[index] == nil { search(index, in: view, &steps, &work, &refused) }
    for index in order where followed[index] && steps[index]?.isDoubtful == true {
      search(index, in: view, &steps, &work, &refused)
    }
    turn = refused ?? (turn + 1) % max(1, objects.count)
    carriedWork = work.carried
    separate(&steps, followed, before)
    latest = frame
    self.view = view
    return steps.map { $0.flatMap { sighting($0, in: frame) } }
  }

  private mutating func search(
    _ index: Int, in view: FrameView, _ steps: inout [ObjectTracker.Step?], _ work: inout SearchWork,
    _ refused: inout Int?
  ) {
    work.wasRefused = false
    steps[index] = objects[index].search(
      in: view, after: steps[index], work: &work, except: held(besides: index, steps))
    if work.wasRefused, refused == nil { refused = index }
  }

  /// Places of the others that an object can't have, as it lay on none of them from the start.
  private func held(besides index: Int, _ steps: [ObjectTracker.Step?]) -> ObjectTracker.Held {
    var held = ObjectTracker.Held()
    for other in objects.indices where other != index && first[other].overlap(with: first[index]) == 0 {
      guard let step = steps[other] else { continue }
      held.all.append(step.quad.bounds)
      if step.model != .soft { held.planes.append(step.quad.bounds) }
    }
    return held
  }

  /// Of two objects at one place, the better keeps it; the other is lost, has learned nothing there, and is searched elsewhere
  /// in the next frame. One that was followed there is better than one that was found there, then a plane, then the surer one.
  private mutating func separate(
    _ steps: inout [ObjectTracker.Step?], _ followed: [Bool], _ before: [ObjectTracker]
  ) {
    func rank(_ index: Int) -> (Int, Int, Double) {
      (followed[index] ? 1 : 0, steps[index]?.model == .soft ? 0 : 1, steps[index]?.confidence ?? 0)
    }
    for index in objects.indices {
      for other in objects.indices.prefix(index) {
        guard let mine = steps[index], let theirs = steps[other],
          mine.quad.bounds.overlap(with: theirs.quad.bounds) > Self.onePlace,
          first[index].overlap(with: first[other]) < Self.onePlaceFromStart
        else { continue }
        let loser = rank(index) > rank(other) ? other : index
        steps[loser] = nil
        objects[loser] = before[loser]
        objects[loser].lose()
      }
    }
  }

  /// Says where the objects were seen last, in pixels of the frame as sent: those that are told by their looks are
  /// searched there first. Planes are found anywhere.
  public mutating func expect(_ boxes: [Box?]) {
    for (index, box) in zip(objects.indices, boxes) {
      guard let box else { continue }
      let (a, b) = (latest.pixel(ofPlace: SIMD2(box.x0, box.y0)), latest.pixel(ofPlace: SIMD2(box.x1, box.y1)))
      objects[index].expect(Box(x0: a.x, y0: a.y, x1: b.x, y1: b.y), in: latest)
    }
  }

  /// The pixels of an object in the frame that was tracked last, at its size as sent.
  public func mask(of sighting: Sighting) -> Mask {
    sighting.isPlanar
      ? Mask(width: latest.fullWidth, height: latest.fullHeight, filling: sighting.quad)
      : ColorMask.mask(latest, box: sighting.box)
  }

  /// The frame before, brought to the size of the next one; nil where its proportions differ.
  private mutating func follow(to frame: TrackingFrame) -> FrameView? {
    if frame.width == latest.width, frame.height == latest.height { return view ?? FrameView(latest) }
    guard frame.hasProportions(of: latest) else {
      for index in objects.indices { objects[index].cut() }
      return nil
    }
    let factor = SIMD2(Double(frame.width) / Double(latest.width), Double(frame.height) / Double(latest.height))
    for index in objects.indices { objects[index].rescale(by: factor) }
    return FrameView(latest.scaled(width: frame.width, height: frame.height))
  }

  private func sighting(_ step: ObjectTracker.Step, in frame: TrackingFrame) -> Sighting? {
    let quad = Quadrilateral(corners: step.quad.corners.map(frame.place(ofPixel:)))
    guard let box = quad.bounds.clipped(width: Double(frame.fullWidth), height: Double(frame.fullHeight)),
      box.isFinite, box.width >= 1, box.height >= 1
    else { return nil }
    return Sighting(box: box, quad: quad, confidence: step.confidence, isPlanar: step.model != .soft)
  }
}
