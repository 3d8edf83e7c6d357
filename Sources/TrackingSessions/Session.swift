import ScanModel

/// One client's session. Isolated to the `TrackingSessions` actor.
final class Session {
  /// The session's number in its tracker.
  let number: UInt64
  /// Index of its tracker.
  let trackerIndex: Int
  /// The client that began it, if clients have shares.
  let client: String?
  /// The objects' numbers, as the client gave them.
  let ids: [Int]
  /// The first frame's file, to restart the session.
  let firstPicture: [UInt8]
  /// The report on the first frame.
  var first: FrameReport?
  /// Each object's last box, and the size of the frame that showed it.
  var lastBoxes: [[Double]?]
  var lastSize: [Int] = []
  /// Number of the latest frame; 0 for the first.
  var index = 0
  /// Whether a frame is being tracked.
  var isBusy = false
  /// Time at which the latest call ended.
  var lastUse: ContinuousClock.Instant
  /// Time at which the latest frame that was tracked arrived. Frames that failed don't count: nobody saw the objects in
  /// them.
  var lastTracked: ContinuousClock.Instant
  /// Seconds that the latest frame took.
  var lastSeconds = 0.0
  /// Reads of the objects; nil if serials are not read.
  var reads: SessionReads?
  /// Whether it has ended; a read may still be in progress.
  var hasEnded = false
  /// Whether a read is in progress.
  var isReading = false
  /// Bytes of the frames kept for reading.
  var keptBytes = 0
  /// Bytes of all the frames that it keeps.
  var bytes: Int { firstPicture.count + keptBytes }
  /// The owner of accepted serials to save; nil if they are not saved.
  var owner: LiveSerial.Owner?
  /// The serials saved under its name; nil if none are saved.
  var saved: SavedSerials?

  init(
    number: UInt64, trackerIndex: Int, client: String?, ids: [Int], firstPicture: [UInt8],
    lastUse: ContinuousClock.Instant
  ) {
    self.client = client
    self.number = number
    self.trackerIndex = trackerIndex
    self.ids = ids
    self.firstPicture = firstPicture
    self.lastUse = lastUse
    lastTracked = lastUse
    lastBoxes = ids.map { _ in nil }
  }

  /// Records the report on a frame that arrived at `time`.
  func note(_ report: FrameReport, at time: ContinuousClock.Instant) {
    lastTracked = time
    let size = [report.width, report.height]
    if size != lastSize { lastBoxes = ids.map { _ in nil } }
    lastSize = size
    for (index, object) in zip(lastBoxes.indices, report.objects) where object != nil { lastBoxes[index] = object?.box }
  }

  /// The first frame's message to restart the session, with the objects' last boxes.
  func beginning(_ options: FrameOptions) -> FirstFrame {
    let isSameSize = first.map { [$0.width, $0.height] } == lastSize
    return FirstFrame(
      session: number, boxes: first?.objects.compactMap { $0?.box } ?? [], lastBoxes: isSameSize ? lastBoxes : [],
      options: options)
  }
}

/// The objects that a client wants to track.
public struct Beginning: Sendable {
  /// Boxes as x0, y0, x1, y1 in pixels of the frame.
  public var boxes: [[Double]]
  /// Points around which boxes are proposed; these objects follow the boxes.
  public var points: [[Double]]
  /// A number for each object, boxes first.
  public var ids: [Int]
  /// Whether to return masks.
  public var masks: Bool
  /// Whether to read serials.
  public var readsSerials: Bool
  /// The owner of accepted serials to save; nil to save none.
  public var owner: LiveSerial.Owner?

  /// Creates a beginning.
  public init(
    boxes: [[Double]], points: [[Double]], ids: [Int], masks: Bool, readsSerials: Bool = false,
    owner: LiveSerial.Owner? = nil
  ) {
    self.boxes = boxes
    self.points = points
    self.ids = ids
    self.masks = masks
    self.readsSerials = readsSerials
    self.owner = owner
  }
}

/// A client's result for one frame.
public struct SessionFrame: Sendable {
  /// The objects' places, with their masks.
  public var tracked: TrackedFrame
  /// The objects' numbers, in order.
  public var ids: [Int]
  /// Number of the frame in the session, starting with 0.
  public var index: Int
  /// Whether the tracker died since the previous frame, so that the session was restarted from its first frame.
  public var hasBegunAgain = false
  /// Each object's serial from the frames so far, nil for one without a serial; nil if serials are not read.
  public var serials: [VotedSerial?]?
}

/// A reason why a session can't do what was requested.
public enum SessionProblem: Error, Sendable, Equatable {
  /// No session has this name, or it has ended.
  case notFound
  /// The previous frame is still being tracked; the last one took this many seconds.
  case busy(lastSeconds: Double)
  /// The maximum number of sessions is reached; retry after this many seconds.
  case full(retryAfter: Int)
  /// The client has reached its maximum number of sessions or bytes of frames.
  case shareUsed(limit: Int)
  /// The session would have more objects than allowed.
  case tooManyObjects(limit: Int)
}
