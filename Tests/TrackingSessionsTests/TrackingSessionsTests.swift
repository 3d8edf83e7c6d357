import Foundation
import ScanModel
import Support
import Testing
import TrackingSessions

/// A tracker that tests can hold or let die.
private final class FakeTracker: FrameTracker {
  struct State {
    var known: Set<UInt64> = []
    var begun = 0
    var ended = 0
    var isDead = false
    /// Whether it refuses the boxes of a first frame.
    var refusesBoxes = false
    var held: [CheckedContinuation<Void, Never>]?
  }

  let state = Locked(State())
  var isReady: Bool { true }

  func begin(_ first: FirstFrame, picture: [UInt8]) async throws -> TrackedFrame {
    await waitWhileHeld()
    guard !state.withLock({ $0.refusesBoxes }) else { throw TrackingFailure(.invalidBox, "outside") }
    state.withLock {
      $0.known.insert(first.session)
      $0.begun += 1
    }
    return report(first.options, count: first.objectCount)
  }

  func track(_ next: NextFrame, picture: [UInt8]) async throws -> TrackedFrame {
    await waitWhileHeld()
    let (isKnown, isDead) = state.withLock { state in
      defer { if state.isDead { state.known = [] } }
      return (state.known.contains(next.session), state.isDead)
    }
    if isDead {
      state.withLock { $0.isDead = false }
      throw TrackingFailure(.trackerLost, "died")
    }
    guard isKnown else { throw TrackingFailure(.unknownSession, "unknown") }
    return report(next.options, count: next.objectCount)
  }

  func end(session: UInt64) async {
    state.withLock {
      $0.known.remove(session)
      $0.ended += 1
    }
  }

  func stop() async {}

  private func waitWhileHeld() async {
    guard state.withLock({ $0.held != nil }) else { return }
    await withCheckedContinuation { continuation in state.withLock { $0.held?.append(continuation) } }
  }

  func release() {
    let held = state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    held.forEach { $0.resume() }
  }

  private func report(_ options: FrameOptions, count: Int) -> TrackedFrame {
    let object = FrameReport.Object(box: [1, 1, 9, 9], quad: [[1, 1], [9, 1], [9, 9], [1, 9]], confidence: 0.9)
    return TrackedFrame(
      FrameReport(width: 10, height: 10, side: options.side, objects: .init(repeating: object, count: count)))
  }
}

@Suite struct TrackingSessionsTests {
  private let tracker = FakeTracker()
  private let time = Locked(ContinuousClock.now)

  private func sessions(_ count: Int = 4, bytes: Int = 10_000) -> TrackingSessions {
    TrackingSessions(
      trackers: [tracker],
      limits: .init(sessions: count, bytes: bytes, idle: 60, pictures: PictureLimits(maxPixels: 1_000_000)),
      now: { [time] in time.withLock { $0 } })
  }

  private func beginning(_ count: Int = 1) -> Beginning {
    Beginning(
      boxes: .init(repeating: [1, 1, 9, 9], count: count), points: [], ids: Array(1...max(1, count)), masks: false)
  }

  @Test func numbersFramesFromOne() async throws {
    let sessions = sessions()
    #expect(try await sessions.begin("a", beginning(), picture: [1]).index == 0)
    #expect(try await sessions.track("a", picture: [2], masks: false).index == 1)
    #expect(try await sessions.track("a", picture: [3], masks: false).index == 2)
    _ = try await sessions.begin("a", beginning(), picture: [1])
    #expect(try await sessions.track("a", picture: [2], masks: false).index == 1)
    #expect(await sessions.count == 1)
  }

  @Test func rejectsFrameWhileAnotherIsTracked() async throws {
    let sessions = sessions()
    _ = try await sessions.begin("a", beginning(), picture: [1])
    tracker.state.withLock { $0.held = [] }
    let first = Task { try await sessions.track("a", picture: [2], masks: false) }
    while tracker.state.withLock({ $0.held?.isEmpty != false }) { await Task.yield() }
    await #expect(throws: SessionProblem.self) { try await sessions.track("a", picture: [3], masks: false) }
    await #expect(throws: SessionProblem.self) { try await sessions.begin("a", beginning(), picture: [3]) }
    tracker.release()
    #expect(try await first.value.index == 1)
    #expect(try await sessions.track("a", picture: [4], masks: false).index == 2)
  }

