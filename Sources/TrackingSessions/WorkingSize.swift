/// The size at which frames are tracked: smaller while frames take long, so that all sessions keep up before any frame
/// is rejected.
struct WorkingSize {
  /// The sizes, in pixels of the longer side.
  static let sides = [640, 480, 320]
  /// Mean seconds per frame, including waiting, above which the next smaller size is used.
  private static let slow = 0.06
  /// Mean seconds per frame below which the next larger size is used.
  private static let quick = 0.025
  /// Minimum number of frames at one size before it changes.
  private static let patience = 20

  private var step = 0
  private var mean = 0.0
  private var frames = 0

  /// The current size, in pixels of the longer side.
  var side: Int { Self.sides[step] }

  /// Records the seconds that a frame took.
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
