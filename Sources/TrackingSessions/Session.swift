import ScanModel

/// One client's session. Belongs to the actor.
final class Session {
  /// The session's number in its tracker.
  let number: UInt64
  /// The place of its tracker among all.
  let trackerIndex: Int
  /// Who began it, where clients have shares.
  let client: String?
  /// The objects' numbers, as the client gave them.
  let ids: [Int]
  /// The first frame's file, to begin again with.
  let firstPicture: [UInt8]
  /// What the first frame showed.
  var first: FrameReport?
  /// Where each object was seen last, and the size of the frame that showed it.
  var lastBoxes: [[Double]?]
  var lastSize: [Int] = []
  /// The number of the latest frame; 0 for the first.
  var index = 0
  /// Whether a frame is being tracked.
  var isBusy = false
  /// When the latest call ended.
  var lastUse: ContinuousClock.Instant
  /// Seconds that the latest frame took.
  var lastSeconds = 0.0
  /// What is read of the objects; nil where nothing is.
  var reads: SessionReads?
  /// Whether it is over; a read may be under way still.
  var hasEnded = false
  /// Whether a read is under way.
  var isReading = false
  /// Bytes of the frames that are kept to be read.
  var keptBytes = 0
  /// Who wants accepted serials to be saved; nil for nobody.
  var owner: LiveSerial.Owner?
  /// What was saved, or waits to be, under this session's name.
  var saved: Set<String> = []

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
    lastBoxes = ids.map { _ in nil }
  }

  /// Takes note of what a frame showed.
  func note(_ report: FrameReport) {
    let size = [report.width, report.height]
    if size != lastSize { lastBoxes = ids.map { _ in nil } }
    lastSize = size
    for (index, object) in zip(lastBoxes.indices, report.objects) where object != nil { lastBoxes[index] = object?.box }
  }

  /// What begins the session again as it began, with where the objects were seen last.
  func beginning(_ options: FrameOptions) -> FirstFrame {
    let isSameSize = first.map { [$0.width, $0.height] } == lastSize
    return FirstFrame(
      session: number, boxes: first?.objects.compactMap { $0?.box } ?? [], lastBoxes: isSameSize ? lastBoxes : [],
      options: options)
  }
}

/// What a client wants to be followed.
public struct Beginning: Sendable {
  /// Boxes as x0, y0, x1, y1 in pixels of the frame.
  public var boxes: [[Double]]
  /// Points to propose boxes about; they come behind the boxes.
  public var points: [[Double]]
  /// A number for each object, boxes first.
  public var ids: [Int]
  /// Whether masks are wanted.
  public var masks: Bool
  /// Whether serials are to be read.
  public var readsSerials: Bool
  /// Who wants accepted serials to be saved; nil for nobody.
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

/// What a frame showed, for a client.
public struct SessionFrame: Sendable {
  /// Where the objects are, with their masks.
  public var tracked: TrackedFrame
  /// The objects' numbers, in their order.
  public var ids: [Int]
  /// Which frame of the session this is: 0 for the first, then 1, 2 ...
  public var index: Int
  /// Whether the tracker had died since the frame before, and the session was begun again from its first frame.
  public var hasBegunAgain = false
  /// What the frames say of each object's serial so far, nil for those that say nothing; nil where nothing is read.
  public var serials: [VotedSerial?]?
}

/// Why a session can't do what is asked.
public enum SessionProblem: Error, Sendable, Equatable {
  /// There is no session of this name, or it has ended.
  case notFound
  /// The frame before is still being tracked; the last one took so many seconds.
  case busy(lastSeconds: Double)
  /// No place for another session; one may be free after so many seconds.
  case full(retryAfter: Int)
  /// The client has as many sessions as one client may, or as many bytes of frames.
  case shareUsed(limit: Int)
  /// More objects than a session may have.
  case tooManyObjects(limit: Int)
}
