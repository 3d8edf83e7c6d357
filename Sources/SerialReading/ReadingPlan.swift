import ScanModel

/// Which strategies of which presets are tried on a photo, in which order.
struct ReadingPlan {
  /// One strategy of one preset.
  struct Step {
    var preset: Preset
    var strategy: any ReadingStrategy
    /// Whether it looks once more for text that the presets' first strategies did not find.
    var isFallback = false
  }

  /// The preset that was asked for, if any.
  let givenPreset: Preset?
  /// In order; never empty.
  let steps: [Step]

  /// Plans by the preset asked for, the others after it, or by what the picture looks like. Where parameters of that preset are
  /// tried, no other comes after it: what is read shall tell them apart.
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

  /// Of the first preset all up to its first strategy for text, then the codes, then the others' first strategies for text
  /// and what labels, values and print lead to, then what is left of each; none twice by name, but what new labels, values and print lead to.
  /// Small print of a screenshot is enlarged before anything else than rows is looked for.
  private static func interleaved(_ order: [Preset], isScreenshot: Bool) -> [Step] {
    let readers = order.map(Self.steps(of:))
    let firsts = readers.compactMap { $0.first { $0.strategy.readsText } }
    let codes = readers.joined().filter { !$0.strategy.readsText }
    let ownCodes = readers[0].prefix { !$0.strategy.readsText }
    let enlarged = Step(preset: order[0], strategy: EnlargedRowsStrategy())
    let screenshotFirst = isScreenshot && order[0] == .screen ? [enlarged] : []
    var steps: [Step] = []
    // These belong to no preset: what they read is told as the likeliest's.
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

  /// The reader of each preset.
  private static func reader(of preset: Preset) -> any PresetReader {
    switch preset {
    case .etched: EtchedReader()
    case .screen: ScreenReader()
    case .sticker: StickerReader()
    }
  }
}
