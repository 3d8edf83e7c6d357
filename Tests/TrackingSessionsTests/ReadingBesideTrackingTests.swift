import Foundation
import ScanModel
import Support
import Testing
import TrackingSessions

/// A reader that returns the same serial for every frame, immediately or once released.
private final class FakeReader: LiveReader {
  struct State {
    var reads = 0
    /// The number of first reads that end immediately while later ones are held.
    var unheld = 0
    var held: [CheckedContinuation<Void, Never>]?
    var saved: [LiveSerial] = []
    var refusals = 0
  }

  let state = Locked(State())
  let accept = 0.97
  let refuse = 0.4

  func reserve() -> Bool { true }

  func read(_ order: SessionReads.Order) async throws -> Reading {
    let isHeld = state.withLock { state in
      state.reads += 1
      return state.held != nil && state.reads > state.unheld
    }
    if isHeld { await withCheckedContinuation { continuation in state.withLock { $0.held?.append(continuation) } } }
    return .saying("C02G414GMD6N", 0.99)
  }

  func save(_ serial: LiveSerial) async throws {
    try state.withLock { state in
      if state.refusals > 0 {
        state.refusals -= 1
        throw CancellationError()
      }
      state.saved.append(serial)
    }
  }
}

/// A tracker that finds every object, moved in each frame. It refuses empty frames.
private final class MovingTracker: FrameTracker {
  private let frames = Locked(0)
  var isReady: Bool { true }

  func begin(_ first: FirstFrame, picture: [UInt8]) async throws -> TrackedFrame { frame(first.objectCount) }
  func track(_ next: NextFrame, picture: [UInt8]) async throws -> TrackedFrame {
    guard !picture.isEmpty else { throw TrackingFailure(.damagedImage, "empty") }
    return frame(next.objectCount)
  }
  func end(session: UInt64) async {}
  func stop() async {}

  private func frame(_ count: Int) -> TrackedFrame {
    let x = frames.withLock { frames in
      frames += 10
      return Double(frames)
    }
    let object = FrameReport.Object(
      box: [x, 0, x + 300, 100], quad: [[x, 0], [x + 300, 0], [x + 300, 100], [x, 100]], confidence: 0.9,
      sharpness: 100)
    return TrackedFrame(
      FrameReport(width: 4000, height: 2000, side: 640, objects: .init(repeating: object, count: count)))
  }
}

@Suite struct ReadingBesideTrackingTests {
  private let reader = FakeReader()
  private static let owner = LiveSerial.Owner(sessionID: "a", keyID: "k")

  private func sessions(
    bytes: Int = 100_000, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) -> TrackingSessions {
    TrackingSessions(
      trackers: [MovingTracker()], reader: reader,
      limits: .init(sessions: 4, bytes: bytes, idle: 60, pictures: PictureLimits(maxPixels: 100_000_000)), now: now)
  }

  private func beginning(readsSerials: Bool = true, owner: LiveSerial.Owner? = nil) -> Beginning {
    Beginning(
      boxes: [[1, 1, 9, 9]], points: [], ids: [1], masks: false, readsSerials: readsSerials, owner: owner)
  }

