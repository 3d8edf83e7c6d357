import Imaging
import ScanModel

/// Reads rows of print too small for the search image of a large photo to separate its characters: a display or device
/// that takes a third of the frame.
///
/// Print is located in parts of a finer image by the directions between neighbouring character-like components.
struct SmallRowsStrategy: ReadingStrategy {
  /// Longer side of the finer image, in pixels.
  private static let side = 2600
  /// Number of parts along each side, each half as long as the image, and the number of prints read.
  private static let parts = 3
  private static let mostPrints = 2
  /// Stroke contrast.
  private static let threshold = 0.12
  /// Minimum share of the characters along one direction, and minimum reliability: texture sometimes reaches 0.3.
  private static let leastShare = 0.4
  private static let leastClearness = 0.2
  /// Range of character sides in the finer image, in pixels: larger ones were found before.
  private static let characterSides = 7.0...24

  let name = "rows-small"
  let activity = "Looking for small print"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    guard context.photo.textSeen.isCoarse else { return StrategyOutcome(summary: "the photo is not large") }
    guard context.photo.textSeen.labels.isEmpty else { return StrategyOutcome(summary: "a label was read") }
    let picture = try context.photo.reduced(toSide: Self.side)
    let prints = [StrokePolarity.dark, .light].flatMap { Self.prints($0, in: picture.picture) }
    let clearest = Array(prints.sorted { $0.tilt.clearness > $1.tilt.clearness }.prefix(Self.mostPrints))
    guard !clearest.isEmpty else { return StrategyOutcome(summary: "no small print") }
    let found = try LevelView.read(clearest, in: picture, context)
    return StrategyOutcome(
      found.reads, strategy: name, summary: "\(prints.count) parts with print, \(found.linesRead) lines read")
  }

  /// The print in each part of an image.
  private static func prints(_ polarity: StrokePolarity, in picture: GrayPicture) -> [PrintTilt] {
    let finder = DisplayLineFinder(threshold: threshold, polarity: polarity)
    let characters = finder.characters(in: picture).components
    let (width, height) = (Float(picture.width) / Float(parts + 1), Float(picture.height) / Float(parts + 1))
    return (0..<parts * parts).compactMap { part in
      let (left, top) = (Float(part % parts) * width, Float(part / parts) * height)
      let inside = characters.filter {
        (left..<left + 2 * width).contains($0.centroidX) && (top..<top + 2 * height).contains($0.centroidY)
      }
      return TextTilt(of: inside).map { PrintTilt(tilt: $0, finder: finder, isPart: true) }
    }
    .filter {
      $0.tilt.share >= leastShare && $0.tilt.clearness >= leastClearness
        && characterSides.contains($0.tilt.characterSide)
    }
  }
}
