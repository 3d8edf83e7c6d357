import ScanModel

/// The server's live tracking sessions, by the names that clients give them, each pinned to a tracker.
///
/// Nothing queues here: a session handles one frame at a time and rejects others meanwhile, so that a client always
/// tracks its latest frame. A session is kept only in memory: its first frame and boxes, to restart it if its tracker
/// dies, and frames to read. When it ends, only unsaved serials remain, and for `Limits.idle` the list of those that
/// were saved.
public actor TrackingSessions {
  /// Limits on sessions.
  public struct Limits: Sendable {
    /// Maximum number of concurrent sessions.
    public var sessions: Int
    /// Maximum bytes of frames kept at a time: first frames and those to be read.
    public var bytes: Int
    /// Seconds without a call after which a session ends.
    public var idle: Double
    /// The limits of a frame.
    public var pictures: PictureLimits

    /// Creates limits.
    public init(sessions: Int, bytes: Int, idle: Double, pictures: PictureLimits) {
      self.sessions = sessions
      self.bytes = bytes
      self.idle = idle
      self.pictures = pictures
    }
  }

  /// Maximum number of objects in a session.
  public static let objectLimit = 5

  private let trackers: [any FrameTracker]
  let reader: (any LiveReader)?
  let limits: Limits
  private let now: @Sendable () -> ContinuousClock.Instant
  private var sessions: [String: Session] = [:]
  private var lastNumber: UInt64 = 0
  var bytes = 0
  private var size = WorkingSize()
  /// The serials saved under each name, also after its session has ended.
  var saved: [String: SavedSerials] = [:]
  /// Accepted serials that are not saved yet; the first one is being saved.
  var unsaved: [LiveSerial] = []
  /// The task that saves them; nil if none is waiting.
  var saving: Task<Void, Never>?
  /// The pause between two attempts to save.
  var pause: Task<Void, Never>?
  /// Whether the server is stopping and waits for unsaved serials (`isFinishing`), and whether it stopped waiting
  /// (`hasGivenUp`).
  var isFinishing = false
  var hasGivenUp = false

  /// Creates a server's sessions.
  ///
  /// - Parameters:
  ///   - trackers: The trackers; a new session goes to the one with the fewest sessions.
  ///   - reader: The reader of serials; nil to read none.
  ///   - limits: Limits on sessions.
  ///   - now: The clock that determines idle sessions; for tests.
  public init(
    trackers: [any FrameTracker], reader: (any LiveReader)? = nil, limits: Limits,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.trackers = trackers
    self.reader = reader
    self.limits = limits
    self.now = now
  }

  /// Sessions of a server without trackers; beginning one always fails.
  public static let none = TrackingSessions(
    trackers: [], limits: Limits(sessions: 0, bytes: 0, idle: 0, pictures: PictureLimits(maxPixels: 0)))

  /// Whether a tracker responds now; all are asked concurrently.
  public nonisolated func answers() async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      for tracker in trackers { group.addTask { await tracker.answers() } }
      return await group.contains(true)
    }
  }

  /// Number of sessions.
  public var count: Int { sessions.count }

  /// Begins a session. Once it has begun, it replaces an existing session with this name; if it fails, that one
  /// continues.
  ///
  /// - Parameters:
  ///   - name: The session's name.
  ///   - beginning: The objects to track.
  ///   - picture: The first frame's file.
  ///   - client: The client, which may have at most half of the sessions; nil if clients are not limited.
  /// - Throws: `SessionProblem` or `TrackingFailure`.
  public func begin(_ name: String, _ beginning: Beginning, picture: [UInt8], client: String? = nil) async throws
    -> SessionFrame
  {
    endIdle()
    guard !trackers.isEmpty else { throw TrackingFailure(.trackerUnavailable, "the server has no trackers") }
    let count = beginning.boxes.count + beginning.points.count
    guard count <= Self.objectLimit else { throw SessionProblem.tooManyObjects(limit: Self.objectLimit) }
    let old = sessions[name]
    if let old, old.isBusy { throw SessionProblem.busy(lastSeconds: old.lastSeconds) }
    // The old session leaves its place to the new one.
    guard sessions.count - (old == nil ? 0 : 1) < limits.sessions,
      picture.count <= limits.bytes - bytes + (old?.bytes ?? 0)
    else { throw SessionProblem.full(retryAfter: secondsUntilFree()) }
    if old == nil { try checkShare(of: client) }
    lastNumber += 1
    let session = Session(
      number: lastNumber, trackerIndex: leastUsedTracker(), client: client, ids: beginning.ids, firstPicture: picture,
      lastUse: now())
    begin(session, beginning, name: name)
    // Until the tracker has answered, the old session holds the place, and tracks no frame.
    if old == nil { sessions[name] = session }
    old?.isBusy = true
    bytes += session.bytes
    let begun = beginFrame(session)
    defer {
      old?.isBusy = false
      endFrame(session, begun: begun)
    }
    do {
      let first = FirstFrame(
        session: session.number, boxes: beginning.boxes, points: beginning.points,
        options: options(session, masks: beginning.masks))
      let tracked = try await trackers[session.trackerIndex].begin(first, picture: picture)
      if let old, sessions[name] === old {
        forget(name, old)
        sessions[name] = session
      } else if sessions[name] !== session {
        // The client has ended the session meanwhile.
        end(session)
      }
      session.first = tracked.report
      session.note(tracked.report, at: begun)
      read(tracked.report, picture, of: session)
      return SessionFrame(tracked: tracked, ids: session.ids, index: 0, serials: session.reads?.serials)
    } catch {
      forget(name, session)
      end(session)
      throw error
    }
  }

  /// Tracks a session's objects in its next frame.
  ///
  /// - Throws: `SessionProblem` or `TrackingFailure`.
  public func track(_ name: String, picture: [UInt8], masks: Bool) async throws -> SessionFrame {
    endIdle()
    guard let session = sessions[name] else { throw SessionProblem.notFound }
    guard !session.isBusy else { throw SessionProblem.busy(lastSeconds: session.lastSeconds) }
    let begun = beginFrame(session)
    defer { endFrame(session, begun: begun) }
    let (tracked, hasBegunAgain) = try await tracked(session, picture, masks: masks)
    let pause = begun - session.lastTracked
    session.note(tracked.report, at: begun)
    session.index += 1
    read(tracked.report, picture, of: session, pause: hasBegunAgain ? nil : pause)
    return SessionFrame(
      tracked: tracked, ids: session.ids, index: session.index, hasBegunAgain: hasBegunAgain,
      serials: session.reads?.serials)
  }

  /// Ends a session; returns false if there is none of this name.
  @discardableResult
  public func end(_ name: String) -> Bool {
    guard let session = sessions[name] else { return false }
    forget(name, session)
    return true
  }

  /// Ends every session that has been idle for longer than `Limits.idle`. Called with every frame and periodically.
  public func endIdle() {
    let limit = now().advanced(by: .seconds(-limits.idle))
    for (name, session) in sessions where !session.isBusy && session.lastUse < limit { forget(name, session) }
    for (name, known) in saved where sessions[name] == nil && known.lastUse < limit { saved[name] = nil }
  }

  // MARK: A frame

  private func beginFrame(_ session: Session) -> ContinuousClock.Instant {
    session.isBusy = true
    return now()
  }

  private func endFrame(_ session: Session, begun: ContinuousClock.Instant) {
    session.isBusy = false
    session.lastUse = now()
    session.lastSeconds = (session.lastUse - begun) / .seconds(1)
    size.note(seconds: session.lastSeconds)
  }

  /// Tracks a frame. If the tracker has lost the session, restarts it from its first frame.
  private func tracked(
    _ session: Session, _ picture: [UInt8], masks: Bool
  ) async throws -> (TrackedFrame, hasBegunAgain: Bool) {
    let tracker = trackers[session.trackerIndex]
    let next = NextFrame(
      session: session.number, objectCount: session.ids.count, options: options(session, masks: masks))
    do {
      return (try await tracker.track(next, picture: picture), false)
    } catch let failure as TrackingFailure where failure.code == .unknownSession {
      _ = try await tracker.begin(session.beginning(options(session, masks: false)), picture: session.firstPicture)
      return (try await tracker.track(next, picture: picture), true)
    }
  }

  private func options(_ session: Session, masks: Bool) -> FrameOptions {
    FrameOptions(side: size.side, masks: masks, limits: limits.pictures, sharpness: session.reads != nil)
  }

  // MARK: Places

  private func leastUsedTracker() -> Int {
    var counts = trackers.map { _ in 0 }
    for session in sessions.values { counts[session.trackerIndex] += 1 }
    return counts.indices.min { counts[$0] < counts[$1] } ?? 0
  }

  /// Throws `SessionProblem.shareUsed` if a client has half of the sessions, so that no key or address can exclude all
  /// others.
  private func checkShare(of client: String?) throws(SessionProblem) {
    guard let client else { return }
    let share = max(1, limits.sessions / 2)
    guard sessions.values.count(where: { $0.client == client }) < share else { throw .shareUsed(limit: share) }
  }

  private func secondsUntilFree() -> Int {
    guard let oldest = sessions.values.map(\.lastUse).min() else { return 1 }
    let left = limits.idle - (now() - oldest) / .seconds(1)
    return Int(exactly: min(max(left.rounded(.up), 1), 600)) ?? 600
  }

  private func forget(_ name: String, _ session: Session) {
    guard sessions[name] === session else { return }
    sessions[name] = nil
    end(session)
  }

  /// Frees what a session occupies, once.
  private func end(_ session: Session) {
    guard !session.hasEnded else { return }
    bytes -= session.bytes
    session.keptBytes = 0
    session.hasEnded = true
    session.saved?.lastUse = now()
    let (tracker, number) = (trackers[session.trackerIndex], session.number)
    Task { await tracker.end(session: number) }
  }
}
