/// In which size an object is read. Small print wants its frame enlarged, print that fills the frame is too large to be read
/// like that; how large an object's print is, nobody knows before it was read.
struct ViewScale {
  private static let enlarged = 2.0
  private static let asItIs = 1.0
  private static let reduced = 0.5
  /// Pixels of the shorter side of an object from which on its print may be too large at twice its size, and in its own.
  private static let leastSides = (asItIs: 40.0, reduced: 120.0)

  /// The size in which something was read last; until then the one that suits most.
  private(set) var found = enlarged
  private var silentReads = 0

  /// The size for the next frame, as a factor. Every second one after reads that said nothing is another than the usual.
  ///
  /// - Parameter shorterSide: Of the object, in pixels of the frame.
  func next(shorterSide: Double) -> Double {
    guard !silentReads.isMultiple(of: 2), shorterSide >= Self.leastSides.asItIs else { return found }
    let others = [Self.enlarged, Self.asItIs, Self.reduced].filter {
      $0 != found && ($0 != Self.reduced || shorterSide >= Self.leastSides.reduced)
    }
    // The others in turn.
    return ((silentReads / 2).isMultiple(of: 2) ? others.first : others.last) ?? found
  }

  /// Takes note of what a read in a size came to.
  mutating func note(_ scale: Double, saysSomething: Bool) {
    if saysSomething {
      (found, silentReads) = (scale, 0)
    } else {
      silentReads += 1
    }
  }
}
