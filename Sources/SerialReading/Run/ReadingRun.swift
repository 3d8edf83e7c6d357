import ScanModel

/// Reads one photo: the strategies tried, what they found, and what was asked about it.
struct ReadingRun {
  /// The reader, with its engines, settings and observers.
  let reader: SerialReader
  /// How to read the photo.
  let request: ReadRequest
  /// The photo, and what strategies read it with.
  let context: ReadingContext
  /// The strategies in order.
  let plan: Schedule
  /// The columns of lines that the engine had read before.
  private let columnsBefore: Int

  private(set) var fusion = Fusion()
  /// Serials read by the first strategy or by the search for codes.
  private var plannedFinds: Set<String> = []
  private var strategies: [StrategyTrace] = []
  /// The questions asked about the top serial, for the trace.
  var questions: [StrategyTrace] = []
  private var notes: [String] = []
  /// Presets whose reader has read all text well, so that another attempt would find nothing new.
  private var exhausted: Set<Preset> = []
  private var presetByStrategy: [String: Preset] = [:]
  /// Serials that ended the run, but whose confidence later checks lowered below `acceptance`.
  private var disbelieved: Set<String> = []
  /// The reads that the second model was asked about, with its answers.
  var answers: [(read: SerialRead, answer: SecondOpinion.Answer)] = []
  /// Serials around which a maker was searched for.
  var searched: Set<String> = []

  /// Plans how to read a photo.
  init(_ photo: Photo, _ request: ReadRequest, _ timer: ReadingTimer, by reader: SerialReader) throws(ReadFailure) {
    (self.reader, self.request) = (reader, request)
    columnsBefore = reader.engine.columnsRead
    plan = try Schedule(request: request, photo: photo)
    context = ReadingContext(
      photo: photo, engine: reader.engine, parameters: try reader.parameters(of: plan.steps[0].preset),
      observer: reader.observer, timer: timer)
  }

  /// The confidence from which no further text strategy is tried.
  private var acceptance: Double { min(reader.thresholds.accept, Calibration.settled) }

  /// Reads the photo.
  ///
  /// - Parameter progress: Called before each strategy with the completed share of the plan, 0...1, and the strategy.
  mutating func reading(progress: (Double, any ReadingStrategy) -> Void) throws(ReadFailure) -> Reading {
    let (photo, timer) = (context.photo, context.timer)
    let judgement = try judgement(progress: progress)
    reader.explanation?.end(self, judgement)
    reader.judgementObserver?(judgement.judgedSerials)
    let placed = judgement.reads.map { $0.placed(in: photo) }
    let top = photo.wantsEverySerial ? nil : placed.first
    let others = top.map { judgement.elsewhere(than: $0, among: placed) } ?? []
    let likely = top.flatMap { others.isEmpty ? judgement.likelySerials(beside: $0, among: placed) : nil } ?? []
    let reads = verdicts(on: placed, areOthers: !others.isEmpty || !likely.isEmpty)
    let serials = reads.prefix { $0.confidence >= reader.thresholds.refuse }
    let shown = serials.first
    if reader.fields != .none, !photo.wantsEverySerial, timer.hasTime, let region = judgement.topRegion {
      FieldSearch(context: context, extent: reader.fields).run(
        beside: region, afterColumns: reader.engine.columnsRead - columnsBefore)
    }
    let warnings: [String] =
      others.map { photo.note(onOther: "Another serial number, \($0.serial)", at: $0.region) }
      + likely.map { photo.note(onOther: "What may be another serial number, \($0.text)", at: photo.placed($0.region)) }
      + (judgement.isDamaged ? [Doubt.damagedFile.sentence] : [])
    // Neither the first strategy nor the planned search for codes read the serial.
    let tookFallback = shown.map { !plannedFinds.contains($0.serial) } ?? false
    var reading = Reading(
      verdict: shown?.verdict ?? .refused, serials: Array(serials),
      refused: reads.dropFirst(serials.count).prefix(Reading.mostRefused).map(\.withoutCharacters),
      preset: request.preset ?? preset(of: shown) ?? plan.steps[0].preset,
      presetWasDetected: request.preset == nil,
      strategyUsed: shown?.strategy ?? strategies.last?.strategy ?? "none", fallbackUsed: tookFallback, trace: trace,
      notes: notes + fusion.notes + Self.notes(onPlaceholders: reads) + warnings,
      photoSize: photo.wholeSize, processingTime: timer.wallSeconds, cpuTime: timer.cpuSeconds)
    if reader.fields != .none {
      reading.fields = FieldFinder(photo.textSeen).fields.map { $0.placed(in: photo) }
    }
    return reading
  }