  @Test func failedStartLeavesTheRunningSession() async throws {
    let sessions = sessions(1, bytes: 10)
    _ = try await sessions.begin("a", beginning(), picture: [1, 1, 1, 1, 1, 1])
    #expect(try await sessions.track("a", picture: [2], masks: false).index == 1)
    tracker.state.withLock { $0.refusesBoxes = true }
    await #expect(throws: TrackingFailure.self) { try await sessions.begin("a", beginning(), picture: [3]) }
    await #expect(throws: SessionProblem.full(retryAfter: 60)) {
      try await sessions.begin("a", beginning(), picture: [UInt8](repeating: 3, count: 11))
    }
    #expect(try await sessions.track("a", picture: [4], masks: false).index == 2)
    // The failed start left no bytes behind: a frame as large as all of them replaces the session's.
    tracker.state.withLock { $0.refusesBoxes = false }
    _ = try await sessions.begin("a", beginning(), picture: [UInt8](repeating: 3, count: 10))
    #expect(try await sessions.track("a", picture: [5], masks: false).index == 1)
    #expect(await sessions.count == 1)
  }

  @Test func sessionEndedDuringItsRestartStaysEnded() async throws {
    let sessions = sessions(1, bytes: 10)
    _ = try await sessions.begin("a", beginning(), picture: [1])
    tracker.state.withLock { $0.held = [] }
    let restart = Task { try await sessions.begin("a", beginning(), picture: [2]) }
    while tracker.state.withLock({ $0.held?.isEmpty != false }) { await Task.yield() }
    await #expect(throws: SessionProblem.self) { try await sessions.track("a", picture: [3], masks: false) }
    #expect(await sessions.end("a"))
    tracker.release()
    _ = try await restart.value
    await #expect(throws: SessionProblem.notFound) { try await sessions.track("a", picture: [3], masks: false) }
    while tracker.state.withLock({ $0.ended }) < 2 { await Task.yield() }
    _ = try await sessions.begin("b", beginning(), picture: [UInt8](repeating: 3, count: 10))
  }

  @Test func endsIdleSession() async throws {
    let sessions = sessions(1)
    _ = try await sessions.begin("a", beginning(), picture: [1])
    await #expect(throws: SessionProblem.full(retryAfter: 60)) {
      try await sessions.begin("b", beginning(), picture: [1])
    }
    time.withLock { $0 = $0.advanced(by: .seconds(61)) }
    await #expect(throws: SessionProblem.notFound) { try await sessions.track("a", picture: [2], masks: false) }
    _ = try await sessions.begin("b", beginning(), picture: [1])
  }

  @Test func limitsEachClientToHalfOfTheSessions() async throws {
    let sessions = sessions(4)
    for name in ["a", "b"] { _ = try await sessions.begin(name, beginning(), picture: [1], client: "key 1") }
    await #expect(throws: SessionProblem.shareUsed(limit: 2)) {
      try await sessions.begin("c", beginning(), picture: [1], client: "key 1")
    }
    // Restarting a session takes no further place.
    _ = try await sessions.begin("a", beginning(), picture: [1], client: "key 1")
    for name in ["d", "e"] { _ = try await sessions.begin(name, beginning(), picture: [1], client: "key 2") }
    #expect(await sessions.count == 4)
    #expect(await sessions.end("a"))
    _ = try await sessions.begin("c", beginning(), picture: [1], client: "key 1")
  }

  @Test func abandonedSessionsStayWithinLimit() async throws {
    let sessions = sessions(64, bytes: 1_000)
    var refused = 0
    for index in 0..<10_000 {
      do {
        _ = try await sessions.begin("s\(index)", beginning(), picture: [UInt8](repeating: 0, count: 100))
      } catch is SessionProblem {
        refused += 1
      }
    }
    #expect(await sessions.count == 10)
    #expect(refused == 9_990)
    #expect(tracker.state.withLock { $0.begun } == 10)
    time.withLock { $0 = $0.advanced(by: .seconds(61)) }
    await sessions.endIdle()
    #expect(await sessions.count == 0)
  }

  @Test func restartsSessionAfterTrackerDies() async throws {
    let sessions = sessions()
    _ = try await sessions.begin("a", beginning(), picture: [1])
    tracker.state.withLock { $0.isDead = true }
    await #expect(throws: TrackingFailure.self) { try await sessions.track("a", picture: [2], masks: false) }
    let answer = try await sessions.track("a", picture: [3], masks: false)
    #expect(answer.hasBegunAgain)
    #expect(answer.index == 1)
    #expect(tracker.state.withLock { $0.begun } == 2)
    #expect(try await !sessions.track("a", picture: [4], masks: false).hasBegunAgain)
  }

  @Test func endedSessionIsNotFound() async throws {
    let sessions = sessions()
    _ = try await sessions.begin("a", beginning(), picture: [1])
    #expect(await sessions.end("a"))
    #expect(await !sessions.end("a"))
    await #expect(throws: SessionProblem.notFound) { try await sessions.track("a", picture: [2], masks: false) }
    while tracker.state.withLock({ $0.ended }) == 0 { await Task.yield() }
  }

  @Test func rejectsMoreThanFiveObjects() async throws {
    let sessions = sessions()
    await #expect(throws: SessionProblem.tooManyObjects(limit: 5)) {
      try await sessions.begin("a", beginning(6), picture: [1])
    }
    #expect(tracker.state.withLock { $0.begun } == 0)
    #expect(await sessions.count == 0)
  }
}
