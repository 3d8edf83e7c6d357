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
  /// Pixels from the left edge.
  public var x: Double
  /// Pixels from the upper edge.
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
  /// One byte for each pixel, row by row: 1 on the object, otherwise 0.
  public let bytes: Data

  /// Whether a pixel belongs to the object; false outside the frame.
  public subscript(x: Int, y: Int) -> Bool {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return false }
    return bytes[bytes.startIndex + y * width + x] != 0
  }
}

/// An object's serial by vote over several frames.
public struct TrackedSerial: Sendable, Codable, Equatable {
  /// The serial.
  public var serial: String
  /// Confidence, 0 to 1.
  public var confidence: Double
  /// How reliable it is.
  public var verdict: Verdict
  /// Number of frames in which it was read.
  public var frames: Int

  /// Creates a serial, for previews and tests.
  public init(serial: String, confidence: Double, verdict: Verdict, frames: Int) {
    self.serial = serial
    self.confidence = confidence
    self.verdict = verdict
    self.frames = frames
  }
}

/// A tracked object in a frame. While it is lost, everything but its id is nil.
public struct TrackedObject: Sendable, Equatable, Identifiable {
  /// The id, the same for the whole session.
  public var id: Int
  /// Its bounding box.
  public var box: Box?
  /// Its four corners.
  public var corners: [Point]?
  /// Confidence in the position, 0 to 1.
  public var confidence: Double?
  /// Its pixels, if the session includes masks.
  public var mask: Mask?
  /// Its serial, if the session reads serials and some frames have shown one.
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

/// A tracked frame.
public struct TrackedFrame: Sendable, Equatable {
  /// The objects, in their order at the session's start.
  public var objects: [TrackedObject]
  /// The frame's width in pixels, upright.
  public var width: Int
  /// The frame's height in pixels, upright.
  public var height: Int
  /// Number of the frame in the session, starting at 1; 0 for the first frame.
  public var index: Int
  /// Whether the session was lost and restarted from its first frame.
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

/// The server's response to a frame.
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

  /// Converts the response. Throws ``ErrorCode/unreadableAnswer`` if its lists' lengths differ.
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
