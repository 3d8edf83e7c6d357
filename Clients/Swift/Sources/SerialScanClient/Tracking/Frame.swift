import Foundation

/// A rectangle in pixels of a frame, x to the right, y down.
public struct Box: Sendable, Equatable {
  /// The left edge.
  public var x0: Double
  /// The upper edge.
  public var y0: Double
  /// The right edge.
  public var x1: Double
  /// The lower edge.
  public var y1: Double

  /// Creates a box.
  public init(x0: Double, y0: Double, x1: Double, y1: Double) {
    (self.x0, self.y0, self.x1, self.y1) = (x0, y0, x1, y1)
  }
}

/// A point in pixels of a frame, x to the right, y down.
public struct Point: Sendable, Equatable {
  /// Pixels from the left.
  public var x: Double
  /// Pixels from above.
  public var y: Double

  /// Creates a point.
  public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
}

/// The pixels of a frame that belong to an object.
public struct Mask: Sendable, Equatable {
  /// The frame's width in pixels.
  public let width: Int
  /// The frame's height in pixels.
  public let height: Int
  /// Row by row, a byte for each pixel: 1 on the object, else 0.
  public let bytes: Data

  /// Whether a pixel belongs to the object; false outside the frame.
  public subscript(x: Int, y: Int) -> Bool {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return false }
    return bytes[bytes.startIndex + y * width + x] != 0
  }
}

/// What several frames say an object's serial is.
public struct TrackedSerial: Sendable, Codable, Equatable {
  /// The serial.
  public var serial: String
  /// Its confidence, 0 to 1.
  public var confidence: Double
  /// How far it may be trusted.
  public var verdict: Verdict
  /// The number of frames that say so.
  public var frames: Int

  /// Creates a serial, for previews and tests.
  public init(serial: String, confidence: Double, verdict: Verdict, frames: Int) {
    self.serial = serial
    self.confidence = confidence
    self.verdict = verdict
    self.frames = frames
  }
}

/// An object in a frame. Everything but its id is nil while it is out of sight.
public struct TrackedObject: Sendable, Equatable, Identifiable {
  /// The same for the whole session.
  public var id: Int
  /// Where it is.
  public var box: Box?
  /// Its four corners.
  public var corners: [Point]?
  /// The confidence of the place, 0 to 1.
  public var confidence: Double?
  /// Its pixels, if the session asks for masks.
  public var mask: Mask?
  /// Its serial, if the session reads serials and frames have said something.
  public var serial: TrackedSerial?

  /// Creates an object, for previews and tests.
  public init(
    id: Int, box: Box? = nil, corners: [Point]? = nil, confidence: Double? = nil, mask: Mask? = nil,
    serial: TrackedSerial? = nil
  ) {
    self.id = id
    self.box = box
    self.corners = corners
    self.confidence = confidence
    self.mask = mask
    self.serial = serial
  }
}

/// A frame after tracking.
public struct TrackedFrame: Sendable, Equatable {
  /// The objects in the order in which the session began with them.
  public var objects: [TrackedObject]
  /// The frame's width in pixels, upright.
  public var width: Int
  /// The frame's height in pixels, upright.
  public var height: Int
  /// Counts the session's frames from 1; 0 for the first.
  public var index: Int
  /// Whether the session was lost and began again from its first frame.
  public var isRestarted: Bool

  /// Creates a frame, for previews and tests.
  public init(objects: [TrackedObject], width: Int, height: Int, index: Int, isRestarted: Bool) {
    self.objects = objects
    self.width = width
    self.height = height
    self.index = index
    self.isRestarted = isRestarted
  }
}

/// The server's answer to a frame.
struct FrameAnswer: Decodable, Sendable {
  var objectIds: [Int]
  var boundingBoxes: [[Double]?]
  var frameShape: [Int]
  var frameIndex: Int?
  var confidences: [Double?]?
  var quads: [[[Double]]?]?
  var restarted: Bool?
  var serials: [TrackedSerial?]?
  var masks: [Data?]?

  /// The frame. Throws ``ErrorCode/unreadableAnswer`` where lists don't fit one another.
  func frame(isRestarted: Bool) throws -> TrackedFrame {
    guard frameShape.count == 2, boundingBoxes.count == objectIds.count else {
      throw SerialScanError.unreadable(answer: "its lists have different lengths")
    }
    let (height, width) = (frameShape[0], frameShape[1])
    let objects = try objectIds.indices.map { index in
      TrackedObject(
        id: objectIds[index], box: try boundingBoxes[index].map(Self.box),
        corners: try Self.element(quads, index)?.map(Self.point), confidence: Self.element(confidences, index),
        mask: try Self.element(masks, index).map { bytes in
          guard bytes.count == width.multipliedReportingOverflow(by: height).partialValue else {
            throw SerialScanError.unreadable(answer: "a mask does not have the frame's size")
          }
          return Mask(width: width, height: height, bytes: bytes)
        }, serial: Self.element(serials, index))
    }
    return TrackedFrame(
      objects: objects, width: width, height: height, index: frameIndex ?? 0,
      isRestarted: isRestarted || restarted == true)
  }

  private static func element<Value>(_ list: [Value?]?, _ index: Int) -> Value? {
    guard let list, list.indices.contains(index) else { return nil }
    return list[index]
  }

  private static func box(_ numbers: [Double]) throws -> Box {
    guard numbers.count == 4 else { throw SerialScanError.unreadable(answer: "a box does not have 4 numbers") }
    return Box(x0: numbers[0], y0: numbers[1], x1: numbers[2], y1: numbers[3])
  }

  private static func point(_ numbers: [Double]) throws -> Point {
    guard numbers.count == 2 else { throw SerialScanError.unreadable(answer: "a point does not have 2 numbers") }
    return Point(x: numbers[0], y: numbers[1])
  }
}
