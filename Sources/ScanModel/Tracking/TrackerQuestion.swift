/// What a tracker is asked.
public enum TrackerQuestion: Codable, Sendable, Equatable {
  /// To begin a session with its first frame, whose file goes beside the question; one with the same number begins anew.
  case begin(FirstFrame)
  /// To look for a session's objects in its next frame, whose file goes beside the question.
  case track(NextFrame)
  /// To forget a session.
  case end(session: UInt64)
}

/// A frame to begin a session with.
public struct FirstFrame: Codable, Sendable, Equatable {
  /// The session's number in the tracker.
  public var session: UInt64
  /// Boxes as x0, y0, x1, y1 in pixels of the frame, upright.
  public var boxes: [[Double]]
  /// Points, x and y, about each of which a box is proposed; they come behind the boxes.
  public var points: [[Double]]
  /// Boxes in which the objects were seen last, in pixels of a frame of the same size: where to look first when a session
  /// begins again. Empty, or as many as there are boxes.
  public var lastBoxes: [[Double]?]
  /// How the frame is looked at.
  public var options: FrameOptions

  /// Creates a first frame.
  public init(
    session: UInt64, boxes: [[Double]], points: [[Double]] = [], lastBoxes: [[Double]?] = [], options: FrameOptions
  ) {
    self.session = session
    self.boxes = boxes
    self.points = points
    self.lastBoxes = lastBoxes
    self.options = options
  }

  /// How many objects the session follows.
  public var objectCount: Int { boxes.count + points.count }
}

/// A frame to go on with.
public struct NextFrame: Codable, Sendable, Equatable {
  /// The session's number in the tracker.
  public var session: UInt64
  /// How many objects the session follows.
  public var objectCount: Int
  /// How the frame is looked at.
  public var options: FrameOptions

  /// Creates a next frame.
  public init(session: UInt64, objectCount: Int, options: FrameOptions) {
    self.session = session
    self.objectCount = objectCount
    self.options = options
  }
}

/// How a frame is looked at.
public struct FrameOptions: Codable, Sendable, Equatable {
  /// The longer side in pixels at which the frame is tracked.
  public var side: Int
  /// Whether masks are wanted.
  public var masks: Bool
  /// The most pixels of a frame, taken from its header before anything is decoded.
  public var pixelLimit: Int
  /// Whether it is to be told how sharp each object is.
  public var sharpness: Bool

  /// Creates options.
  public init(side: Int, masks: Bool, pixelLimit: Int, sharpness: Bool = false) {
    self.side = side
    self.masks = masks
    self.pixelLimit = pixelLimit
    self.sharpness = sharpness
  }
}
