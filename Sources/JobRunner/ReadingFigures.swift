import ScanModel
import Support

/// What became of the photos, and how long each stage on their way took.
public struct ReadingFigures: Sendable, Equatable {
  /// How a job ended.
  public struct Ending: Sendable, Hashable {
    /// The preset that read the photo; for one that could not be read the one asked for, `undecided` where none was.
    public var preset: String
    /// `accepted`, `uncertain`, `refused`, or `failed` for a photo that could not be read at all.
    public var verdict: String

    /// Creates an ending.
    public init(_ preset: String, _ verdict: String) {
      self.preset = preset
      self.verdict = verdict
    }
  }

  /// One part of the way from the upload to the result; together they are the whole of it.
  public enum Stage: String, Sendable, CaseIterable {
    /// From the upload to a worker.
    case queue
    /// In the reader process.
    case reading
    /// Until the result is durable.
    case store
  }

  /// Names of strategies that are told apart; what comes beyond is `other`, so that no reader fills the memory.
  private static let mostStrategies = 32
  /// What a reading does outside its strategies: opening the photo, choosing a preset, drawing.
  private static let rest = "rest"

  /// Jobs by how they ended.
  public private(set) var endings: [Ending: Int] = [:]
  /// Times of the stages.
  public private(set) var stages: [Stage: DurationHistogram] = [:]
  /// Times of the strategies by name: what the stage `reading` is made of.
  public private(set) var strategies: [String: DurationHistogram] = [:]

  /// Creates figures of nothing.
  public init() {}

  mutating func add(_ seconds: Double, to stage: Stage) {
    stages[stage, default: DurationHistogram()].add(seconds: seconds)
  }

  mutating func add(_ reading: Reading) {
    endings[Ending(reading.preset.rawValue, reading.verdict.rawValue), default: 0] += 1
    for step in reading.trace { add(step.seconds, toStrategy: step.strategy) }
    add(reading.processingTime - reading.trace.reduce(0) { $0 + $1.seconds }, toStrategy: Self.rest)
  }

  mutating func addFailure(of preset: Preset?) {
    endings[Ending(preset?.rawValue ?? "undecided", "failed"), default: 0] += 1
  }

  private mutating func add(_ seconds: Double, toStrategy name: String) {
    let name = String(name.prefix(40))
    let isKnown = strategies[name] != nil || strategies.count < Self.mostStrategies
    strategies[isKnown ? name : "other", default: DurationHistogram()].add(seconds: seconds)
  }
}
