import Imaging

/// Which columns of a cut line hold ink; the cut's strokes are dark, its ground is bright and even.
struct InkProfile: Sendable {
  /// Columns with ink, as runs from left to right.
  private(set) var runs: [Range<Int>] = []
  /// Pixels across the cut.
  let width: Int

  /// Darkness from which a pixel is ink: half way between the strokes (about 10) and the ground (about 230).
  private static let inkLevel: UInt8 = 130
  /// Rows above and below the middle in which ink is looked for, in heights of capitals: the capitals and no more.
  private static let band: Float = 0.5

  init(_ cut: GrayPicture) {
    width = cut.width
    let reach = Int(Self.band * LineCrop.capitalHeight)
    let rows = max(0, cut.height / 2 - reach)..<min(cut.height, cut.height / 2 + reach)
    var start: Int?
    cut.pixels.withUnsafeBufferPointer { pixels in
      for x in 0..<cut.width {
        let hasInk = rows.contains { pixels[$0 &* cut.width &+ x] < Self.inkLevel }
        if hasInk, start == nil { start = x }
        if !hasInk, let first = start {
          runs.append(first..<x)
          start = nil
        }
      }
    }
    if let first = start { runs.append(first..<width) }
  }

  /// Whether text seems to go on beyond the left or the right end of the cut: ink within a third of a capital's height.
  var touchesLeft: Bool { (runs.first?.lowerBound ?? width) < Int(LineCrop.capitalHeight / 3) }
  var touchesRight: Bool { (runs.last?.upperBound ?? 0) > width - Int(LineCrop.capitalHeight / 3) }

  /// The runs that stand at least half within a range of columns.
  func runs(within range: Range<Int>) -> [Range<Int>] {
    runs.filter { $0.clamped(to: range).count * 2 >= $0.count }
  }
}
