/// The result of tracking one frame.
public struct FrameReport: Codable, Sendable, Equatable {
  /// An object's position, in pixels of the frame as sent.
  public struct Object: Codable, Sendable, Equatable {
    /// The bounding box: x0, y0, x1, y1.
    public var box: [Double]
    /// The four corners, each as x and y.
    public var quad: [[Double]]
    /// Confidence in the position, 0...1. Higher is more certain, but it is not calibrated as a probability.
    public var confidence: Double
    /// Whether the object is treated as planar, so that the corners show its orientation.
    public var isPlanar: Bool
    /// Amount of fine detail visible, 0 or more. Higher is sharper; comparable only among frames of one object. 0 if
    /// not requested.
    public var sharpness: Double

    /// Creates a position.
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

  /// Width of the upright frame as sent, in pixels.
  public var width: Int
  /// Height in pixels.
  public var height: Int
  /// Longer side in pixels at which the frame was tracked.
  public var side: Int
  /// The objects in their order; nil for lost ones.
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
  /// Maximum bytes of a frame's masks together: five masks of 12 million pixels.
  public static let largestMasks = 64 << 20

  /// The report.
  public var report: FrameReport
  /// `width * height` bytes for each object in sight, in order: 1 on the object and 0 elsewhere. Empty if not
  /// requested.
  public var masks: [UInt8]

  /// Creates a tracked frame.
  public init(_ report: FrameReport, masks: [UInt8] = []) {
    self.report = report
    self.masks = masks
  }
}
