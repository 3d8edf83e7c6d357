import Imaging

/// Which columns of a cut line hold ink; the cut's strokes are dark, its ground is bright and even.
package struct InkProfile: Sendable {
  /// Columns with ink, as runs from left to right.
  package private(set) var runs: [Range<Int>] = []
  /// Pixels across the cut.
  let width: Int

  /// Darkness from which a pixel is ink: half way between the strokes (about 10) and the ground (about 230).
  static let inkLevel: UInt8 = 130
  /// Rows above and below the middle in which ink is looked for, in heights of capitals: the capitals and no more.
  private static let band: Float = 0.5

  /// Looks through a cut.
  ///
  /// - Parameter capital: Height of its capitals, in pixels.
  package init(_ cut: GrayPicture, capital: Float = 24) {
    width = cut.width
    let reach = Int(Self.band * min(capital, Float(cut.height)))
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

  /// Ground between a word and a neighbour that the cut's end goes through, in pixels; nil where none is cut in two, or where
  /// it stands so near that it may be part of the word.
  ///
  /// - Parameters:
  ///   - columns: Where the word stands.
  ///   - capital: Height of its capitals in the cut, in pixels.
  package func gaps(around columns: ClosedRange<Int>, capital: Float) -> (before: Int?, after: Int?) {
    let own = runs(within: columns.lowerBound..<columns.upperBound + 1)
    guard let first = own.first, let last = own.last else { return (nil, nil) }
    let widest = zip(own, own.dropFirst()).map { $1.lowerBound - $0.upperBound }.max() ?? 0
    let least = max(WordUnit.wordGap * capital, 1.3 * Float(widest)) + 1
    func gap(_ pixels: Int) -> Int? { Float(pixels) > least ? pixels : nil }
    let before = runs.last { $0.upperBound <= first.lowerBound }.flatMap { $0.lowerBound <= 1 ? $0 : nil }
    let after = runs.first { $0.lowerBound >= last.upperBound }.flatMap { $0.upperBound >= width - 1 ? $0 : nil }
    return (
      before.flatMap { gap(first.lowerBound - $0.upperBound) }, after.flatMap { gap($0.lowerBound - last.upperBound) }
    )
  }
}
