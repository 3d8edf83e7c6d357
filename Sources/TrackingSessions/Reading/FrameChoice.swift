import ScanModel

/// Chooses the frames of one object that are worth reading: sharp ones that show it large enough, each different from
/// earlier ones.
struct FrameChoice {
  /// A frame that shows the object.
  struct View {
    /// The frame's number in the session.
    var index: Int
    /// The frame's file, and a hash that identifies it.
    var picture: [UInt8]
    var pictureHash: Int
    /// The object's corners, in pixels of the frame.
    var corners: [SIMD2<Double>]
    /// Whether the corners show its orientation.
    var isPlanar: Bool
    /// Rank among frames of this object; higher is better to read.
    var score: Double
    /// Whether it was read alone.
    var isRead = false
  }

  /// Maximum number of frames kept, to be read together.
  static let most = 8
  /// Minimum length of the longer and the shorter side for reading a serial, in pixels.
  private static let leastSides = (long: 100.0, short: 16.0)
  /// Confidence of a place below which it may belong to another object.
  private static let leastConfidence = 0.5
  /// Minimum distance between two kept frames, in frames.
  private static let distance = 3
  /// Movement of a corner, as a share of the longer side, that makes another view. So does this many frames, because
  /// light and noise change.
  private static let otherView = 0.02
  private static let framesOfView = 15

  private(set) var views: [View] = []
  /// The object's places in the frames that were read, latest last.
  private var read: [(index: Int, corners: [SIMD2<Double>])] = []
  /// Hashes of the files that were read: the same file sent again must not count twice.
  private var readPictures: Set<Int> = []

  /// Records a frame that shows the object.
  mutating func note(_ object: FrameReport.Object, picture: [UInt8], index: Int) {
    guard let view = View(object, picture: picture, index: index), view.isLargeEnough(Self.leastSides),
      object.confidence >= Self.leastConfidence
    else { return }
    if let near = views.firstIndex(where: { index - $0.index < Self.distance }) {
      if !views[near].isRead, views[near].score < view.score { views[near] = view }
    } else if views.count < Self.most {
      views.append(view)
    } else if let worst = views.indices.min(by: { views[$0].rank < views[$1].rank }), views[worst].rank < view.rank {
      views[worst] = view
    }
  }

  /// Forgets the object's views, but not which files were read.
  mutating func forgetViews() { (views, read) = ([], []) }

  /// The frame to read next; nil if all are too similar to those that were read.
  var next: View? {
    views.filter { !$0.isRead && isNew($0) }.max { $0.score < $1.score }
  }

  /// Marks a frame as read.
  mutating func begin(_ view: View) {
    if let place = views.firstIndex(where: { $0.index == view.index }) { views[place].isRead = true }
    read.append((view.index, view.corners))
    readPictures.insert(view.pictureHash)
    // Old places are unlike any current frame.
    if read.count > 4 * Self.most { read = Array(read.dropFirst()) }
  }

  /// The frames to read together, best first; nil if there are too few, or the object is not a plane.
  var together: [View]? {
    let planar = views.filter(\.isPlanar).sorted { $0.score > $1.score }
    return planar.count >= Self.most / 2 ? planar : nil
  }

  private func isNew(_ view: View) -> Bool {
    guard !readPictures.contains(view.pictureHash) else { return false }
    return read.allSatisfy { known in
      view.index >= known.index + Self.framesOfView || view.differs(from: known.corners, by: Self.otherView)
    }
  }
}

extension FrameChoice.View {
  /// Rank for keeping frames: unread ones rank higher than read ones of the same score.
  fileprivate var rank: Double { isRead ? 0.8 * score : score }

  fileprivate init?(_ object: FrameReport.Object, picture: [UInt8], index: Int) {
    let corners = object.quad.compactMap { $0.count == 2 ? SIMD2($0[0], $0[1]) : nil }
    guard corners.count == 4 else { return nil }
    self.init(
      index: index, picture: picture, pictureHash: picture.hashValue, corners: corners, isPlanar: object.isPlanar,
      score: 0)
    // Larger objects show more, blurred ones less. Square roots turn both into lengths.
    score = (object.sharpness * sides.long * sides.short).squareRoot()
  }

  /// Lengths of the longer and the shorter side of the object, in pixels.
  var sides: (long: Double, short: Double) {
    let lengths = (0..<4).map { place -> Double in
      let way = corners[(place + 1) % 4] - corners[place]
      return (way * way).sum().squareRoot()
    }
    let (across, down) = (min(lengths[0], lengths[2]), min(lengths[1], lengths[3]))
    return (max(across, down), min(across, down))
  }

  fileprivate func isLargeEnough(_ least: (long: Double, short: Double)) -> Bool {
    sides.long >= least.long && sides.short >= least.short
  }

  fileprivate func differs(from others: [SIMD2<Double>], by share: Double) -> Bool {
    zip(corners, others).contains { mine, theirs in
      let way = mine - theirs
      return (way * way).sum().squareRoot() > share * sides.long
    }
  }
}
