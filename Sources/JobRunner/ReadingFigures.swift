import ScanModel
import Support

/// Counts of photos by result, and the times of their stages.
public struct ReadingFigures: Sendable, Equatable {
  /// How a job ended.
  public struct Ending: Sendable, Hashable {
    /// The preset that read the photo. If it could not be read, the requested one, or `undecided` if none was
    /// requested.
    public var preset: String
    /// `accepted`, `uncertain`, `refused`, or `failed` if the photo could not be read at all.
    public var verdict: String

    /// Creates an ending.
    public init(_ preset: String, _ verdict: String) {
      self.preset = preset
      self.verdict = verdict
    }
  }

  /// A stage from upload to result; together they cover the whole time.
  public enum Stage: String, Sendable, CaseIterable {
    /// From the upload until a worker claims the job.
    case queue
    /// In the reader process.
    case reading
    /// From the reading until the result is durable.
    case store
  }

  /// Number of strategies counted by name; further ones count as `other`, so that no reader exhausts the memory.
  private static let mostStrategies = 32
  /// The time a reading spends outside strategies: opening the photo, choosing a preset, drawing.
  private static let rest = "rest"

  /// Number of jobs by how they ended.
  public private(set) var endings: [Ending: Int] = [:]
  /// Times by stage.
  public private(set) var stages: [Stage: DurationHistogram] = [:]
  /// Times by strategy, which make up the stage `reading`.
  public private(set) var strategies: [String: DurationHistogram] = [:]

  /// Creates empty statistics.
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
