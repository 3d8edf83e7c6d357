import ScanModel

/// The frames of one object that are worth reading: sharp ones in which it is large enough, each unlike those before.
struct FrameChoice {
  /// A frame in which the object is seen.
  struct View {
    /// The frame's number.
    var index: Int
    /// The frame's file, and by what it is told from others.
    var picture: [UInt8]
    var pictureHash: Int
    /// The object's corners in pixels of the frame.
    var corners: [SIMD2<Double>]
    /// Whether the corners tell how it is turned.
    var isPlanar: Bool
    /// Higher is better to read, among frames of this object.
    var score: Double
    /// Whether it was read alone.
    var isRead = false
  }

  /// Frames that are kept, to be read together.
  static let most = 8
  /// Pixels of the longer side, and of the shorter one, below which no serial is read.
  private static let leastSides = (long: 100.0, short: 16.0)
  /// Confidence of the place below which it may be another's.
  private static let leastConfidence = 0.5
  /// Frames between two that are kept.
  private static let distance = 3
  /// Corners that moved by this share of the longer side make another view; so do so many frames, because light and noise
  /// have changed.
  private static let otherView = 0.02
  private static let framesOfView = 15

  private(set) var views: [View] = []
  /// Where the object was in the frames that were read, the latest last.
  private var read: [(index: Int, corners: [SIMD2<Double>])] = []
  /// Those of their files: the same file sent again would be a witness twice.
  private var readPictures: Set<Int> = []

  /// Takes note of a frame that shows the object.
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

  /// The frame to be read next; nil where none is unlike those that were read.
  var next: View? {
    views.filter { !$0.isRead && isNew($0) }.max { $0.score < $1.score }
  }

  /// Takes it that a frame is read.
  mutating func begin(_ view: View) {
    if let place = views.firstIndex(where: { $0.index == view.index }) { views[place].isRead = true }
    read.append((view.index, view.corners))
    readPictures.insert(view.pictureHash)
    // Those of long ago are unlike any frame of now.
    if read.count > 4 * Self.most { read = Array(read.dropFirst()) }
  }

  /// The frames to be read together, the best first; nil where they are too few, or the object is no plane.
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
  /// Unread ones go before read ones of the same score, and are dropped after them.
  fileprivate var rank: Double { isRead ? 0.8 * score : score }

  fileprivate init?(_ object: FrameReport.Object, picture: [UInt8], index: Int) {
    let corners = object.quad.compactMap { $0.count == 2 ? SIMD2($0[0], $0[1]) : nil }
    guard corners.count == 4 else { return nil }
    self.init(
      index: index, picture: picture, pictureHash: picture.hashValue, corners: corners, isPlanar: object.isPlanar,
      score: 0)
    // Larger shows more; what is smeared, less. Both by their roots, as lengths.
    score = (object.sharpness * sides.long * sides.short).squareRoot()
  }

  /// Pixels of the longer and the shorter side of the object.
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
