import AppleSerial
import ScanModel

/// The state of reading one photo: the strategies tried and what they found.
struct ReadingRun {
  /// The confidence from which no further text strategy is tried.
  let acceptance: Double
  private(set) var fusion = Fusion()
  /// Serials read by the first strategy or by the search for codes.
  private var plannedFinds: Set<String> = []
  private var strategies: [StrategyTrace] = []
  /// The questions asked about the top serial, for the trace.
  private var questions: [StrategyTrace] = []
  private(set) var notes: [String] = []
  /// Presets whose reader has read all text well, so that another attempt would find nothing new.
  private var exhausted: Set<Preset> = []
  private var presetByStrategy: [String: Preset] = [:]
  /// Serials that ended the run, but whose confidence later checks lowered below `acceptance`.
  private var disbelieved: Set<String> = []
  /// The reads that the second model was asked about, with its answers.
  private var answers: [(read: SerialRead, answer: SecondOpinion.Answer)] = []
  /// Serials around which a maker was searched for.
  private var searched: Set<String> = []

  /// The known configuration codes.
  let codes: ConfigurationCodes
  /// Whether every serial is wanted, so that no serial ends the run.
  private let wantsEverySerial: Bool

  init(acceptance: Double, wantsEverySerial: Bool = false, codes: ConfigurationCodes = ConfigurationCodes()) {
    (self.acceptance, self.wantsEverySerial, self.codes) = (acceptance, wantsEverySerial, codes)
  }

  /// Whether a strategy is still worth trying, after everything seen in the photo.
  func wants(_ step: Schedule.Step, after seen: TextSeen) -> Bool {
    if wantsEverySerial, !step.isFallback { return true }
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
  mutating func disbelieve(_ judgement: SerialJudgement) -> Bool {
    let before = disbelieved.count
    for (index, serial) in judgement.fused.enumerated()
    where serial.surest >= acceptance && judgement.confidence(index) < acceptance {
      disbelieved.insert(serial.serial)
    }
    return disbelieved.count > before
  }

  /// The second model's answer on a read at its place; nil if it was not asked.
  func answer(on read: SerialRead) -> SecondOpinion.Answer? {
    answers.first { $0.read.serial == read.serial && $0.read.region == read.region }?.answer
  }

  /// Records a maker search around a serial; returns false if there was one before.
  mutating func beginsMakerSearch(around read: SerialRead) -> Bool { searched.insert(read.serial).inserted }

  /// Runs a strategy and adds its candidates.
  ///
  /// - Parameter isForOthers: Whether it looks only for other serials, so that candidates for known ones are dropped.
  /// - Returns: The candidates added.
  mutating func perform(
    _ step: Schedule.Step, in context: ReadingContext, isForOthers: Bool = false
  ) throws(ReadFailure) -> [Candidate] {
    let start = ContinuousClock.now
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

  /// Whether the whole picture was searched for codes.
  var hasSearchedCodes: Bool { strategies.contains { $0.strategy == BarcodeStrategy().name } }

  /// The name of the last strategy that ran.
  var lastStrategy: String? { strategies.last?.strategy }

  /// Whether neither the first strategy nor the planned search for codes read the serial.
  func tookFallback(_ read: SerialRead) -> Bool {
    !plannedFinds.contains(read.serial)
  }

  /// The strategies in the order they ran, then the questions asked about the top serial.
  var trace: [StrategyTrace] { strategies + questions }

  /// Records a second opinion.
  mutating func note(_ answer: SecondOpinion.Answer, on read: SerialRead) { answers.append((read, answer)) }

  /// Records a question about the top serial, with the confidence before it.
  mutating func note(_ question: String, _ answer: String, on read: SerialRead, seconds: Double) {
    questions.append(
      StrategyTrace(
        strategy: question, seconds: seconds, outcome: answer, serial: read.serial, confidence: read.confidence))
  }

  /// The preset whose strategy read a serial.
  func preset(of read: SerialRead?) -> Preset? {
    read.flatMap { presetByStrategy[$0.strategy] }
  }
}
