import Imaging
import ScanModel

/// Reads etched lines of one polarity, in the picture as it is or in a changed one.
struct EtchedTextStrategy: ReadingStrategy {
  /// The picture in which lines are looked for.
  enum View: Equatable {
    case whole
    /// At half its size, at which noise is halved, and letters that are large and out of focus are whole strokes.
    case half
    /// Turned by some degrees, clockwise as seen. Lines are found up to a slope of one half along rows and columns.
    case turned(Double)
  }

  /// The confidence from which another attempt at the same text would hardly be better.
  static let likely = 0.5
  /// The number of devices whose lines and readings the limits allow for if every serial is wanted.
  private static let mostDevices = 4
  /// The least number of readings of a strategy, regardless of those before it.
  private static let leastReadings = 2
  /// The factors on the contrast above which a pixel is a light stroke, since on dark ground noise is a larger share of
  /// the brightness, and a stroke of faint print, such as letters out of focus.
  private static let contrastOfLight = 2.0
  private static let contrastOfFaint = 0.6
  /// The least contrast of faint print, as a share of its ground, and as a multiple of the noise.
  private static let (leastContrast, leastOfNoise) = (0.015, 6.0)

  /// Whether the strokes are dark or light.
  let polarity: StrokePolarity
  var view = View.whole

  var name: String {
    switch view {
    case .whole: polarity == .dark ? "text" : "text-light"
    case .half: "text-half-size"
    case .turned(let degrees): degrees > 0 ? "text-rotated-clockwise" : "text-rotated-anticlockwise"
    }
  }
  var activity: String {
    switch view {
    case .whole: polarity == .dark ? "Reading the lines" : "Reading light text"
    case .half: "Reading large text"
    case .turned: "Reading tilted text"
    }
  }

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    let whole = try context.photo.reduced(toSide: Int(context.parameters["working_side"]))
    let picture =
      switch view {
      case .whole: whole
      case .half: whole.scaled(by: 0.5)
      case .turned(let degrees): whole.rotated(by: degrees * .pi / 180)
      }
    var outcome = try pass(picture, contrast: polarity == .light ? Self.contrastOfLight : 1, in: context)
    if outcome.candidates.isEmpty, !outcome.isLegible, let fainter = try fainterContrast(context) {
      outcome.add(try pass(picture, contrast: fainter, in: context))
    }
    return StrategyOutcome(
      candidates: outcome.candidates, summary: "\(outcome.lines) lines, \(outcome.readings) readings",
      exhaustsText: outcome.candidates.isEmpty ? outcome.isLegible : (outcome.candidates[0].confidence >= Self.likely))
  }

  /// The factor on the contrast for a second pass, over fainter print; nil for none.
  ///
  /// In even light etched text differs from its ground by a few hundredths, and can be read where noise is weaker.
  private func fainterContrast(_ context: ReadingContext) throws(ReadFailure) -> Double? {
    switch view {
    case .turned: return nil
    case .half: return Self.contrastOfFaint
    case .whole:
      let contrast = max(Self.leastContrast, Self.leastOfNoise * (try context.photo.noise().share))
      let factor = contrast / context.parameters["stroke_threshold"]
      return factor <= Self.contrastOfFaint ? factor : nil
    }
  }

  /// Runs one pass over the picture, with strokes of a contrast.
  private func pass(
    _ picture: DecodedPicture, contrast: Double, in context: ReadingContext
  ) throws(ReadFailure) -> EtchedTextPass.Outcome {
    let photo = context.photo
    var finder = TextLineFinder(polarity, context.parameters)
    finder.strokes.threshold *= contrast
    let share = photo.wantsEverySerial ? Self.mostDevices : 1
    let pass = EtchedTextPass(
      finder: finder, context: context, strategy: name,
      isFallback: photo.etchedReadings > 0, lineLimit: Int(context.parameters["line_limit"]) * share,
      readingLimit: max(
        Self.leastReadings, Int(context.parameters["reading_limit"]) * share - photo.etchedReadings),
      cut: view == .whole ? .ofCapitals(below: context.parameters["crop_capital"], from: photo) : .never,
      textSeen: photo.textSeen, wantsEverySerial: photo.wantsEverySerial)
    let outcome = try pass.run(picture)
    photo.etchedReadings += outcome.readings
    if case .turned = view { return outcome }
    if outcome.isBent {
      photo.curvedText.append(CurvedTextSighting(side: picture.picture.longestSide, strokes: finder.strokes))
    }
    return outcome
  }
}

extension TextLineFinder {
  /// Creates a finder with the parameters of a preset.
  init(_ polarity: StrokePolarity, _ parameters: PresetParameters) {
    self.init(Strokes(polarity: polarity, threshold: parameters["stroke_threshold"]), parameters)
  }

