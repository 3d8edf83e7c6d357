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
  }

  /// The state of one object.
  private struct Object: Sendable {
    var choice = FrameChoice()
    var vote: SerialVote
    /// Number of reads ordered, and of those since frames were last read together.
    var orders = 0
    var ordersSinceTogether = 0
    /// The score of the best frame read.
    var best = 0.0
    var scale = ViewScale()

    var isSettled: Bool { vote.leader?.verdict == .accepted }
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
    objects = .init(repeating: Object(vote: SerialVote(accept: accept, refuse: refuse)), count: max(0, objectCount))
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
  ///   - picture: The frame's file.
  ///   - index: The frame's number in the session.
  public mutating func note(_ report: FrameReport, picture: [UInt8], index: Int) {
    for (place, seen) in zip(objects.indices, report.objects) where !objects[place].isSettled {
      if let seen { objects[place].choice.note(seen, picture: picture, index: index) }
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
    guard let reading, objects.indices.contains(order.object) else { return }
    objects[order.object].vote.add(reading, frames: order.frames)
    if objects[order.object].isSettled { objects[order.object].choice = FrameChoice() }
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
    return Order(place, [view], scale: object.scale.next(shorterSide: view.sides.short))
  }

  private mutating func together(_ place: Int) -> Order? {
    guard objects[place].ordersSinceTogether >= Self.singlesBeforeTogether, let views = objects[place].choice.together
    else { return nil }
    objects[place].ordersSinceTogether = 0
    return Order(place, views, scale: objects[place].scale.found)
  }
}

extension SessionReads.Order {
  fileprivate init(_ object: Int, _ views: [FrameChoice.View], scale: Double) {
    let views = views.prefix(ObjectView.most)
    self.init(
      object: object, pictures: views.map(\.picture),
      views: views.map { ObjectView(byteCount: $0.picture.count, corners: Quadrilateral($0.corners)) },
      scale: scale, frames: views.map(\.index))
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
