/// Tracks objects from frame to frame, one frame at a time, for the sessions assigned to it.
public protocol FrameTracker: Sendable {
  /// Starts a session with its first frame, or restarts it if the number is in use.
  ///
  /// - Parameter picture: The frame's file.
  /// - Returns: The objects' boxes as they will be tracked.
  /// - Throws: `TrackingFailure`.
  func begin(_ first: FirstFrame, picture: [UInt8]) async throws -> TrackedFrame

  /// Tracks a session's objects into its next frame.
  ///
  /// - Throws: `TrackingFailure`; `.unknownSession` if the tracker was restarted since the last frame.
  func track(_ next: NextFrame, picture: [UInt8]) async throws -> TrackedFrame

  /// Ends a session.
  func end(session: UInt64) async

  /// Whether frames can be tracked now, as far as known without asking the tracker.
  var isReady: Bool { get }

  /// Whether the tracker answers within a second or two.
  func answers() async -> Bool

  /// Stops the tracker and its pending calls. Returns when it is gone.
  func stop() async
}

extension FrameTracker {
  /// Returns `isReady`.
  public func answers() async -> Bool { isReady }
}
