import ChildProcess
import Logging
import ScanModel

/// One tracker process: frames are decoded by C libraries and come from strangers, so they go to a child, confined like
/// a reader. Many sessions share one; it handles one frame after another.
///
/// A child that dies or hangs loses its sessions, fails the frame that it was given with `trackerLost`, and is started
/// again at once; what waits goes to the new one.
public final class TrackerProcess: FrameTracker {
  private let child: SupervisedChild<TrackerDialogue>
  private let deadline: Duration
  private let pulse = Pulse()

  /// Starts the tracker. Returns at once; it warms up meanwhile.
  ///
  /// - Parameters:
  ///   - configuration: How it is started, and what it may use.
  ///   - deadline: Wall time of one frame, after which the child is ended.
  /// - Throws: `POSIXError` where the server has no descriptors left.
  public init(configuration: ChildConfiguration, deadline: Duration, logger: Logger) throws {
    self.deadline = deadline
    child = try SupervisedChild(
      TrackerDialogue.self, setup: TrackerDialogue.Setup(), configuration: configuration, logger: logger)
  }

  /// Whether frames can be tracked now.
  public var isReady: Bool { [.ready, .working].contains(child.status.state) }

  /// Whether it answers; see `FrameTracker`. One that hangs is ended at the deadline of this question, as of any other.
  public func answers() async -> Bool {
    guard isReady else { return false }
    return await pulse.beats { [child, deadline] in
      // No session has this number: to end it changes nothing.
      (try? await child.ask(.end(session: .max), deadline: deadline)) != nil
    }
  }

  /// How the tracker is, at this moment.
  public var status: ChildStatus { child.status }

  /// Begins a session; see `FrameTracker`.
  public func begin(_ first: FirstFrame, picture: [UInt8]) async throws -> TrackedFrame {
    try await ask(.begin(first), picture)
  }

  /// Looks for a session's objects; see `FrameTracker`.
  public func track(_ next: NextFrame, picture: [UInt8]) async throws -> TrackedFrame {
    try await ask(.track(next), picture)
  }

  /// Forgets a session; see `FrameTracker`.
  public func end(session: UInt64) async {
    _ = try? await child.ask(.end(session: session), deadline: deadline)
  }

  /// Ends the tracker; see `FrameTracker`.
  public func stop() async { await child.stop() }

  private func ask(_ question: TrackerQuestion, _ picture: [UInt8]) async throws -> TrackedFrame {
    // A task of its own: to cancel a question ends the child, and the other sessions of it have not hung up.
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

/// One question at a time by which it shows whether a tracker answers.
private actor Pulse {
  /// Longer than the frames that may be before it take.
  private static let patience = Duration.seconds(2)

  private var isOpen = false

  /// Whether the question is answered in time; false while an earlier one is not.
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
  /// More memory between two frames than the scenes of many sessions take; a tracker beyond it is replaced, and its
  /// sessions begin again.
  private static let idleScenes: UInt64 = 1 << 30

  /// How trackers are started.
  ///
  /// - Parameters:
  ///   - arguments: Those that make the program a tracker.
  ///   - addressSpaceLimit: The most bytes of address space.
  ///   - niceness: Added to the server's.
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
