import Foundation
import ReaderProtocol
import Reports

/// Looks for better numbers of a preset on a labelled folder: one parameter after the other, a few values around the
/// one that is best so far (coordinate search), scored by right minus misread. Never worse than where it began.
public struct ParameterSweep: Sendable {
  /// What is looked for.
  public struct Job: Codable, Sendable {
    /// The folder's name below the datasets root.
    public var dir: String
    /// The preset whose parameters are changed.
    public var preset: Preset
    /// The parameters to change; nil for all.
    public var parameters: [String]?
    /// How often each is looked at.
    public var rounds: Int

    /// Creates a question.
    public init(dir: String, preset: Preset, parameters: [String]?, rounds: Int) {
      self.dir = dir
      self.preset = preset
      self.parameters = parameters
      self.rounds = rounds
    }
  }

  struct Trial: Encodable, Sendable {
    var parameters: [String: Double]
    var score: Int
    var hits: Int
    var misreads: Int
  }

  struct Answer: Encodable, Sendable {
    var dataset: String
    var preset: String
    var total: Int
    var baseline: Trial
    var best: Trial
    var improved: Bool
    var trials: [Trial]
  }

  /// Shares of the value so far that are tried.
  private static let factors = [0.7, 0.85, 1.15, 1.4]

  let evaluator: Evaluator
  let defaults: [String: Double]

  /// A parameter was asked for that the preset does not have.
  struct UnknownParameter: Error {
    var name: String
    var known: [String]
  }

  /// The parameters to change, all where none are named. Throws `UnknownParameter`.
  private func names(_ job: Job) throws -> [String] {
    let known = defaults.keys.sorted()
    guard let asked = job.parameters else { return known }
    if let other = asked.first(where: { defaults[$0] == nil }) { throw UnknownParameter(name: other, known: known) }
    return asked
  }

  /// Runs the sweep; `progress` hears the share that is done, 0...1, and a sentence for a person. Throws
  /// `UnknownParameter` before anything is read.
  func run(_ job: Job, progress: @escaping @Sendable (Double, String) async throws -> Void) async throws -> Answer {
    let names = try names(job)
    let pictures = try await evaluator.labelledPictures(job.dir)
    let planned = 1 + job.rounds * names.count * Self.factors.count
    func trial(_ parameters: [String: Double], after earlier: Int) async throws -> Trial {
      try await self.trial(parameters, pictures, job) { share in
        try await progress((Double(earlier) + share) / Double(planned), "Trial \(earlier + 1) of at most \(planned)")
      }
    }
    let baseline = try await trial(defaults, after: 0)
    var best = baseline
    var trials = [baseline]
    for _ in 0..<job.rounds {
      let before = best.score
      for name in names {
        guard let value = best.parameters[name] else { continue }
        for factor in Self.factors {
          var parameters = best.parameters
          parameters[name] = value == value.rounded() ? (value * factor).rounded() : value * factor
          // Small whole numbers come to the same more than once.
          guard !trials.contains(where: { $0.parameters == parameters }) else { continue }
          let next = try await trial(parameters, after: trials.count)
          trials.append(next)
          if next.score > best.score { best = next }
        }
      }
      if best.score == before { break }
    }
    return Answer(
      dataset: job.dir, preset: job.preset.rawValue, total: pictures.count, baseline: baseline, best: best,
      improved: best.score > baseline.score, trials: trials)
  }

  private func trial(
    _ parameters: [String: Double], _ pictures: [Dataset.Picture], _ job: Job,
    progress: @escaping @Sendable (Double) async throws -> Void
  ) async throws -> Trial {
    let evaluation = try await evaluator.evaluate(
      pictures, Evaluator.Job(dir: job.dir, preset: job.preset, parameters: parameters)
    ) { done in try await progress(Double(done) / Double(max(1, pictures.count))) }
    let summary = EvaluationSummary(evaluation.rows)
    return Trial(
      parameters: parameters, score: summary.hits - summary.misreads, hits: summary.hits, misreads: summary.misreads)
  }
}
