import ScanModel

/// The pending and finished reads of a session's objects. A value type; its owner does the reading.
public struct SessionReads: Sendable {
  /// Frames of one object to read.
  public struct Order: Sendable {
    /// Index of the object.
    public var object: Int
    /// The frames' files, best first.
    public var pictures: [[UInt8]]
    /// The object's place in each of them.
    public var views: [ObjectView]
    /// Factor by which a frame is scaled for reading, along a side.
    public var scale: Double
    /// The frames' numbers.
    public fileprivate(set) var frames: [Int]
    /// The number of the object's sighting that they show.
    fileprivate var sighting: Int
  }

  /// The state of one object.
  fileprivate struct Object: Sendable {
    var choice = FrameChoice()
    var vote: SightingVote
    /// The box in the latest frame; nil if it was out of sight.
    var box: [Double]?
    /// Number of reads ordered, and of those since frames were last read together.
    var orders = 0
    var ordersSinceTogether = 0
    /// The score of the best frame read.
    var best = 0.0
    var scale = ViewScale()
    /// The check of its serial; nil if no other device can have taken its place.
    var check: Check?

    var isAccepted: Bool { vote.leader?.verdict == .accepted }
    var isSettled: Bool { isAccepted && check == nil }
  }

  /// After a pause between frames: whether the object still has the serial that was accepted before.
  fileprivate struct Check: Sendable {
    /// The first frame after each of the pauses since the last check that found it: of the first and the last of them.
    var first: Int
    var last: Int
    /// Number of reads since then that found no serial.
    var misses = 0
  }

  /// Number of single reads without an accepted serial after which frames are read together.
  private static let singlesBeforeTogether = 3
  /// Number of reads of one object after which a frame must be better than all before by `betterBy` to be read: most
  /// objects have no serial.
  private static let mostReads = 24
  private static let betterBy = 1.2

  private var objects: [Object]

  /// Creates the state of objects that have not been read.
  ///
  /// - Parameters:
  ///   - objectCount: Number of objects.
  ///   - accept: Confidence from which a serial is accepted, 0...1.
  ///   - refuse: Confidence below which a serial is not shown, 0...1.
  public init(objectCount: Int, accept: Double, refuse: Double) {
    objects = .init(repeating: Object(vote: SightingVote(accept: accept, refuse: refuse)), count: max(0, objectCount))
  }

  /// Each object's serial from the frames so far, in order; nil for one without a serial.
  public var serials: [VotedSerial?] { objects.map(\.vote.leader) }

  /// Bytes of the kept frames; a frame kept for several objects counts once.
  public var byteCount: Int {
    var sizes: [Int: Int] = [:]
    for object in objects { for view in object.choice.views { sizes[view.index] = view.picture.count } }
    return sizes.values.reduce(0, +)
  }

  /// Records a frame.
  ///
  /// - Parameters:
  ///   - report: The report on the frame.
  ///   - picture: The frame's file; nil if it must not be kept.
  ///   - index: The frame's number in the session.
  ///   - pause: Time since the frame before it; nil if the tracker lost its objects in between.
  public mutating func note(_ report: FrameReport, picture: [UInt8]?, index: Int, pause: Duration? = .zero) {
    for (place, seen) in zip(objects.indices, report.objects) {
      objects[place].follow(to: seen?.box, pause: pause, index: index)
      guard let seen, let picture, !objects[place].isSettled else { continue }
      objects[place].choice.note(seen, picture: picture, index: index)
    }
  }

  /// Whether there is something to read.
  public var hasNext: Bool {
    var copy = self
    return copy.next() != nil
  }

  /// The next order, for the object with the fewest reads; nil if there is nothing to read. Marks it as read.
  public mutating func next() -> Order? {
    let waiting = objects.indices.filter { !objects[$0].isSettled }.sorted { objects[$0].orders < objects[$1].orders }
    for place in waiting {
      if let order = together(place) ?? single(place) { return order }
    }
    return nil
  }

  /// Adds the result of a read; nil if it failed.
  public mutating func record(_ reading: Reading?, for order: Order) {
    guard let reading, objects.indices.contains(order.object),
      objects[order.object].add(reading, for: order)
    else { return }
    if objects[order.object].isSettled { objects[order.object].choice.forgetViews() }
    // Frames are read together at the scale already found.
    guard order.frames.count == 1 else { return }
    objects[order.object].scale.note(order.scale, saysSomething: reading.topSerial != nil)
  }

  private mutating func single(_ place: Int) -> Order? {
    let object = objects[place]
    guard let view = object.choice.next,
      object.orders < Self.mostReads || view.score > object.best * Self.betterBy
    else { return nil }
    objects[place].choice.begin(view)
    objects[place].orders += 1
    objects[place].ordersSinceTogether += 1
    objects[place].best = max(object.best, view.score)
    return Order(
      place, [view], scale: object.scale.next(shorterSide: view.sides.short), sighting: object.vote.sighting)
  }

