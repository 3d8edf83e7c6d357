import Imaging

/// The columns with ink of a line's crop, which has dark strokes on a bright, even background.
package struct InkProfile: Sendable {
  /// Columns with ink, as runs from left to right.
  package private(set) var runs: [Range<Int>] = []
  /// Width of the crop, in pixels.
  let width: Int

  /// Darkness threshold of ink: half way between strokes (about 10) and background (about 230).
  static let inkLevel: UInt8 = 130
  /// Rows above and below the middle that are searched for ink, in capital heights: exactly the capitals.
  private static let band: Float = 0.5

  /// Profiles a crop.
  ///
  /// - Parameters:
  ///   - cut: The crop.
  ///   - capital: Height of its capitals, in pixels.
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

  /// Whether text seems to continue beyond the left or right end of the crop: ink within a third of a capital height.
  var touchesLeft: Bool { (runs.first?.lowerBound ?? width) < Int(LineCrop.capitalHeight / 3) }
  var touchesRight: Bool { (runs.last?.upperBound ?? 0) > width - Int(LineCrop.capitalHeight / 3) }

  /// The runs that lie at least half within a range of columns.
  func runs(within range: Range<Int>) -> [Range<Int>] {
    runs.filter { $0.clamped(to: range).count * 2 >= $0.count }
  }

  /// Gap between a word and a neighbour that the crop's end cuts through, in pixels. nil if no neighbour is cut, or if
  /// it is so near that it may be part of the word.
  ///
  /// - Parameters:
  ///   - columns: Columns of the word.
  ///   - capital: Height of its capitals in the crop, in pixels.
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
