import Imaging
import ScanModel

/// Reads slanted rows in a view of the print that is turned level and enlarged if small.
///
/// The line finder tolerates a few degrees of slant, more only for large, widely spaced print. A lit display or print
/// on a dark device has no bright label whose borders would show the angle.
struct SlantedRowsStrategy: ReadingStrategy {
  /// Slant below which the earlier strategies already read the rows, in radians.
  private static let leastAngle = 8.0 * .pi / 180
  /// Minimum share of the characters along the slant: images without text reach 0.16.
  private static let leastShare = 0.17
  /// Minimum side of characters, in pixels: smaller ones break, and their pieces neighbour each other in any direction.
  private static let leastSide = 9.0

  let name = "rows-slanted"
  let activity = "Turning slanted rows level"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    // Other strategies search beside a serial's label that was read.
    guard context.photo.textSeen.labels.isEmpty else { return StrategyOutcome(summary: "a label was read") }
    let side = Int(context.parameters["working_side"])
    let picture = try context.photo.reduced(toSide: side)
    let slants = try Self.slants(of: picture.picture, context.photo.polarity(ofSide: side))
    guard !slants.isEmpty else { return StrategyOutcome(summary: "the rows are level") }
    let found = try LevelView.read(slants, in: picture, context)
    let degrees = slants.map { "\(Int(($0.tilt.angle * 180 / .pi).rounded()))" }.joined(separator: " or ")
    return StrategyOutcome(
      found.reads, strategy: name,
      summary: "slanted by \(degrees) degrees, \(found.lines) lines, \(found.linesRead) read")
  }

  /// The tilt of the rows by the strokes of each polarity, most reliable first.
  private static func slants(of picture: GrayPicture, _ polarity: TextPolarity) -> [PrintTilt] {
    [polarity.main, polarity.other].compactMap { $0 }
      .compactMap { finder in
        TextTilt(of: finder.characters(in: picture).components).map { PrintTilt(tilt: $0, finder: finder) }
      }
      .filter {
        $0.tilt.share >= leastShare && $0.tilt.characterSide >= leastSide && abs($0.tilt.angle) >= leastAngle
      }
      .sorted { $0.tilt.clearness > $1.tilt.clearness }
  }
}
