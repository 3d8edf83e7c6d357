/// What follows objects from frame to frame on behalf of the sessions that are pinned to it, one frame at a time.
public protocol FrameTracker: Sendable {
  /// Begins a session with its first frame; one with the same number begins anew.
  ///
  /// - Parameter picture: The frame's file.
  /// - Returns: The objects' boxes as they will be followed.
  /// - Throws: `TrackingFailure`.
  func begin(_ first: FirstFrame, picture: [UInt8]) async throws -> TrackedFrame

  /// Looks for a session's objects in its next frame.
  ///
  /// - Throws: `TrackingFailure`; `.unknownSession` where the tracker was started anew since the last frame.
  func track(_ next: NextFrame, picture: [UInt8]) async throws -> TrackedFrame

  /// Forgets a session.
  func end(session: UInt64) async

  /// Whether frames can be tracked now, as far as is known without asking.
  var isReady: Bool { get }

  /// Whether it answers within a second or two.
  func answers() async -> Bool

  /// Ends the tracker, and what waits for it. Returns when it is gone.
  func stop() async
}

extension FrameTracker {
  /// Takes its word for it.
  public func answers() async -> Bool { isReady }
}
