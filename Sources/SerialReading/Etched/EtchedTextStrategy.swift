import Imaging
import ScanModel

/// Reads etched lines in the picture as it is, or after scaling or rotating it.
struct EtchedTextStrategy: ReadingStrategy {
  /// The change of the picture before lines are searched.
  enum Change {
    case none
    case scale(Double)
    /// Degrees, clockwise as seen.
    case rotate(Double)
  }

  /// The confidence from which another attempt at the same text would hardly be better.
  static let likely = 0.5
  /// The number of devices whose lines and readings the limits allow for if every serial is wanted.
  private static let mostDevices = 4
  /// The least number of readings of a strategy, regardless of those before it.
  static let leastReadings = 2

  let name: String
  let activity: String
  let change: Change
  let polarity: StrokePolarity
  /// The factor on the contrast above which a pixel is a stroke. On dark ground noise is a larger share of the
  /// brightness.
  let contrast: Double
  /// The contrast factor of a second search if the first read no line well; nil for no second search. At half the size
  /// noise is halved, and large out-of-focus letters are faint.
  let faintContrast: Double?
  let readsOwnStrokes: Bool

  init(
    _ polarity: StrokePolarity, name: String, activity: String, change: Change = .none, contrast: Double = 1,
    faintContrast: Double? = nil, readsOwnStrokes: Bool = false
  ) {
    (self.polarity, self.name, self.activity, self.change) = (polarity, name, activity, change)
    (self.contrast, self.faintContrast, self.readsOwnStrokes) = (contrast, faintContrast, readsOwnStrokes)
  }

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let picture = changed(try context.photo.reduced(toSide: Int(context.parameters["working_side"])))
    var outcome = try pass(picture, contrast, in: context)
    if let faintContrast, outcome.candidates.isEmpty, !outcome.isLegible {
      outcome.add(try pass(picture, faintContrast, in: context))
    }
    return StrategyOutcome(
      candidates: outcome.candidates, summary: "\(outcome.lines) lines, \(outcome.readings) readings",
      exhaustsText: outcome.candidates.isEmpty
        ? outcome.isLegible : (outcome.candidates[0].confidence >= Self.likely))
  }

  /// Runs one pass over the picture, with strokes of a contrast.
  private func pass(
    _ picture: DecodedPicture, _ contrast: Double, in context: ReadingContext
  ) throws(ReadFailure) -> EtchedTextPass.Outcome {
    var finder = TextLineFinder(context.parameters)
    finder.strokeThreshold *= contrast
    let share = context.photo.wantsEverySerial ? Self.mostDevices : 1
    let pass = EtchedTextPass(
      finder: finder, engine: context.engine, observer: context.observer, strategy: name,
      isFallback: context.photo.etchedReadings > 0, lineLimit: Int(context.parameters["line_limit"]) * share,
      readingLimit: max(
        Self.leastReadings, Int(context.parameters["reading_limit"]) * share - context.photo.etchedReadings),
      cut: cut(context), textSeen: context.photo.textSeen, wantsEverySerial: context.photo.wantsEverySerial)
    let outcome = try pass.run(picture, polarity: polarity)
    context.photo.etchedReadings += outcome.readings
    if outcome.isBent { noteCurve(finder, picture, context) }
    return outcome
  }

  private func noteCurve(_ finder: TextLineFinder, _ picture: DecodedPicture, _ context: ReadingContext) {
    if case .rotate = change { return }
    context.photo.curvedText.append(
      CurvedTextSighting(
        side: picture.picture.longestSide, polarity: polarity, contrast: finder.strokeThreshold))
  }

  private func cut(_ context: ReadingContext) -> FinerCut {
    guard case .none = change else { return .never }
    return .ofCapitals(below: context.parameters["crop_capital"], from: context.photo)
  }

  private func changed(_ decoded: DecodedPicture) -> DecodedPicture {
    switch change {
    case .none: decoded
    case .scale(let factor): decoded.scaled(by: factor)
    case .rotate(let degrees): decoded.rotated(by: degrees * .pi / 180)
    }
  }
}

extension TextLineFinder {
  /// Creates a finder with the parameters of a preset.
  init(_ parameters: PresetParameters) {
    strokeThreshold = parameters["stroke_threshold"]
    let least = Int(parameters["least_character"])
    characterSides = least...max(least, Int(parameters["greatest_character"]))
    capitalHeights = 4...max(4, Float(parameters["greatest_capital"]))
    closing = Int(parameters["closing"])
  }
}
