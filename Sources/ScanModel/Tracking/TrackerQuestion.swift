/// A question to a tracker.
public enum TrackerQuestion: Codable, Sendable, Equatable {
  /// Starts a session with its first frame, whose file is the attachment. Restarts it if the number is in use.
  case begin(FirstFrame)
  /// Tracks a session's objects into its next frame, whose file is the attachment.
  case track(NextFrame)
  /// Ends a session.
  case end(session: UInt64)
}

/// A session's first frame.
public struct FirstFrame: Codable, Sendable, Equatable {
  /// The session's number in the tracker.
  public var session: UInt64
  /// Bounding boxes as x0, y0, x1, y1 in pixels of the upright frame.
  public var boxes: [[Double]]
  /// Points, as x and y, around which boxes are proposed. Their objects come after those of `boxes`.
  public var points: [[Double]]
  /// The objects' last boxes in pixels of a frame of the same size, as hints when a session restarts. Empty, or as many
  /// as there are boxes.
  public var lastBoxes: [[Double]?]
  /// How to process the frame.
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

  /// Number of objects that the session tracks.
  public var objectCount: Int { boxes.count + points.count }
}

/// A session's next frame.
public struct NextFrame: Codable, Sendable, Equatable {
  /// The session's number in the tracker.
  public var session: UInt64
  /// Number of objects that the session tracks.
  public var objectCount: Int
  /// How to process the frame.
  public var options: FrameOptions

  /// Creates a next frame.
  public init(session: UInt64, objectCount: Int, options: FrameOptions) {
    self.session = session
    self.objectCount = objectCount
    self.options = options
  }
}

/// How to process a frame.
public struct FrameOptions: Codable, Sendable, Equatable {
  /// Longer side in pixels at which the frame is tracked.
  public var side: Int
  /// Whether to return masks.
  public var masks: Bool
  /// The frame's limits.
  public var limits: PictureLimits
  /// Whether to report each object's sharpness.
  public var sharpness: Bool

  /// Creates options.
  public init(side: Int, masks: Bool, limits: PictureLimits, sharpness: Bool = false) {
    self.side = side
    self.masks = masks
    self.limits = limits
    self.sharpness = sharpness
  }
}
