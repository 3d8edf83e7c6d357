import Exports
import Foundation
import ScanModel

/// Tunes a preset's parameters on a labelled folder. The score is correct reads minus misreads; the result is never
/// worse than the configured parameters.
public struct ParameterSweep: Sendable {
  /// The parameters of a sweep.
  public struct Job: Codable, Sendable {
    /// The folder's name below the datasets root.
    public var dir: String
    /// The preset whose parameters are changed.
    public var preset: Preset
    /// The parameters to change; nil for all.
    public var parameters: [String]?
    /// The maximum number of passes over the parameters.
    public var rounds: Int

    /// Creates the parameters of a sweep.
    public init(dir: String, preset: Preset, parameters: [String]?, rounds: Int) {
      self.dir = dir
      self.preset = preset
      self.parameters = parameters
      self.rounds = rounds
    }
  }

  /// The result of a sweep.
  public struct Answer: Encodable, Sendable {
    var dataset: String
    var preset: String
    var total: Int
    var baseline: ParameterSearch.Trial
    var best: ParameterSearch.Trial
    var improved: Bool
    var trials: [ParameterSearch.Trial]

    /// Creates the result of a search over `total` pictures; nil if nothing was tried.
    public init?(_ search: ParameterSearch, dataset: String, preset: Preset, total: Int) {
      guard let baseline = search.trials.first, let best = search.best else { return nil }
      self.dataset = dataset
      self.preset = preset.rawValue
      self.total = total
      self.baseline = baseline
      self.best = best
      improved = search.isImproved
      trials = search.trials
    }
  }

  /// The allowed numbers of passes.
  public static let rounds = 1...5

  let evaluator: Evaluator
  let defaults: [String: Double]

  /// Runs the sweep. Calls `progress` with the completed share, 0...1, and a sentence. Throws
  /// `ParameterSearch.UnknownParameter` before reading anything.
  func run(_ job: Job, progress: @escaping @Sendable (Double, String) async throws -> Void) async throws -> Answer? {
    var search = try ParameterSearch(
      from: defaults, changing: job.parameters, within: job.preset.parameterRanges, rounds: job.rounds)
    let contents = try await evaluator.contents(of: job.dir)
    let count = contents.pictures.count
    while let parameters = search.next() {
      let (earlier, planned) = (search.trials.count, search.planned)
      let evaluation = try await evaluator.evaluate(
        contents, Evaluator.Job(dir: job.dir, preset: job.preset, parameters: parameters)
      ) { done in
        let share = Double(done) / Double(max(1, count))
        try await progress((Double(earlier) + share) / Double(planned), "Trial \(earlier + 1) of at most \(planned)")
      }
      let summary = EvaluationSummary(evaluation.rows)
      search.record(parameters, hits: summary.hits, misreads: summary.misreads)
    }
    return Answer(search, dataset: job.dir, preset: job.preset, total: count)
  }
}
