import Imaging
import ScanModel

/// The strategies that read a photo, in order.
///
/// Every strategy is tried, in this order, until a serial is certain. A preset changes the order only, so that a wrong
/// one costs time and not the serial.
package struct Schedule {
  /// One strategy, and the preset whose parameters it uses.
  package struct Step {
    package var preset: Preset
    var strategy: any ReadingStrategy
    /// Whether it searches again for text that earlier strategies did not find, so that much legible other text rules it
    /// out. It does not rule out tiny light strokes and print along a curve, which no earlier strategy reads.
    var isFallback = false
    /// Whether many rows rule it out: it was made for photos, and would read a page of text once more.
    var isForFewRows = false

    /// The strategy's name, shown in traces.
    package var name: String { strategy.name }

    /// Whether a changed copy of the photo may bring out what it looks for. Smoothing noise blurs small print and small
    /// codes, and pictures at half the size and turned ones are smooth already.
    var gainsByChange: Bool {
      switch strategy {
      case let text as EtchedTextStrategy: text.view == .whole
      case let codes as BarcodeStrategy: codes.scope == .whole
      default: !(strategy is EnlargedRowsStrategy)
      }
    }

    /// The same step for a picture with few rows.
    var ifFewRows: Step {
      Step(preset: preset, strategy: strategy, isFallback: isFallback, isForFewRows: true)
    }
  }

  /// The steps in order; never empty.
  let steps: [Step]

  /// Plans how to read a photo: in the requested preset's order, or else in that of the preset that the picture
  /// suggests.
  init(request: ReadRequest, photo: Photo) throws(ReadFailure) {
    let isScreenshot = try photo.isScreenshot()
    let isScreen = isScreenshot ? true : try Self.isDark(photo)
    let steps = Self.steps(
      request.preset ?? (isScreen ? .screen : .etched), isScreen: isScreen, isScreenshot: isScreenshot)
    self.steps =
      switch photo.change {
      case nil: steps
      case .smoothed: steps.filter(\.gainsByChange)
      case .evened, .closer: steps.filter { $0.gainsByChange && !$0.isFallback }
      }
  }

  /// The steps: first what each surface is usually read by, and the codes; then what follows from labels, values and
  /// print that were read; then further attempts, those at the likeliest surface first; then once more what follows.
  ///
  /// - Parameters:
  ///   - likeliest: The surface that the photo most likely shows.
  ///   - isScreen: Whether a display is likelier than etched text.
  ///   - isScreenshot: Whether the picture was drawn rather than photographed.
  package static func steps(_ likeliest: Preset, isScreen: Bool, isScreenshot: Bool) -> [Step] {
    let codes = Step(preset: likeliest, strategy: BarcodeStrategy())
    let text = Step(preset: .etched, strategy: EtchedTextStrategy(polarity: .dark))
    let rows = Step(preset: .screen, strategy: RowsStrategy(name: "rows", activity: "Reading the rows", finder: \.main))
    let label = Step(preset: .sticker, strategy: LabelStrategy())
    let enlarged = Step(preset: .screen, strategy: EnlargedRowsStrategy())
    let besides: [any ReadingStrategy] = [BesideLabelStrategy(), BesideValueStrategy(), BesidePrintStrategy()]
    let beside = besides.map { Step(preset: likeliest, strategy: $0) }
    let furtherText = [
      Step(preset: .etched, strategy: EtchedTextStrategy(polarity: .light)),
      Step(preset: .etched, strategy: EtchedTextStrategy(polarity: .dark, view: .half), isFallback: true),
      Step(preset: .etched, strategy: CurvedTextStrategy()),
      Step(preset: .etched, strategy: EtchedTextStrategy(polarity: .dark, view: .turned(30)), isFallback: true),
      Step(preset: .etched, strategy: EtchedTextStrategy(polarity: .dark, view: .turned(-30)), isFallback: true),
    ]
    let regions = Step(preset: .sticker, strategy: BarcodeStrategy(scope: .regions), isFallback: true)
    switch likeliest {
    case .etched:
      return [text, codes, rows, label] + beside + [enlarged] + furtherText
        + further([slanted, inverted, contrast], of: .screen) + [regions] + beside
    case .screen where isScreenshot:
      // A screenshot is sharp, so its print can be read however small it is.
      return [rows, enlarged, codes, Step(preset: .screen, strategy: inverted)] + beside
        + further([slanted, contrast], of: .screen) + [text, label].map(\.ifFewRows) + furtherText + [regions] + beside
    case .screen:
      return [rows, codes, text, label] + beside + [enlarged]
        + further([slanted, inverted, contrast], of: .screen) + furtherText + [regions] + beside
    case .sticker:
      return [codes, label] + (isScreen ? [rows, text] : [text, rows]) + beside + [enlarged]
        + further([contrast, slanted, inverted], of: .sticker) + [regions] + furtherText + beside
    }
  }

  private static let slanted = SlantedRowsStrategy()
  private static let inverted = RowsStrategy(
    name: "rows-inverted", activity: "Reading rows of the other polarity", finder: \.other)
  private static let contrast = RowsStrategy(
    name: "rows-contrast", activity: "Reading fainter and bolder rows", finder: \.mainOtherContrast)

  /// Further attempts at rows, with the parameters of one of the presets that have rows.
  private static func further(_ strategies: [any ReadingStrategy], of preset: Preset) -> [Step] {
    strategies.map { Step(preset: preset, strategy: $0, isFallback: true) }
  }

  /// The median gray value, 0...255, below which a photo most likely shows a display. Displays are brighter than their
  /// surroundings, and many show light text on black.
  private static let darkMedian = 90

  private static func isDark(_ photo: Photo) throws(ReadFailure) -> Bool {
    try photo.workingPicture().picture.percentile(0.5) < darkMedian
  }
}