  private mutating func together(_ place: Int) -> Order? {
    guard objects[place].ordersSinceTogether >= Self.singlesBeforeTogether, let views = objects[place].choice.together
    else { return nil }
    objects[place].ordersSinceTogether = 0
    return Order(place, views, scale: objects[place].scale.found, sighting: objects[place].vote.sighting)
  }
}

extension SessionReads.Object {
  /// The pause between two frames in which another device may have taken an object's place: a client that films sends
  /// the next frame sooner.
  private static let shortestExchange = Duration.milliseconds(500)
  /// The pause from which the place says nothing about which device it is.
  private static let longestPause = Duration.seconds(2)
  /// Minimum common area of the boxes before and after a pause, as a share of the area that they cover together, for
  /// what is seen to be the same device.
  private static let leastShared = 0.3
  /// Number of reads without a serial after which an accepted serial is no longer taken for that of the object.
  private static let mostMisses = 3

  /// Records where the object is in the frame with this number. A tracker can find a device that looks alike in place
  /// of one that it lost or did not see, so what is seen after a gap, or elsewhere, is another sighting and is read
  /// again.
  fileprivate mutating func follow(to next: [Double]?, pause: Duration?, index: Int) {
    defer { box = next }
    guard let next else { return }
    guard let box, let pause, pause < Self.longestPause, box.overlaps(next) else { return beginSighting() }
    guard pause >= Self.shortestExchange else { return }
    guard box.shared(with: next) >= Self.leastShared else { return beginSighting() }
    if isAccepted {
      // Only frames from now on show whether it is still the same one.
      choice.forgetViews()
      (orders, best) = (0, 0)
    }
    check = SessionReads.Check(first: check?.first ?? index, last: index, misses: check?.misses ?? 0)
  }

  /// Adds a read to the vote; returns false for one that says nothing about what is in sight now.
  fileprivate mutating func add(_ reading: Reading, for order: SessionReads.Order) -> Bool {
    guard order.sighting == vote.sighting else { return false }
    guard let check, isAccepted, let known = vote.leader?.serial, order.frames.allSatisfy({ $0 >= check.first }) else {
      return vote.add(reading, frames: order.frames, sighting: order.sighting)
    }
    let found = reading.topSerial?.serial
    if found == known {
      // An accepted serial needs no more reads than this.
      let isLatest = order.frames.allSatisfy { $0 >= check.last }
      self.check = isLatest ? nil : SessionReads.Check(first: check.last, last: check.last)
      return true
    }
    if found == nil, check.misses + 1 < Self.mostMisses {
      self.check?.misses += 1
      return false
    }
    beginSighting()
    return vote.add(reading, frames: order.frames, sighting: vote.sighting)
  }

  private mutating func beginSighting() {
    check = nil
    choice.forgetViews()
    ordersSinceTogether = 0
    // An object without an accepted serial has only its remaining reads, however often it comes back.
    if vote.beginSighting() { (orders, best) = (0, 0) }
  }
}

extension [Double] {
  /// Whether two boxes, as x0, y0, x1, y1, share a place.
  fileprivate func overlaps(_ other: [Double]) -> Bool {
    guard count == 4, other.count == 4 else { return false }
    return self[0] <= other[2] && other[0] <= self[2] && self[1] <= other[3] && other[1] <= self[3]
  }

  /// The area that two boxes share, as a share of the area that they cover together.
  fileprivate func shared(with other: [Double]) -> Double {
    guard count == 4, other.count == 4 else { return 0 }
    let common =
      Swift.max(0, Swift.min(self[2], other[2]) - Swift.max(self[0], other[0]))
      * Swift.max(0, Swift.min(self[3], other[3]) - Swift.max(self[1], other[1]))
    return common / Swift.max(1e-9, area + other.area - common)
  }

  private var area: Double { (self[2] - self[0]) * (self[3] - self[1]) }
}

extension SessionReads.Order {
  fileprivate init(_ object: Int, _ views: [FrameChoice.View], scale: Double, sighting: Int) {
    let views = views.prefix(ObjectView.most)
    self.init(
      object: object, pictures: views.map(\.picture),
      views: views.map { ObjectView(byteCount: $0.picture.count, corners: Quadrilateral($0.corners)) },
      scale: scale, frames: views.map(\.index), sighting: sighting)
  }
}

extension Quadrilateral {
  /// Four corners in order.
  fileprivate init(_ corners: [SIMD2<Double>]) {
    let points = (corners + [SIMD2<Double>](repeating: SIMD2(), count: 4)).prefix(4).map {
      PixelPoint(x: $0.x, y: $0.y)
    }
    self.init(points[0], points[1], points[2], points[3])
  }
}
