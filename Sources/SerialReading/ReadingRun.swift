import AppleSerial
import ScanModel

/// One photo being read: what has been tried, and what came of it.
struct ReadingRun {
  /// Confidence from which no further strategy that reads text is tried.
  let acceptance: Double
  private(set) var fusion = Fusion()
  /// Serials that the first strategy read, or the search for codes.
  private var plannedFinds: Set<String> = []
  private var strategies: [StrategyTrace] = []
  /// What was asked of the top serial.
  private var questions: [StrategyTrace] = []
  private(set) var notes: [String] = []
  /// Presets whose reader has read the text there is, so that another look would say no more.
  private var exhausted: Set<Preset> = []
  private var presetByStrategy: [String: Preset] = [:]
  /// Serials that ended the run, and that judgement then thought too little of for that.
  private var disbelieved: Set<String> = []
  /// What the second model was asked, and what it said.
  private var answers: [(read: SerialRead, answer: SecondOpinion.Answer)] = []
  /// Serials around which a maker was looked for.
  private var searched: Set<String> = []

  /// The configuration codes that are known.
  let codes: ConfigurationCodes
  /// Whether every serial is looked for: none ends the run.
  private let wantsEverySerial: Bool

  init(acceptance: Double, wantsEverySerial: Bool = false, codes: ConfigurationCodes = ConfigurationCodes()) {
    (self.acceptance, self.wantsEverySerial, self.codes) = (acceptance, wantsEverySerial, codes)
  }

  /// Whether a strategy is still worth trying, after all that was seen in the photo.
  func wants(_ step: ReadingPlan.Step, after seen: TextSeen) -> Bool {
    if wantsEverySerial, !step.isFallback { return true }
    let serials = fusion.serials.filter { !disbelieved.contains($0.serial) }
    let sureEnough = step.strategy.readsText ? acceptance : Calibration.certain
    if let top = serials.first, top.surest >= sureEnough { return false }
    guard step.strategy.readsText else { return true }
    return (step.strategy.followsUp || !exhausted.contains(step.preset))
      && !(step.isFallback && serials.isEmpty && seen.isOtherText)
  }

  /// Takes in how sure the serials are after all was asked of them.
  ///
  /// A serial that was read surely ends the run. Where judgement leaves less of it than that took, it must not keep what was not tried from
  /// finding another.
  ///
  /// - Returns: Whether the run goes on.
  mutating func disbelieve(_ judgement: SerialJudgement) -> Bool {
    let before = disbelieved.count
    for (index, serial) in judgement.fused.enumerated()
    where serial.surest >= acceptance && judgement.confidence(index) < acceptance {
      disbelieved.insert(serial.serial)
    }
    return disbelieved.count > before
  }

  /// What the second model said of a read at its place; nil where it was not asked.
  func answer(on read: SerialRead) -> SecondOpinion.Answer? {
    answers.first { $0.read.serial == read.serial && $0.read.region == read.region }?.answer
  }

  /// Notes that a maker is looked for around a serial; false where that was done.
  mutating func beginsMakerSearch(around read: SerialRead) -> Bool { searched.insert(read.serial).inserted }

  /// Runs a strategy and takes in what it found.
  ///
  /// - Parameter isForOthers: Whether it looks for other serials alone: what is known already is no news.
  /// - Returns: What it took in.
  mutating func perform(
    _ step: ReadingPlan.Step, in context: ReadingContext, isForOthers: Bool = false
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

  /// Whether the first strategy failed to read a serial, and another one than the search for codes that follows it by plan did.
  func tookFallback(_ read: SerialRead) -> Bool {
    !plannedFinds.contains(read.serial)
  }

  /// The strategies in the order in which they ran, then what was asked of the top serial, if anything.
  var trace: [StrategyTrace] { strategies + questions }

  /// Notes a second opinion, with the confidence before it.
  mutating func note(_ answer: SecondOpinion.Answer, on read: SerialRead, seconds: Double) {
    answers.append((read, answer))
    note("second-opinion", answer.sentence, on: read, seconds: seconds)
  }

  /// Notes what was asked of the top serial, with the confidence before it.
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
