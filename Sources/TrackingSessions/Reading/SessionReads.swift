import ScanModel

/// What is read, and was read, of a session's objects. A value: who reads is its owner's.
public struct SessionReads: Sendable {
  /// Frames to be read for one object.
  public struct Order: Sendable {
    /// The object's place among all.
    public var object: Int
    /// The frames' files, the best first.
    public var pictures: [[UInt8]]
    /// Where the object is in each of them.
    public var views: [ObjectView]
    /// Pixels in which a pixel of a frame is read, across and down.
    public var scale: Double
    /// The frames' numbers.
    public fileprivate(set) var frames: [Int]
  }

  /// One object's.
  private struct Object: Sendable {
    var choice = FrameChoice()
    var vote: SerialVote
    /// Reads that were ordered, and those since frames were read together.
    var orders = 0
    var ordersSinceTogether = 0
    /// The score of the best frame read.
    var best = 0.0
    var scale = ViewScale()

    var isSettled: Bool { vote.leader?.verdict == .accepted }
  }

  /// Reads of single frames after which, where they settled nothing, frames are read together.
  private static let singlesBeforeTogether = 3
  /// Reads of one object after which only frames are read that are better than any before by this factor: most things have
  /// no serial.
  private static let mostReads = 24
  private static let betterBy = 1.2

  private var objects: [Object]

  /// Begins with objects of which nothing was read.
  ///
  /// - Parameters:
  ///   - objectCount: How many there are.
  ///   - accept: Confidence from which a serial is taken, 0...1.
  ///   - refuse: Confidence below which a serial is not shown, 0...1.
  public init(objectCount: Int, accept: Double, refuse: Double) {
    objects = .init(repeating: Object(vote: SerialVote(accept: accept, refuse: refuse)), count: max(0, objectCount))
  }

  /// What the frames say of each object so far, in their order.
  public var serials: [VotedSerial?] { objects.map(\.vote.leader) }

  /// Bytes of the frames that are kept; one that is kept for several objects counts once.
  public var byteCount: Int {
    var sizes: [Int: Int] = [:]
    for object in objects { for view in object.choice.views { sizes[view.index] = view.picture.count } }
    return sizes.values.reduce(0, +)
  }

  /// Takes note of a frame.
  ///
  /// - Parameters:
  ///   - report: What it showed.
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

  /// What to read next, of the object that was read least; nil for nothing. It counts as read.
  public mutating func next() -> Order? {
    let waiting = objects.indices.filter { !objects[$0].isSettled }.sorted { objects[$0].orders < objects[$1].orders }
    for place in waiting {
      if let order = together(place) ?? single(place) { return order }
    }
    return nil
  }

  /// Takes in what was read; nil where it could not be.
  public mutating func take(_ reading: Reading?, for order: Order) {
    guard let reading, objects.indices.contains(order.object) else { return }
    objects[order.object].vote.add(reading, frames: order.frames)
    if objects[order.object].isSettled { objects[order.object].choice = FrameChoice() }
    // Frames that are read together are read in the size that is known.
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
