import Imaging
import ScanModel

/// Reads rows of label and value in one polarity, at one stroke contrast.
struct RowsStrategy: ReadingStrategy {
  /// The strokes to search.
  enum Strokes {
    /// The polarity that most of the image's text seems to have.
    case main
    /// The same polarity at the other contrast.
    case mainOtherContrast
    /// The other polarity.
    case other
  }

  let name: String
  let activity: String
  private let strokes: Strokes

  init(_ strokes: Strokes, name: String, activity: String) {
    (self.strokes, self.name, self.activity) = (strokes, name, activity)
  }

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let side = Int(context.parameters["working_side"])
    let picture = try context.photo.reduced(toSide: side)
    let polarity = try context.photo.polarity(ofSide: side)
    guard let finder = finder(polarity) else { return StrategyOutcome(summary: "no strokes", exhaustsText: true) }
    let pass = LabelledTextPass(
      finder: finder, engine: context.engine, observer: context.observer, timer: context.timer,
      cut: .ofCapitals(below: context.parameters["crop_capital"], from: context.photo),
      textSeen: context.photo.textSeen, wantsEverySerial: context.photo.wantsEverySerial)
    let outcome = try pass.run(picture)
    return StrategyOutcome(
      outcome.reads, strategy: name, summary: "\(outcome.lines) lines, \(outcome.linesRead) read",
      exhaustsText: outcome.isExhausted && context.photo.textSeen.labels.isEmpty)
  }

  private func finder(_ polarity: TextPolarity) -> DisplayLineFinder? {
    switch strokes {
    case .main: polarity.main
    case .mainOtherContrast: polarity.mainOtherContrast
    case .other: polarity.other
    }
  }
}
