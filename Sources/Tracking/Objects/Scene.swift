/// Tracks up to five objects through the frames of one video.
///
/// A scene is a value: a copy continues independently. Every call takes one frame and costs some milliseconds; none
/// blocks.
public struct Scene {
  /// An object's place in a frame.
  public struct Sighting: Sendable, Equatable {
    /// The smallest upright box around it inside the frame, in pixels of the frame as sent.
    public var box: Box
    /// Its corners, which may lie outside the frame: those of its first box, transformed with the object.
    public var quad: Quadrilateral
    /// Confidence in the place, 0...1. Ranks places; not a calibrated probability.
    public var confidence: Double
    /// Whether it is tracked as a plane, so that `quad` shows its orientation.
    public var isPlanar: Bool

    /// Creates the sighting of an object in its first frame.
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

  /// Maximum number of objects in a scene.
  public static let objectLimit = 5

  /// Overlap above which two places count as one.
  private static let onePlace = 0.6
  /// Initial overlap of two objects above which they may share a place later.
  private static let onePlaceFromStart = 0.4

  private var objects: [ObjectTracker]
  /// The first boxes, which determine which objects may overlap.
  private let first: [Box]
  private var frames = 0
  /// Index of the object searched first in the next frame.
  private var turn = 0
  /// Work that the previous frame's search left (positive) or overspent (negative), carried into the next.
  private var carriedWork = 0
  /// The frame that was tracked last.
  public private(set) var latest: TrackingFrame
  private var view: FrameView?

  /// Begins with boxes in pixels of the first frame as sent. Boxes beyond the limit are ignored; the caller must reject
  /// them and boxes outside the frame.
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

  /// Tracks every object into the next frame; returns places in the objects' order, nil for lost ones.
  ///
  /// The frame may differ in size and proportions from earlier ones (a turned phone).
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
    // Lost objects first: improving the place or model of a tracked object can wait.
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

  /// Places of the other objects that this one can't occupy, because it overlapped none of them at the start.
  private func held(besides index: Int, _ steps: [ObjectTracker.Step?]) -> ObjectTracker.Held {
    var held = ObjectTracker.Held()
    for other in objects.indices where other != index && first[other].overlap(with: first[index]) == 0 {
      guard let step = steps[other] else { continue }
      held.all.append(step.quad.bounds)
      if step.model != .soft { held.planes.append(step.quad.bounds) }
    }
    return held
  }

  /// Resolves two objects at one place. The better one keeps it. The other is restored to its state before the frame,
  /// marked lost and searched elsewhere in the next frame. A tracked object is better than one just found, then a plane
  /// is better, then the higher confidence.
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

  /// Sets where the objects were last seen, in pixels of the frame as sent. Objects found by their appearance are
  /// searched there first; planes are found anywhere.
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

  /// Scales the previous frame to the size of the next one; returns nil if the proportions differ.
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
