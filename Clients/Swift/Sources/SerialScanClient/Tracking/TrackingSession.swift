import Foundation

/// Tracks objects from frame to frame of a camera.
///
/// ```swift
/// let session = TrackingSession(client: client, readsSerials: true)
/// try await session.begin(frame: jpeg, boxes: [box])
/// while let jpeg = await camera.next() {
///   if let frame = try await session.track(frame: jpeg) { overlay.show(frame) }
/// }
/// ```
///
/// The latest frame wins: while one is being sent, the next one waits, and a newer one replaces it. A session that the
/// server lost (it was idle, or the server restarted) restarts from its first frame.
public actor TrackingSession {
  /// The session's id on the server.
  public nonisolated let id: String
  private let connection: Connection
  private let includesMasks: Bool
  private let readsSerials: Bool
  private let savesSerials: Bool
  private let batch: String?
  private var beginning: Beginning?
  /// Whether the server has this beginning; otherwise it may still track the objects of an earlier one.
  private var hasBegun = false
  private var isBusy = false
  private var waiting: [(isFrame: Bool, turn: CheckedContinuation<Bool, Never>)] = []

  private struct Beginning {
    var frame: Data
    var boxes: [Box]
    var points: [Point]
    /// The objects' ids; nil until the server has assigned those of points.
    var ids: [Int]?
  }

  /// Creates a session. Sending begins with ``begin(frame:boxes:points:objectIds:)``.
  ///
  /// - Parameters:
  ///   - client: the client of the server.
  ///   - includesMasks: whether frames include masks.
  ///   - readsSerials: whether the server reads the objects' serials.
  ///   - savesSerials: whether the server reads them and saves each accepted one, once per session.
  ///   - batch: the id of the open batch in which serials are saved.
  public init(
    client: SerialScanClient, includesMasks: Bool = false, readsSerials: Bool = false, savesSerials: Bool = false,
    batch: String? = nil
  ) {
    id = UUID().uuidString
    // The first frame is retried for a short time; a later one would be outdated by then.
    connection = Connection(
      baseURL: client.connection.baseURL, apiKey: client.connection.apiKey,
      retries: RetryPolicy(attempts: 3, firstPause: .milliseconds(100), longestPause: .seconds(1)),
      deadlines: Deadlines(step: .seconds(10), whole: .seconds(15)), session: client.connection.session)
    self.includesMasks = includesMasks
    self.readsSerials = readsSerials || savesSerials
    self.savesSerials = savesSerials
    self.batch = batch
  }

  /// Starts tracking the objects in a frame, at most five. Replaces the objects of an earlier start.
  ///
  /// If it fails because the server can't be reached, the next ``track(frame:)`` starts the session.
  ///
  /// - Parameters:
  ///   - frame: a JPEG or PNG.
  ///   - boxes: the objects' bounding boxes.
  ///   - points: points on objects whose boxes the server proposes; these objects come after those of `boxes`.
  ///   - objectIds: the objects' ids; 1, 2, … by default.
  @discardableResult public func begin(
    frame: Data, boxes: [Box], points: [Point] = [], objectIds: [Int]? = nil
  ) async throws -> TrackedFrame {
    _ = await takeTurn(isFrame: false)
    defer { passTurn() }
    beginning = Beginning(frame: frame, boxes: boxes, points: points, ids: objectIds)
    hasBegun = false
    return try await initialize().frame(isRestarted: false)
  }

  /// Tracks the objects into a frame. Returns nil if a newer frame replaced this one.
  ///
  /// - Parameter frame: a JPEG or PNG.
  public func track(frame: Data) async throws -> TrackedFrame? {
    guard beginning != nil else {
      throw SerialScanError(.sessionNotFound, "The session has not begun. Call begin(frame:boxes:) first.")
    }
    guard await takeTurn(isFrame: true) else { return nil }
    defer { passTurn() }
    do {
      if hasBegun {
        do { return try await next(frame).frame(isRestarted: false) } catch let error as SerialScanError {
          guard error.errorCode == .sessionNotFound else { throw error }
        }
      }
      _ = try await initialize()
      return try await next(frame).frame(isRestarted: true)
    } catch let error as SerialScanError where [.frameInProgress, .trackerLost].contains(error.errorCode) {
      // This frame is lost; the session continues with the next one.
      return nil
    }
  }

  /// Ends the session on the server.
  public func end() async throws {
    _ = await takeTurn(isFrame: false)
    defer { passTurn() }
    beginning = nil
    var request = Request(.delete, "sessions/\(id)")
    // 404: the session no longer exists.
    request.acceptedStatuses = [204, 404]
    try await connection.send(request)
  }

  /// Waits until no other call is in progress. Returns false if a newer frame replaced this one.
  private func takeTurn(isFrame: Bool) async -> Bool {
    guard isBusy else {
      isBusy = true
      return true
    }
    if isFrame, let older = waiting.firstIndex(where: \.isFrame) {
      waiting.remove(at: older).turn.resume(returning: false)
    }
    return await withCheckedContinuation { waiting.append((isFrame, $0)) }
  }

  private func passTurn() {
    isBusy = !waiting.isEmpty
    if isBusy { waiting.removeFirst().turn.resume(returning: true) }
  }

  private func initialize() async throws -> FrameAnswer {
    guard let beginning else { throw CancellationError() }
    var fields = [("session_id", id)]
    if !beginning.boxes.isEmpty {
      fields.append(("bounding_boxes", json(beginning.boxes.map { [$0.x0, $0.y0, $0.x1, $0.y1] })))
    }
    if !beginning.points.isEmpty { fields.append(("points", json(beginning.points.map { [$0.x, $0.y] }))) }
    if let ids = beginning.ids { fields.append(("object_ids", json(ids))) }
    if readsSerials { fields.append(("read_serials", "true")) }
    if savesSerials { fields.append(("persist", "true")) }
    if let batch { fields.append(("batch", batch)) }
    let answer = try await send("initialize", fields, beginning.frame, connection.retries)
    self.beginning?.ids = answer.objectIds
    hasBegun = true
    return answer
  }

  private func next(_ frame: Data) async throws -> FrameAnswer {
    try await send("track", [("session_id", id)], frame, .never)
  }

  private func send(
    _ path: String, _ fields: [(String, String)], _ frame: Data, _ retries: RetryPolicy
  ) async throws -> FrameAnswer {
    let masks = includesMasks ? [("include_masks", "true")] : []
    let form = MultipartFile.data(image: frame, fields: fields + masks)
    var request = Request(.post, path)
    request.headers["Content-Type"] = form.contentType
    request.body = .data(form.body)
    return try await connection.json(request, retries: retries)
  }

  private func json(_ value: some Encodable) -> String {
    (try? Wire.encoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
  }
}
