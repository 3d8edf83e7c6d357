import Imaging
import ScanModel
import Support

/// The scenes of a tracker: takes encoded frames and reports where the objects are.
public struct SceneKeeper {
  private var scenes: [UInt64: Scene] = [:]

  /// Creates a keeper without scenes.
  public init() {}

  /// Answers a tracker's question; returns nil for one that ends a session.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - picture: The frame's file.
  /// - Throws: `TrackingFailure` if the frame, a box or a point is invalid, or the session is unknown.
  public mutating func answer(
    _ question: TrackerQuestion, picture: [UInt8]
  ) throws(TrackingFailure) -> TrackedFrame? {
    switch question {
    case .begin(let first): return try begin(first, picture: picture)
    case .track(let next): return try track(next, picture: picture)
    case .end(let session):
      scenes[session] = nil
      return nil
    }
  }

  /// Begins a session. An existing session with this number is replaced.
  ///
  /// - Parameters:
  ///   - first: The session's number, the boxes and the points to track.
  ///   - picture: The frame's file.
  /// - Throws: `TrackingFailure` if the frame, a box or a point is invalid.
  public mutating func begin(_ first: FirstFrame, picture: [UInt8]) throws(TrackingFailure) -> TrackedFrame {
    scenes[first.session] = nil
    let frame = try Self.frame(picture, first.options, objectCount: first.objectCount)
    var boxes: [Box] = []
    for box in first.boxes { boxes.append(try Self.checked(box, frame)) }
    for point in first.points { boxes.append(Proposal.box(in: frame, around: try Self.checked(point: point, frame))) }
    var scene = Scene(frame, boxes: boxes)
    scene.expect(first.lastBoxes.map { last in last.flatMap { try? Self.checked($0, frame) } })
    scenes[first.session] = scene
    return Self.tracked(scene, boxes.map { Scene.Sighting(box: $0) }, first.options)
  }

  /// Tracks the next frame of a session.
  ///
  /// - Parameters:
  ///   - next: The session's number and the options.
  ///   - picture: The frame's file.
  /// - Throws: `TrackingFailure` if the frame is invalid or the session is unknown.
  public mutating func track(_ next: NextFrame, picture: [UInt8]) throws(TrackingFailure) -> TrackedFrame {
    guard scenes[next.session] != nil else {
      throw TrackingFailure(.unknownSession, "there is no such session")
    }
    // Decodes first, so that a bad frame leaves the scene unchanged.
    let frame = try Self.frame(picture, next.options, objectCount: next.objectCount)
    guard var scene = scenes.removeValue(forKey: next.session) else {
      throw TrackingFailure(.unknownSession, "there is no such session")
    }
    let sightings = scene.track(frame)
    let tracked = Self.tracked(scene, sightings, next.options)
    scenes[next.session] = scene
    return tracked
  }

  /// Decodes a frame's file at the size at which it is tracked.
  private static func frame(
    _ picture: [UInt8], _ options: FrameOptions, objectCount: Int
  ) throws(TrackingFailure) -> TrackingFrame {
    do throws(PictureError) {
      let encoded = try EncodedPicture(picture)
      let limit = options.masks ? TrackedFrame.largestMasks / max(1, objectCount) : options.limits.maxPixels
      let decoded = try encoded.colors(pixelLimit: min(limit, options.limits.maxPixels), atLeast: options.side)
      guard
        let frame = TrackingFrame(
          width: decoded.width, height: decoded.height, gray: decoded.grayValues(), colors: decoded.pixels,
          fullWidth: decoded.fullWidth, fullHeight: decoded.fullHeight)
      else { throw PictureError.damaged("it has no pixels, or a side of more than 32,768") }
      return frame.reduced(to: options.side)
    } catch {
      throw TrackingFailure(error)
    }
  }

  private static func checked(_ box: [Double], _ frame: TrackingFrame) throws(TrackingFailure) -> Box {
    let (width, height) = (Double(frame.fullWidth), Double(frame.fullHeight))
    guard box.count == 4, box.allSatisfy(\.isFinite), box[0] < box[2], box[1] < box[3],
      let inside = Box(x0: box[0], y0: box[1], x1: box[2], y1: box[3]).clipped(width: width, height: height)
    else {
      throw TrackingFailure(
        .invalidBox,
        "a box must be x0, y0, x1, y1 with x0 < x1 and y0 < y1, inside the frame of "
          + "\(frame.fullWidth) x \(frame.fullHeight) pixels")
    }
    return inside
  }

  private static func checked(point: [Double], _ frame: TrackingFrame) throws(TrackingFailure) -> SIMD2<Double> {
    guard point.count == 2, (0..<Double(frame.fullWidth)).contains(point[0]),
      (0..<Double(frame.fullHeight)).contains(point[1])
    else {
      throw TrackingFailure(
        .invalidBox,
        "a point must be x, y inside the frame of \(frame.fullWidth) x \(frame.fullHeight) pixels")
    }
    return SIMD2(point[0], point[1])
  }

  private static func tracked(_ scene: Scene, _ sightings: [Scene.Sighting?], _ options: FrameOptions) -> TrackedFrame {
    let frame = scene.latest
    let objects = sightings.map { sighting in
      sighting.map { seen in
        FrameReport.Object(
          box: [seen.box.x0, seen.box.y0, seen.box.x1, seen.box.y1].map { $0.rounded(toPlaces: usefulPlaces) },
          quad: seen.quad.corners.map { [$0.x.rounded(toPlaces: usefulPlaces), $0.y.rounded(toPlaces: usefulPlaces)] },
          confidence: seen.confidence.rounded(toPlaces: 3), isPlanar: seen.isPlanar,
          sharpness: options.sharpness ? frame.sharpness(inside: seen.box) : 0)
      }
    }
    let masks = options.masks ? sightings.compactMap { $0.map { scene.mask(of: $0).bytes } }.flatMap { $0 } : []
    return TrackedFrame(
      FrameReport(width: frame.fullWidth, height: frame.fullHeight, side: frame.longestSide, objects: objects),
      masks: masks)
  }

  /// The decimals of places in pixels that are useful.
  private static let usefulPlaces = 2
}

extension TrackingFailure {
  init(_ error: PictureError) {
    switch error {
    case .tooManyPixels(let width, let height, let limit):
      self.init(.tooManyPixels, "the frame has \(width) x \(height) pixels, more than \(limit)")
    case .damaged(let what): self.init(.damagedImage, "the frame is damaged: \(what)")
    case .notAPicture: self.init(.unsupportedImage, "the frame isn't a readable image")
    }
  }
}