  /// The reads with their verdicts. Only the first can be accepted, and only if no other device's serial was seen.
  private func verdicts(on reads: [SerialRead], areOthers: Bool) -> [SerialRead] {
    reads.enumerated().map { index, read in
      var judged = read
      let verdict = reader.thresholds.verdict(on: read.confidence)
      judged.verdict = verdict == .accepted && (index > 0 || areOthers) ? .uncertain : verdict
      if index == 0, areOthers { judged.doubts = (read.doubts ?? []) + [.otherDevice] }
      return judged
    }
  }

  /// Notes on samples and masks that were read. They are never accepted.
  private static func notes(onPlaceholders reads: [SerialRead]) -> [String] {
    reads.filter(\.isPlaceholder).map {
      "\($0.serial) is a sample or a mask, not a device's serial: its characters repeat or count up."
    }
  }

  /// Runs the strategies until a serial is sure enough, and judges all that they found.
  private mutating func judgement(progress: (Double, any ReadingStrategy) -> Void) throws(ReadFailure)
    -> SerialJudgement
  {
    let photo = context.photo
    var tried: Set<Int> = []
    var judgement: SerialJudgement
    repeat {
      for (index, step) in plan.steps.enumerated()
      where !tried.contains(index) && wants(step) && context.hasTime {
        tried.insert(index)
        progress(Double(index) / Double(plan.steps.count), step.strategy)
        let isOfPreset = (request.preset ?? step.preset) == step.preset
        let found = try perform(step, replacing: isOfPreset ? request.parameters : [:])
        if photo.wantsEverySerial {
          for serial in fusion.serials where serial.surest >= Calibration.certain {
            serial.places.forEach(photo.textSeen.noteSure)
          }
        }
        if let observer = reader.candidateObserver { found.forEach(observer) }
      }
      judgement = try askedJudgement()
    } while disbelieve(judgement) && context.hasTime
    if !photo.wantsEverySerial, judgement.isAccepted, try looksElsewhere() { judgement = try askedJudgement() }
    return judgement
  }

  /// Searches for other devices' serials at low cost: in codes not yet searched, next to labels without a serial, and
  /// in lines not yet read.
  ///
  /// - Returns: Whether it found any new candidate.
  private mutating func looksElsewhere() throws(ReadFailure) -> Bool {
    let seen = context.textSeen
    let known = fusion.serials.filter { $0.confidence >= reader.thresholds.refuse }
    let knownLabels = known.flatMap(\.places).compactMap(seen.label)
    let labels = seen.labels.filter { label in !knownLabels.contains { $0.place.isNear(label.place) } }
    func hasRun(_ strategy: any ReadingStrategy) -> Bool { strategies.contains { $0.strategy == strategy.name } }
    var isNew = false
    var others: [any ReadingStrategy] = hasRun(BarcodeStrategy()) ? [] : [BarcodeStrategy(scope: .large)]
    if !labels.isEmpty { others.append(BesideLabelStrategy(otherLabels: labels)) }
    others.append(OtherLinesStrategy(known: known, isEtched: preset(of: known.first?.read) == .etched))
    if !context.photo.curvedText.isEmpty, !hasRun(CurvedTextStrategy()) {
      others.append(CurvedTextStrategy(isForOthers: true))
    }
    for strategy in others where context.hasTime && !isNew {
      let step = Schedule.Step(preset: plan.steps[0].preset, strategy: strategy)
      isNew = try !perform(step, isForOthers: true).isEmpty
    }
    return isNew
  }

