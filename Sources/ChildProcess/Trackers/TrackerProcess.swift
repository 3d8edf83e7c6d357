import Logging
import ScanModel

/// A tracker process. C libraries decode untrusted frames, so this runs in a child confined like a reader. Many
/// sessions share one; it processes one frame at a time.
///
/// A child that dies or hangs loses its sessions, and its current frame fails with `trackerLost`. It is restarted
/// immediately and then processes waiting frames.
public final class TrackerProcess: FrameTracker {
  private let child: SupervisedChild<TrackerDialogue>
  private let deadline: Duration
  private let pulse = Pulse()

  /// Starts the tracker. Returns immediately, while it warms up.
  ///
  /// - Parameters:
  ///   - configuration: How it is started, and its resource limits.
  ///   - deadline: Wall-clock time per frame after which the child is killed.
  /// - Throws: `POSIXError` if the server has no file descriptors left.
  public init(configuration: ChildConfiguration, deadline: Duration, logger: Logger) throws {
    self.deadline = deadline
    child = try SupervisedChild(
      TrackerDialogue.self, setup: TrackerDialogue.Setup(), configuration: configuration, logger: logger)
  }

  /// Whether frames can be tracked now.
  public var isReady: Bool { [.ready, .working].contains(child.status.state) }

  /// Whether it answers; see `FrameTracker`. If it hangs, it is killed at this question's deadline, as for any other.
  public func answers() async -> Bool {
    guard isReady else { return false }
    return await pulse.beats { [child, deadline] in
      // No session has this number, so ending it changes nothing.
      (try? await child.ask(.end(session: .max), deadline: deadline)) != nil
    }
  }

  /// The tracker's current status.
  public var status: ChildStatus { child.status }

  /// Starts a session; see `FrameTracker`.
  public func begin(_ first: FirstFrame, picture: [UInt8]) async throws -> TrackedFrame {
    try await ask(.begin(first), picture)
  }

  /// Tracks a session's objects; see `FrameTracker`.
  public func track(_ next: NextFrame, picture: [UInt8]) async throws -> TrackedFrame {
    try await ask(.track(next), picture)
  }

  /// Ends a session; see `FrameTracker`.
  public func end(session: UInt64) async {
    _ = try? await child.ask(.end(session: session), deadline: deadline)
  }

  /// Stops the tracker; see `FrameTracker`.
  public func stop() async { await child.stop() }

  private func ask(_ question: TrackerQuestion, _ picture: [UInt8]) async throws -> TrackedFrame {
    // An unstructured task, because cancelling a question kills the child, which other sessions still use.
    let task = Task { [child, deadline] in
      try await child.ask(question, attachment: picture, deadline: deadline)
    }
    do {
      let said = try await task.value
      switch said.answer {
      case .report(let report): return TrackedFrame(report, masks: said.attachment)
      case .failure(let failure): throw failure
      case .ended: throw TrackingFailure(.trackerLost, "the tracker ended the session")
      }
    } catch let failure as ChildFailure {
      throw TrackingFailure(failure, deadline: deadline)
    } catch is CancellationError {
      throw TrackingFailure(.trackerUnavailable, "the server is stopping")
    }
  }
}

/// Checks whether a tracker answers, with one question at a time.
private actor Pulse {
  /// Longer than the frames ahead of the question may take.
  private static let patience = Duration.seconds(2)

  private var isOpen = false

  /// Whether the question is answered in time; false while an earlier one is pending.
  func beats(_ ask: @escaping @Sendable () async -> Bool) async -> Bool {
    guard !isOpen else { return false }
    isOpen = true
    let (outcomes, said) = AsyncStream.makeStream(of: Bool.self)
    Task {
      let isAnswered = await ask()
      isOpen = false
      said.yield(isAnswered)
    }
    Task {
      try? await Task.sleep(for: Self.patience)
      said.yield(false)
    }
    for await outcome in outcomes { return outcome }
    return false
  }
}

extension ChildConfiguration {
  /// Resident bytes above which an idle tracker is replaced, more than the scenes of many sessions take. Its sessions
  /// then restart.
  private static let idleScenes: UInt64 = 1 << 30

  /// Returns the configuration of trackers.
  ///
  /// - Parameters:
  ///   - arguments: The arguments that make the executable run as a tracker.
  ///   - addressSpaceLimit: Maximum bytes of address space.
  ///   - niceness: Niceness relative to the server's.
  public static func tracker(
    arguments: [String], addressSpaceLimit: UInt64, niceness: Int32
  ) -> ChildConfiguration {
    var configuration = ChildConfiguration(
      name: "tracker", arguments: arguments, largestAttachment: TrackedFrame.largestMasks,
      addressSpaceLimit: addressSpaceLimit, answersPerProcess: .max)
    configuration.idleResidentLimit = idleScenes
    configuration.niceness = niceness
    return configuration
  }
}

extension TrackingFailure {
  fileprivate init(_ failure: ChildFailure, deadline: Duration) {
    switch failure {
    case .crashed(let reason): self.init(.trackerLost, "the tracker failed on this frame: \(reason)")
    case .timedOut: self.init(.trackerLost, "the tracker took longer than \(deadline) for this frame")
    case .outOfMemory: self.init(.trackerLost, "the tracker took more memory for this frame than is allowed")
    case .unavailable(let reason): self.init(.trackerUnavailable, "no tracker can be started: \(reason)")
    }
  }
}
