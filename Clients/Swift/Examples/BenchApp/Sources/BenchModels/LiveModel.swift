import Foundation
import Observation
import SerialScanClient

/// What the camera sees, with the objects that are followed.
@MainActor @Observable public final class LiveModel {
  /// An object in the overlay, in fractions of the frame.
  public struct Shape: Sendable, Identifiable, Equatable {
    /// The object's id.
    public var id: Int
    /// Four corners, 0 to 1.
    public var corners: [Point]
    /// The serial, as far as it is read.
    public var serial: String?
    /// Whether the serial is accepted.
    public var isAccepted: Bool
  }

  /// A session as the overlay needs it; `TrackingSession` in the app.
  public protocol Session: Sendable {
    /// Begins with the object at a point.
    func begin(frame: Data, at point: Point) async throws -> TrackedFrame
    /// Follows it; nil if a newer frame took this one's place.
    func track(frame: Data) async throws -> TrackedFrame?
    /// Ends the session.
    func end() async throws
  }

  /// The objects in sight.
  public private(set) var shapes: [Shape] = []
  /// Whether an object is followed.
  public private(set) var isTracking = false
  /// Objects that are followed, but out of sight.
  public private(set) var lostCount = 0
  /// Why tracking does not work.
  public private(set) var problem: String?
  private let makeSession: @Sendable () -> any Session
  private var session: (any Session)?

  /// Creates a model; a session is made for each object that is tapped.
  public init(makeSession: @escaping @Sendable () -> any Session) { self.makeSession = makeSession }

  /// Follows what is at a point of the frame, in pixels.
  public func tap(frame: Data, at point: Point) async {
    await reset()
    let session = makeSession()
    self.session = session
    await update(session) { try await session.begin(frame: frame, at: point) }
    isTracking = problem == nil
  }

  /// Shows where the objects are in the next frame of the camera. Call it for every frame: those that come too fast are skipped.
  public func show(frame: Data) async {
    guard isTracking, let session else { return }
    await update(session) { try await session.track(frame: frame) }
  }

  /// Stops following.
  public func reset() async {
    let old = session
    (session, isTracking, shapes, lostCount, problem) = (nil, false, [], 0, nil)
    try? await old?.end()
  }

  private func update(_ session: any Session, _ work: () async throws -> TrackedFrame?) async {
    do {
      guard let frame = try await work(), frame.width > 0, frame.height > 0, self.session != nil else { return }
      shapes = frame.objects.compactMap { Self.shape($0, frame) }
      lostCount = frame.objects.count - shapes.count
      problem = nil
    } catch { if self.session != nil { problem = error.localizedDescription } }
  }

  private static func shape(_ object: TrackedObject, _ frame: TrackedFrame) -> Shape? {
    guard let box = object.box else { return nil }
    let corners =
      object.corners ?? [
        Point(x: box.x0, y: box.y0), Point(x: box.x1, y: box.y0), Point(x: box.x1, y: box.y1),
        Point(x: box.x0, y: box.y1),
      ]
    return Shape(
      id: object.id, corners: corners.map { Point(x: $0.x / Double(frame.width), y: $0.y / Double(frame.height)) },
      serial: object.serial?.serial, isAccepted: object.serial?.verdict == .accepted)
  }
}

extension TrackingSession: LiveModel.Session {
  /// Begins with the object at a point.
  public func begin(frame: Data, at point: Point) async throws -> TrackedFrame {
    try await begin(frame: frame, boxes: [], points: [point])
  }
}
