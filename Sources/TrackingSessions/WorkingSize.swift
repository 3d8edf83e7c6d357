/// The size at which frames are tracked: smaller while frames take long, so that all sessions keep up before any frame
/// is refused.
struct WorkingSize {
  /// The sizes, in pixels of the longer side.
  static let sides = [640, 480, 320]
  /// From this mean time of a frame on, waiting included, the next smaller size is taken.
  private static let slow = 0.06
  /// Below this one, the next larger size.
  private static let quick = 0.025
  /// Frames at one size before another is taken.
  private static let patience = 20

  private var step = 0
  private var mean = 0.0
  private var frames = 0

  /// The present size.
  var side: Int { Self.sides[step] }

  /// Takes note of how long a frame took.
  mutating func note(seconds: Double) {
    mean += (seconds - mean) / Double(min(frames + 1, 20))
    frames += 1
    guard frames >= Self.patience else { return }
    if mean > Self.slow, step + 1 < Self.sides.count {
      change(to: step + 1)
    } else if mean < Self.quick, step > 0 {
      change(to: step - 1)
    }
  }

  private mutating func change(to step: Int) {
    self.step = step
    frames = 0
    mean = 0
  }
}
