import ScanModel
import TextReading

/// One way to look for a serial in a photo. Strategies run in order of expected gain over cost, until one is certain.
protocol ReadingStrategy {
  /// Its name, as results and traces show it.
  var name: String { get }
  /// What is being done, for a person.
  var activity: String { get }
  /// Whether it reads text, as opposed to codes.
  var readsText: Bool { get }
  /// Whether it looks beside what others read, where these found nothing more.
  var followsUp: Bool { get }
  /// Whether it reads tiny strokes of a polarity that no preset's first strategy does, so that what those read well, such as the
  /// large lines of light print on dark metal, says nothing against it.
  var readsOwnStrokes: Bool { get }
  /// Looks for serials.
  func run(in context: ReadingContext) throws(ReadFailure) -> StrategyOutcome
}

extension ReadingStrategy {
  var readsText: Bool { true }
  var followsUp: Bool { false }
  var readsOwnStrokes: Bool { false }
}

/// What a strategy works with.
struct ReadingContext {
  /// The photo, decoded as far as it was needed.
  let photo: Photo
  /// The warm recogniser of this thread.
  let engine: TextEngine
  /// The preset's parameters.
  let parameters: PresetParameters
  /// Told of every line that is read.
  var observer: LineObserver?
  /// How much of the time budget is used.
  let timer: ReadingTimer

  /// Whether further work may be begun.
  var hasTime: Bool { timer.hasTime }
}

/// What a strategy found.
struct StrategyOutcome {
  /// Serials, most probable first.
  var candidates: [Candidate] = []
  /// What was seen, for the trace: `7 lines, 3 read`.
  var summary: String
  /// Whether the photo was read well and holds no serial, or holds no text at all: further strategies that read text
  /// would only cost time.
  var exhaustsText = false
  /// Sentences for a person, for the result's notes.
  var notes: [String] = []
}

/// The reader of one kind of surface: which strategies, in which order.
protocol PresetReader {
  /// What it is for.
  var preset: Preset { get }
  /// Its strategies, in the order in which they are tried.
  var strategies: [any ReadingStrategy] { get }
}
