import Imaging
import TextReading

extension TextLine {
  /// The least width of a gap between two words, in heights of capitals: no typeface leaves as much within a word.
  private static let leastGap: Float = 1.2

  /// The line with a word beginning behind each wide gap, such as between the columns of a table. The recogniser overlooks
  /// some, so that a value seems to continue in the next column.
  ///
  /// - Parameter capital: Height of the crop's capitals, in pixels.
  package func withOverlookedSpaces(in crop: GrayPicture, capital: Double) -> TextLine {
    var line = self
    let middles = symbols.map { ($0.left + $0.right) / 2 }
    let runs = InkProfile(crop, capital: Float(capital)).runs
    for (run, next) in zip(runs, runs.dropFirst())
    where Float(next.lowerBound - run.upperBound) >= Self.leastGap * Float(capital) {
      // Faint characters leave such gaps, too.
      let (gap, middle) = (run.upperBound..<next.lowerBound, (run.upperBound + next.lowerBound) / 2)
      guard !middles.contains(where: gap.contains), let first = middles.firstIndex(where: { $0 > middle }) else {
        continue
      }
      line.symbols[first].startsWord = true
    }
    return line
  }
}
