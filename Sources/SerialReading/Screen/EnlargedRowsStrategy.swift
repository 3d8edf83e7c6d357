import Imaging
import ScanModel

/// Reads rows of small print at twice the photo's size. With capitals of about ten pixels, as in a desktop screenshot
/// or an image reduced for the web, letters touch and break, and their lines are not found.
struct EnlargedRowsStrategy: ReadingStrategy {
  /// Maximum number of pixels of a photo that is enlarged: larger ones take too long and show print well enough.
  private static let mostPixels = 3_000_000
  private static let factor = 2.0
  /// Maximum number of values read, those most like a serial, so that a page of other small print costs little.
  private static let mostUnits = 8

  let name = "rows-enlarged"
  let activity = "Enlarging small print"

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let photo = context.photo
    let size = photo.uploadedSize
    guard size.width <= Self.mostPixels / max(1, size.height) else {
      return StrategyOutcome(summary: "the photo is large")
    }
    guard photo.textSeen.hasSmallRows else { return StrategyOutcome(summary: "no small print") }
    let full = try photo.full()
    // The strokes are unchanged, and measuring the enlarged image would take as long again.
    let polarity = try photo.polarity(ofSide: Int(context.parameters["working_side"]))
    guard let finder = polarity.main else { return StrategyOutcome(summary: "no strokes") }
    var pass = LabelledTextPass(
      finder: finder, engine: context.engine, observer: context.observer, timer: context.timer, cut: .never,
      textSeen: photo.textSeen)
    pass.mostUnits = Self.mostUnits
    let enlarged = full.scaled(by: Self.factor)
    // Lines that are read again were already counted.
    let outcome = try photo.textSeen.withoutCounting { () throws(ReadFailure) in try pass.run(enlarged) }
    return StrategyOutcome(
      outcome.reads, strategy: name, summary: "\(outcome.lines) lines, \(outcome.linesRead) read")
  }
}