  /// Whether a strategy is still worth trying, after everything seen in the photo.
  private func wants(_ step: Schedule.Step) -> Bool {
    let seen = context.textSeen
    if context.wantsEverySerial, !step.isFallback { return true }
    if seen.hasSureSerial, !step.strategy.mayReadOtherDevices { return false }
    let serials = fusion.serials.filter { !disbelieved.contains($0.serial) }
    let sureEnough = step.strategy.readsText ? acceptance : Calibration.certain
    if let top = serials.first, top.surest >= sureEnough { return false }
    guard step.strategy.readsText else { return true }
    if step.isForFewRows, seen.hasManyRows { return false }
    if step.strategy.readsOtherPolarity, seen.hasBothPolarities { return true }
    return (step.strategy.followsUp || !exhausted.contains(step.preset))
      && !(step.isFallback && serials.isEmpty && seen.isOtherText)
  }

  /// Records the serials whose confidence the judgement lowered below `acceptance`.
  ///
  /// A confident serial ends the run. If later checks lower it, the remaining strategies still run.
  ///
  /// - Returns: Whether the run continues.
  private mutating func disbelieve(_ judgement: SerialJudgement) -> Bool {
    let before = disbelieved.count
    for (index, serial) in judgement.fused.enumerated()
    where serial.surest >= acceptance && judgement.confidence(index) < acceptance {
      disbelieved.insert(serial.serial)
    }
    return disbelieved.count > before
  }

  /// Runs a strategy and adds its candidates.
  ///
  /// - Parameters:
  ///   - replaced: Parameters of its preset to replace.
  ///   - isForOthers: Whether it looks only for other serials, so that candidates for known ones are dropped.
  /// - Returns: The candidates added.
  private mutating func perform(
    _ step: Schedule.Step, replacing replaced: [String: Double] = [:], isForOthers: Bool = false
  ) throws(ReadFailure) -> [Candidate] {
    reader.explanation?.begin(step.name, in: context.photo)
    let start = ContinuousClock.now
    var context = context
    context.parameters = try reader.parameters(of: step.preset, replacing: replaced)
    let outcome = try step.strategy.run(in: context)
    let best = outcome.candidates.max { $0.confidence < $1.confidence }
    strategies.append(
      StrategyTrace(
        strategy: step.strategy.name, seconds: (ContinuousClock.now - start) / .seconds(1),
        outcome: best == nil ? "no serial (\(outcome.summary))" : outcome.summary, serial: best?.serial,
        confidence: best?.confidence))
    if strategies.count == 1 || (step.strategy as? BarcodeStrategy)?.scope == .whole {
      plannedFinds.formUnion(outcome.candidates.map(\.serial))
    }
    let known = Set(isForOthers ? fusion.serials.map(\.serial) : [])
    let candidates = outcome.candidates.filter { !known.contains($0.serial) }
    fusion.add(candidates)
    notes += outcome.notes
    if outcome.exhaustsText { exhausted.insert(step.preset) }
    presetByStrategy[step.strategy.name] = step.preset
    return candidates
  }

  /// The strategies in the order they ran, then the questions asked about the top serial.
  var trace: [StrategyTrace] { strategies + questions }

  /// The preset whose strategy read a serial, or that of stickers for a code in place of etched text, which has none.
  func preset(of read: SerialRead?) -> Preset? {
    guard let read, let preset = presetByStrategy[read.strategy] else { return nil }
    return preset == .etched && read.method.hasPrefix("barcode") ? .sticker : preset
  }
}
