/// What a frame showed.
public struct FrameReport: Codable, Sendable, Equatable {
  /// Where an object is, in pixels of the frame as sent.
  public struct Object: Codable, Sendable, Equatable {
    /// x0, y0, x1, y1.
    public var box: [Double]
    /// Four corners, x and y each.
    public var quad: [[Double]]
    /// How sure the place is, 0...1; higher is surer, and no measurement makes it a probability.
    public var confidence: Double
    /// Whether it is taken for a plane, so that the corners tell how it is turned.
    public var isPlanar: Bool
    /// How much fine detail the frame shows of it, 0 or more: higher is sharper, to be compared among frames of one object
    /// alone. 0 where that was not asked for.
    public var sharpness: Double

    /// Creates an object's place.
    public init(
      box: [Double], quad: [[Double]], confidence: Double, isPlanar: Bool = true, sharpness: Double = 0
    ) {
      self.box = box
      self.quad = quad
      self.confidence = confidence
      self.isPlanar = isPlanar
      self.sharpness = sharpness
    }
  }

  /// Pixels across the frame as sent, upright.
  public var width: Int
  /// Pixels down.
  public var height: Int
  /// The longer side at which it was tracked.
  public var side: Int
  /// The objects in their order; nil for those out of sight.
  public var objects: [Object?]

  /// Creates a report.
  public init(width: Int, height: Int, side: Int, objects: [Object?]) {
    self.width = width
    self.height = height
    self.side = side
    self.objects = objects
  }
}

/// A report with the masks of the objects in sight.
public struct TrackedFrame: Sendable, Equatable {
  /// The most bytes of a frame's masks together: five of 12 million pixels.
  public static let largestMasks = 64 << 20

  /// What the frame showed.
  public var report: FrameReport
  /// `width * height` bytes for each object in sight, one object after another, 1 where it is and 0 elsewhere; none
  /// where they were not asked for.
  public var masks: [UInt8]

  /// Creates a tracked frame.
  public init(_ report: FrameReport, masks: [UInt8] = []) {
    self.report = report
    self.masks = masks
  }
}
