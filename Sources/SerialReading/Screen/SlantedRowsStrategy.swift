import Imaging
import ScanModel

/// Reads rows that run at a slant, in a view of the print that is turned level and enlarged where it is small.
///
/// The line finder bears some degrees of slant, more only in print that is large and far apart; and a lit display, or print on a dark device,
/// has no bright label whose borders would tell how far it is turned.
struct SlantedRowsStrategy: ReadingStrategy {
  /// Slant below which the strategies before have read what there is, in radians.
  private static let leastAngle = 8.0 * .pi / 180
  /// Share of the characters that must stand along the slant: pictures without text reach 0.16.
  private static let leastShare = 0.17
  /// Sides of characters, in pixels, below which they break, and stand beside each other in any direction.
  private static let leastSide = 9.0

  let name = "rows-slanted"
  let activity = "Turning slanted rows level"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    // Beside a serial's label that was read others look.
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

  /// How far the rows lean, by the strokes of either polarity, the clearer first.
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
