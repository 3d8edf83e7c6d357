import Foundation
import Observation
import SerialScanClient

/// The live view: the camera with the tracked objects.
@MainActor @Observable public final class LiveModel {
  /// An object in the overlay, in fractions of the frame.
  public struct Shape: Sendable, Identifiable, Equatable {
    /// The object's id.
    public var id: Int
    /// Four corners, 0 to 1.
    public var corners: [Point]
    /// The serial read so far.
    public var serial: String?
    /// Whether the serial is accepted.
    public var isAccepted: Bool
  }

  /// A session for the overlay; `TrackingSession` in the app.
  public protocol Session: Sendable {
    /// Starts with the object at a point.
    func begin(frame: Data, at point: Point) async throws -> TrackedFrame
    /// Tracks the objects into a frame; nil if a newer frame replaced it.
    func track(frame: Data) async throws -> TrackedFrame?
    /// Ends the session.
    func end() async throws
  }

  /// The visible objects.
  public private(set) var shapes: [Shape] = []
  /// Whether an object is tracked.
  public private(set) var isTracking = false
  /// Number of tracked objects that are lost.
  public private(set) var lostCount = 0
  /// Why tracking does not work.
  public private(set) var problem: String?
  private let makeSession: @Sendable () -> any Session
  private var session: (any Session)?
  /// Counts the sessions: what an earlier one still answers, or fails with, is not shown.
  private var turn = 0

  /// Creates a model; `makeSession` is called for each tapped object.
  public init(makeSession: @escaping @Sendable () -> any Session) { self.makeSession = makeSession }

  /// Tracks the object at a point of the frame, in pixels.
  public func tap(frame: Data, at point: Point) async {
    let turn = await restart()
    // Another object may have been tapped meanwhile.
    guard turn == self.turn else { return }
    let session = makeSession()
    self.session = session
    await update(turn) { try await session.begin(frame: frame, at: point) }
    if turn == self.turn { isTracking = problem == nil }
  }

  /// Shows the objects' places in the camera's next frame. Call it for every frame: frames that arrive too fast are
  /// skipped.
  public func show(frame: Data) async {
    guard isTracking, let session else { return }
    await update(turn) { try await session.track(frame: frame) }
  }

  /// Stops tracking.
  public func reset() async { _ = await restart() }

  /// Ends the session, and returns the number of the next one.
  private func restart() async -> Int {
    turn += 1
    let next = turn
    let old = session
    (session, isTracking, shapes, lostCount, problem) = (nil, false, [], 0, nil)
    try? await old?.end()
    return next
  }

  /// Shows what the session with this number answers to `work`, unless another one has begun.
  private func update(_ turn: Int, _ work: () async throws -> TrackedFrame?) async {
    do {
      guard let frame = try await work(), frame.width > 0, frame.height > 0, turn == self.turn else { return }
      shapes = frame.objects.compactMap { Self.shape($0, frame) }
      lostCount = frame.objects.count - shapes.count
      problem = nil
    } catch { if turn == self.turn { problem = error.localizedDescription } }
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
  /// Starts with the object at a point.
  public func begin(frame: Data, at point: Point) async throws -> TrackedFrame {
    try await begin(frame: frame, boxes: [], points: [point])
  }
}
