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

  private var objects: [ObjectTracker]
  /// The frame that was tracked last.
  public private(set) var latest: TrackingFrame
  private var view: FrameView?

  /// Begins with boxes in pixels of the first frame as sent. Boxes beyond the limit, or outside the frame, are the
  /// caller's to refuse.
  public init(_ frame: TrackingFrame, boxes: [Box]) {
    let view = FrameView(frame)
    objects = boxes.prefix(Self.objectLimit).map { box in
      let (a, b) = (frame.pixel(ofPlace: SIMD2(box.x0, box.y0)), frame.pixel(ofPlace: SIMD2(box.x1, box.y1)))
      return ObjectTracker(view, box: Box(x0: a.x, y0: a.y, x1: b.x, y1: b.y))
    }
    latest = frame
    self.view = view
  }

  /// Looks for every object in the next frame, in their order; nil for those out of sight.
  ///
  /// The frame may have another size than those before, and other proportions (a phone turned).
  public mutating func track(_ frame: TrackingFrame) -> [Sighting?] {
    let previous = follow(to: frame)
    let view = FrameView(frame)
    let sightings = objects.indices.map { index in
      objects[index].track(from: previous, to: view).flatMap { sighting($0, in: frame) }
    }
    latest = frame
    self.view = view
    return sightings
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