  /// Creates a finder of some strokes with the other parameters of a preset.
  init(_ strokes: Strokes, _ parameters: PresetParameters) {
    self.init(strokes: strokes)
    let least = Int(parameters["least_character"])
    characterSides = least...max(least, Int(parameters["greatest_character"]))
    capitalHeights = 4...max(4, Float(parameters["greatest_capital"]))
    closing = Int(parameters["closing"])
  }
}

/// A sighting of text along a curve.
struct CurvedTextSighting: Equatable {
  /// The longer side in pixels of the picture in which it was seen.
  var side: Int
  var strokes: Strokes
}

/// Reads text along a curve, if any was seen: unrolls each line and reads it as a straight one.
struct CurvedTextStrategy: ReadingStrategy {
  /// The most lines unrolled, and the most lines read in each strip: other lines run next to it.
  private static let mostLines = 6
  private static let linesOfStrip = 5
  /// The height of capitals in an unrolled line, in pixels, at which the line finder works best.
  private static let capital = 18.0
  /// The number of readings after which no further line starts.
  private static let mostReadings = 8
  /// The same limit if a line was read clearly, since phrases around a ring are far apart and each is a line; and the
  /// most readings of a line.
  private static let mostReadingsOfText = 24
  private static let readingsOfLine = 10

  /// Whether a serial is known, so that only curved text that was seen may be another device's.
  var isForOthers = false

  let name = "text-curved"
  let activity = "Reading text along a curve"
  let followsUp = true

  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome {
    var candidates: [Candidate] = []
    var (lines, readings, limit) = (0, 0, Self.mostReadings)
    for sighting in sightings(context) where readings < limit && !Self.isLikely(candidates) {
      let finder = TextLineFinder(sighting.strokes, context.parameters)
      let picture = try context.photo.reduced(toSide: sighting.side)
      let found = finder.curvedLines(in: picture.picture, most: Self.mostLines)
      for line in found where readings < limit && !Self.isLikely(candidates) && context.hasTime {
        let outcome = try read(line, in: picture, finder, context)
        lines += 1
        readings += outcome.readings
        candidates += outcome.candidates
        if outcome.legibleLines > 0 { limit = Self.mostReadingsOfText }
      }
    }
    return StrategyOutcome(
      candidates: candidates.sorted { $0.confidence > $1.confidence }, summary: "\(lines) lines, \(readings) readings")
  }

  private static func isLikely(_ candidates: [Candidate]) -> Bool {
    candidates.contains { $0.confidence >= EtchedTextStrategy.likely }
  }

  /// The sightings of curved text, plus large light print, which no other strategy searches for. Leaves out the latter
  /// if all text read so far is other text.
  private func sightings(_ context: ReadingContext) -> [CurvedTextSighting] {
    let seen = context.photo.curvedText
    if isForOthers || context.textSeen.isOtherText { return seen }
    let side = min(Int(context.parameters["working_side"]), context.photo.longestUploadedSide)
    return seen + [CurvedTextSighting(side: side / 2, strokes: TextLineFinder(.light, context.parameters).strokes)]
  }

  private func read(
    _ line: CurvedLine, in picture: DecodedPicture, _ finder: TextLineFinder, _ context: ReadingContext
  ) throws(ReadFailure) -> EtchedTextPass.Outcome {
    let side = Double(picture.picture.longestSide)
    // Whole multiples, so that the lines of a photo share a few sizes.
    let source = try context.photo.reduced(toSide: Int(side * (Self.capital / line.capital).rounded(.up)))
    let factor = Double(source.picture.longestSide) / side
    let strip = line.strip(capital: Self.capital, enlargedBy: factor)
    guard !strip.columns.isEmpty else { return EtchedTextPass.Outcome() }
    let flat = DecodedPicture(picture: source.picture.strip(strip), toUploaded: .identity)
    // Positions in the strip are not positions in the photo, so its text is hidden from the other strategies.
    let pass = EtchedTextPass(
      finder: finder, context: context, strategy: name, isFallback: true,
      lineLimit: Self.linesOfStrip, readingLimit: Self.readingsOfLine, cut: .never,
      textSeen: TextSeen(photoSize: PixelSize(width: flat.picture.width, height: flat.picture.height)))
    var outcome = try pass.run(flat)
    for index in outcome.candidates.indices {
      let candidate = outcome.candidates[index]
      guard let region = candidate.region, let recognised = candidate.recognised else { continue }
      outcome.candidates[index].region = region.unrolledBack(by: strip, toUploaded: source.toUploaded)
      outcome.candidates[index].recognised = recognised.unrolledBack(by: strip, toUploaded: source.toUploaded)
      outcome.candidates[index].unrolled = UnrolledRead(strip: flat, recognised: recognised, region: region)
    }
    return outcome
  }
}
