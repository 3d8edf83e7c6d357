/// What a frame's search for things out of sight may cost. Work is counted, not timed, so that a video is tracked in the same
/// way on every machine; a unit is about a nanosecond of a core of 2020.
///
/// What a frame leaves open goes on in the next one, first with those that were refused. A step may take more than is left;
/// the next frame has so much less. What frames with nothing to search leave, up to one frame's share, the first has more
/// that has lost something.
struct SearchWork {
  /// For each pixel of the frame: the search gets cheaper with the size at which frames are tracked. About what following
  /// one plane costs.
  private static let share = 24
  /// The most frames that pay for one.
  private static let longestDebt = 4

  /// Detecting and describing features of six sizes in a picture, for each of its pixels.
  static let featuresPerPixel = 20
  /// Comparing two features.
  static let comparison = 5
  /// Fitting a plane to pairs, for each pair.
  static let fitPerPair = 8_000
  /// Looking whether an object is where it was.
  static let check = 300_000
  /// The answer of a correlation filter.
  static let filterResponse = 500_000
  /// The likeness of a place's colours.
  static let colors = 4_000

  private let budget: Int
  private var left: Int
  /// Whether something was refused since this was set back.
  var wasRefused = false
  /// Whether the frame's own features were paid for, which serve all objects.
  private var hasFrameFeatures = false
  private var hasOtherFeatures = false

  /// - Parameter carried: What the frame before left, or took too much.
  init(_ frame: TrackingFrame, carried: Int) {
    budget = frame.width * frame.height * Self.share
    left = budget + min(carried, budget)
  }

  /// What is left, or was taken too much where it is negative.
  var carried: Int { min(max(left, -Self.longestDebt * budget), budget) }

  /// Whether something is left for a step of so much work; it counts as done then.
  mutating func spend(_ work: Int) -> Bool {
    guard left > 0 else {
      wasRefused = true
      return false
    }
    left -= work
    return true
  }

  /// Counts what is done in any case.
  mutating func note(_ work: Int) { left -= work }

  /// Whether the features of the whole frame, of every second size, may be looked at.
  mutating func spendFrameFeatures(_ frame: TrackingFrame) -> Bool {
    if !hasFrameFeatures { hasFrameFeatures = spend(frame.width * frame.height * Self.featuresPerPixel / 2) }
    return hasFrameFeatures
  }

  /// Whether there is enough left to look at the features of the other sizes, and to compare them, without a debt.
  func affordsOtherFeatures(_ frame: TrackingFrame) -> Bool {
    left >= frame.width * frame.height * Self.featuresPerPixel
  }

  /// Whether they may be looked at.
  mutating func spendOtherFeatures(_ frame: TrackingFrame) -> Bool {
    if !hasOtherFeatures { hasOtherFeatures = spend(frame.width * frame.height * Self.featuresPerPixel / 2) }
    return hasOtherFeatures
  }
}