  /// Sends frames until the first object's serial meets the condition; nil if it never does.
  private func film(
    _ sessions: TrackingSessions, _ name: String = "a", until condition: (VotedSerial?) -> Bool
  ) async throws -> VotedSerial? {
    for index in 0..<400 {
      let picture = [UInt8](repeating: UInt8(index % 256), count: 1 + index / 256)
      let serial = try #require(try await sessions.track(name, picture: picture, masks: false).serials)[0]
      if condition(serial) { return serial }
      try await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  @Test func readsNeverDelayResponses() async throws {
    let sessions = sessions()
    reader.state.withLock { $0.held = [] }
    _ = try await sessions.begin("a", beginning(), picture: [1])
    for index in 0..<50 {
      let frame = try await sessions.track("a", picture: [2, UInt8(index)], masks: false)
      #expect(frame.serials == [nil])
    }
    while reader.state.withLock({ $0.held?.isEmpty != false }) { await Task.yield() }
    #expect(reader.state.withLock { $0.reads } == 1)
    let held = reader.state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    held.forEach { $0.resume() }
    #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
  }

  @Test func serialIsUncertainAfterPauseUntilReadAgain() async throws {
    let time = Locked(ContinuousClock.now)
    let sessions = sessions(now: { time.withLock { $0 } })
    _ = try await sessions.begin("a", beginning(), picture: [1])
    #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
    time.withLock { $0 += .seconds(3) }
    let frame = try await sessions.track("a", picture: [0, 0, 0], masks: false)
    #expect(frame.serials?.first??.verdict == .uncertain)
    #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
  }

  @Test func damagedFramesDoNotShortenPause() async throws {
    let time = Locked(ContinuousClock.now)
    let sessions = sessions(now: { time.withLock { $0 } })
    _ = try await sessions.begin("a", beginning(), picture: [1])
    #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
    for _ in 0..<6 {
      time.withLock { $0 += .milliseconds(400) }
      await #expect(throws: TrackingFailure.self) { _ = try await sessions.track("a", picture: [], masks: false) }
    }
    let frame = try await sessions.track("a", picture: [0, 0, 0], masks: false)
    #expect(frame.serials?.first??.verdict == .uncertain)
  }

  @Test func reportsSerialsOnlyOnRequest() async throws {
    let sessions = sessions()
    #expect(try await sessions.begin("a", beginning(readsSerials: false), picture: [1]).serials == nil)
    #expect(try await sessions.track("a", picture: [2], masks: false).serials == nil)
    #expect(reader.state.withLock { $0.reads } == 0)
    #expect(try await sessions.begin("a", beginning(), picture: [1]).serials == [nil])
  }

  @Test func reportsNoSerialsWithoutReader() async throws {
    let sessions = TrackingSessions(
      trackers: [MovingTracker()],
      limits: .init(sessions: 4, bytes: 1_000, idle: 60, pictures: PictureLimits(maxPixels: 100_000_000)))
    #expect(try await sessions.begin("a", beginning(owner: Self.owner), picture: [1]).serials == nil)
    #expect(try await sessions.track("a", picture: [2], masks: false).serials == nil)
  }

  @Test func savesSerialOnceAcrossRestarts() async throws {
    let sessions = sessions()
    reader.state.withLock { $0.refusals = 2 }
    for _ in 0..<2 {
      _ = try await sessions.begin("a", beginning(owner: Self.owner), picture: [1])
      #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
      _ = try await film(sessions) { _ in reader.state.withLock { !$0.saved.isEmpty } }
    }
    let saved = reader.state.withLock { $0.saved }
    #expect(saved.map(\.owner) == [Self.owner])
    #expect(saved.first?.voted.verdict == .accepted)
  }

  @Test func savesSerialOnceForReplacedAndNewSession() async throws {
    let sessions = sessions()
    // One read is not enough to accept; the next one is held.
    reader.state.withLock { ($0.held, $0.unheld) = ([], 1) }
    _ = try await sessions.begin("a", beginning(owner: Self.owner), picture: [1])
    _ = try await film(sessions) { _ in reader.state.withLock { $0.held?.isEmpty == false } }
    #expect(reader.state.withLock { $0.saved }.isEmpty)
    _ = try await sessions.begin("a", beginning(owner: Self.owner), picture: [1])
    let held = reader.state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    held.forEach { $0.resume() }
    #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
    #expect(await sessions.finishSaving() == 0)
    #expect(reader.state.withLock { $0.saved.count } == 1)
  }

  @Test func savesSerialOnceForSessionBegunAgain() async throws {
    let sessions = sessions()
    for _ in 0..<2 {
      _ = try await sessions.begin("a", beginning(owner: Self.owner), picture: [1])
      #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
      #expect(await sessions.end("a"))
    }
    #expect(await sessions.finishSaving() == 0)
    #expect(reader.state.withLock { $0.saved.count } == 1)
  }

  @Test func retriesSavingAfterSessionEnds() async throws {
    let sessions = sessions()
    reader.state.withLock { $0.refusals = .max }
    for _ in 0..<2 {
      _ = try await sessions.begin("a", beginning(owner: Self.owner), picture: [1])
      #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
    }
    #expect(await sessions.end("a"))
    reader.state.withLock { $0.refusals = 1 }
    for _ in 0..<1_000 where reader.state.withLock({ $0.saved.isEmpty }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(await sessions.finishSaving() == 0)
    #expect(reader.state.withLock { $0.saved.map(\.owner) } == [Self.owner])
  }

  @Test func stopWaitsForUnsavedSerials() async throws {
    let sessions = sessions()
    reader.state.withLock { $0.refusals = 2 }
    _ = try await sessions.begin("a", beginning(owner: Self.owner), picture: [1])
    #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
    #expect(await sessions.finishSaving() == 0)
    #expect(reader.state.withLock { $0.saved.count } == 1)

    reader.state.withLock { $0.refusals = .max }
    _ = try await sessions.begin("b", beginning(owner: Self.owner), picture: [1])
    #expect(try await film(sessions, "b") { $0?.verdict == .accepted } != nil)
    let stop = Task { await sessions.finishSaving() }
    try await Task.sleep(for: .milliseconds(50))
    stop.cancel()
    #expect(await stop.value == 1)
  }

  @Test func savesNothingUnlessRequested() async throws {
    let sessions = sessions()
    _ = try await sessions.begin("a", beginning(), picture: [1])
    #expect(try await film(sessions) { $0?.verdict == .accepted } != nil)
    #expect(reader.state.withLock { $0.saved }.isEmpty)
  }

  @Test func waitingFramesCountTowardsByteLimit() async throws {
    let sessions = sessions(bytes: 10_000)
    reader.state.withLock { $0.held = [] }
    _ = try await sessions.begin("a", beginning(), picture: [UInt8](repeating: 0, count: 1_000))
    for index in 0..<40 {
      _ = try await sessions.track("a", picture: [UInt8](repeating: UInt8(index), count: 1_000), masks: false)
    }
    await #expect(throws: SessionProblem.self) {
      try await sessions.begin("b", beginning(), picture: [UInt8](repeating: 0, count: 9_000))
    }
    #expect(await sessions.end("a"))
    let held = reader.state.withLock { state in
      defer { state.held = nil }
      return state.held ?? []
    }
    held.forEach { $0.resume() }
    _ = try await sessions.begin("b", beginning(), picture: [UInt8](repeating: 0, count: 10_000))
  }
}
