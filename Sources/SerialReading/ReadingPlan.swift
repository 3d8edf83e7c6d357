import ScanModel

/// The strategies to try on a photo, in order.
struct ReadingPlan {
  /// One strategy of one preset.
  struct Step {
    var preset: Preset
    var strategy: any ReadingStrategy
    /// Whether it searches again for text that the presets' first strategies did not find.
    var isFallback = false
  }

  /// The requested preset; nil for auto-detect.
  let givenPreset: Preset?
  /// The steps in order; never empty.
  let steps: [Step]

  /// Creates a plan.
  ///
  /// Starts with the requested preset, or else with the one that the picture suggests. If the request sets parameters
  /// of its preset, no other preset is tried, so that the result reflects those parameters.
  init(request: ReadRequest, photo: Photo) throws(ReadFailure) {
    givenPreset = request.preset
    if let preset = request.preset, !request.parameters.isEmpty {
      steps = Self.steps(of: preset)
      return
    }
    let likeliest = try PresetDecision.order(for: photo)
    let order = request.preset.map { given in [given] + likeliest.filter { $0 != given } } ?? likeliest
    steps = Self.interleaved(order, isScreenshot: try photo.isScreenshot())
  }

  private static func steps(of preset: Preset) -> [Step] {
    let strategies = reader(of: preset).strategies
    let first = strategies.firstIndex { $0.readsText } ?? 0
    return strategies.indices.map {
      Step(preset: preset, strategy: strategies[$0], isFallback: $0 > first && !strategies[$0].readsOwnStrokes)
    }
  }

  /// Interleaves the strategies of the presets.
  ///
  /// The order is: the first preset up to its first text strategy, the codes, the other presets' first text strategies,
  /// what follows from labels, values and print, then each preset's remaining strategies. Only those follow-ups repeat.
  /// In a screenshot, small print is enlarged right after the rows are read.
  private static func interleaved(_ order: [Preset], isScreenshot: Bool) -> [Step] {
    let readers = order.map(Self.steps(of:))
    let firsts = readers.compactMap { $0.first { $0.strategy.readsText } }
    let codes = readers.joined().filter { !$0.strategy.readsText }
    let ownCodes = readers[0].prefix { !$0.strategy.readsText }
    let enlarged = Step(preset: order[0], strategy: EnlargedRowsStrategy())
    let screenshotFirst = isScreenshot && order[0] == .screen ? [enlarged] : []
    var steps: [Step] = []
    // These belong to no preset, so their reads are attributed to the most likely one.
    let strategies: [any ReadingStrategy] = [BesideLabelStrategy(), BesideValueStrategy(), BesidePrintStrategy()]
    let followUps = strategies.map { Step(preset: order[0], strategy: $0) }
    let small = Step(preset: order[0], strategy: SmallRowsStrategy(), isFallback: true)
    var candidates: [Step] = Array(ownCodes)
    candidates += firsts.prefix(1)
    candidates += screenshotFirst
    candidates += codes.prefix(1)
    candidates += firsts.dropFirst()
    candidates += followUps
    candidates += [small, enlarged]
    candidates += readers.joined()
    for step in candidates
    where !steps.contains(where: { $0.strategy.name == step.strategy.name }) {
      steps.append(step)
    }
    return steps + followUps
  }

  /// The reader of a preset.
  private static func reader(of preset: Preset) -> any PresetReader {
    switch preset {
    case .etched: EtchedReader()
    case .screen: ScreenReader()
    case .sticker: StickerReader()
    }
  }
}
