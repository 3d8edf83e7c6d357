/// The scale at which an object is read. Small print must be enlarged; print that fills the frame is too large to be
/// read that way. The size of an object's print is unknown before the first successful read.
struct ViewScale {
  private static let enlarged = 2.0
  private static let asItIs = 1.0
  private static let reduced = 0.5
  /// Shorter side of an object, in pixels, from which its print may be too large at twice its size (`asItIs`) and at
  /// its own size (`reduced`).
  private static let leastSides = (asItIs: 40.0, reduced: 120.0)

  /// The scale of the last successful read; initially the one that suits most objects.
  private(set) var found = enlarged
  private var silentReads = 0

  /// The scale of the next frame. After reads without a serial, every second frame uses another scale.
  ///
  /// - Parameter shorterSide: The object's shorter side, in pixels of the frame.
  func next(shorterSide: Double) -> Double {
    guard !silentReads.isMultiple(of: 2), shorterSide >= Self.leastSides.asItIs else { return found }
    let others = [Self.enlarged, Self.asItIs, Self.reduced].filter {
      $0 != found && ($0 != Self.reduced || shorterSide >= Self.leastSides.reduced)
    }
    // Alternates between the other scales.
    return ((silentReads / 2).isMultiple(of: 2) ? others.first : others.last) ?? found
  }

  /// Records the result of a read at a scale.
  mutating func note(_ scale: Double, saysSomething: Bool) {
    if saysSomething {
      (found, silentReads) = (scale, 0)
    } else {
      silentReads += 1
    }
  }
}
