/// The work budget of one frame's search for lost objects. Work is counted, not timed, so that a video is tracked
/// identically on every machine; a unit is about a nanosecond on a core of 2020.
///
/// Refused steps continue in the next frame, first. A step may exceed the remaining budget; the next frame has that
/// much less. Unused budget, up to one frame's share, is carried to the next frame that needs it.
struct SearchWork {
  /// Units per pixel of the frame, about the cost of tracking a plane. The search gets cheaper with the size at which
  /// frames are tracked.
  private static let share = 12
  /// Maximum debt, in frames.
  private static let longestDebt = 4

  /// Detecting and describing features of six sizes, per pixel.
  static let featuresPerPixel = 12
  /// Comparing two features.
  static let comparison = 2
  /// Fitting a plane, per pair.
  static let fitPerPair = 4_000
  /// Checking whether an object is where it was.
  static let check = 300_000
  /// Computing the response of a correlation filter.
  static let filterResponse = 500_000
  /// Comparing the colours of a place.
  static let colors = 4_000

  private let budget: Int
  private var left: Int
  /// Whether a step was refused since this was reset.
  var wasRefused = false
  /// Whether the frame's features, which all objects share, are paid for.
  private var hasFrameFeatures = false
  private var hasOtherFeatures = false

  /// Creates the budget of a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - carried: Work that the previous frame left, or overspent if negative.
  init(_ frame: TrackingFrame, carried: Int) {
    budget = frame.width * frame.height * Self.share
    left = budget + min(carried, budget)
  }

  /// Work to carry into the next frame; negative for a debt.
  var carried: Int { min(max(left, -Self.longestDebt * budget), budget) }

  /// Spends work if any budget is left; returns false and records the refusal otherwise.
  mutating func spend(_ work: Int) -> Bool {
    guard left > 0 else {
      wasRefused = true
      return false
    }
    left -= work
    return true
  }

  /// Counts work that is done regardless of the budget.
  mutating func note(_ work: Int) { left -= work }

  /// Whether the features of the whole frame, at every second size, may be used.
  mutating func spendFrameFeatures(_ frame: TrackingFrame) -> Bool {
    if !hasFrameFeatures { hasFrameFeatures = spend(frame.width * frame.height * Self.featuresPerPixel / 2) }
    return hasFrameFeatures
  }

  /// Whether the budget covers the features of the other sizes and their comparison without debt.
  func affordsOtherFeatures(_ frame: TrackingFrame) -> Bool {
    left >= frame.width * frame.height * Self.featuresPerPixel
  }

  /// Whether the features of the other sizes may be used.
  mutating func spendOtherFeatures(_ frame: TrackingFrame) -> Bool {
    if !hasOtherFeatures { hasOtherFeatures = spend(frame.width * frame.height * Self.featuresPerPixel / 2) }
    return hasOtherFeatures
  }
}
