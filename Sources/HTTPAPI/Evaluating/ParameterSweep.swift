import Foundation
import ReaderProtocol
import Reports

/// Looks for better numbers of a preset on a labelled folder: one parameter after the other, a few values around the
/// one that is best so far (coordinate search), scored by right minus misread. Never worse than where it began.
struct ParameterSweep: Sendable {
  struct Job: Codable, Sendable {
    var dir: String
    var preset: Preset
    /// The parameters to change; nil for all.
    var parameters: [String]?
    /// How often each is looked at.
    var rounds: Int
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

  /// Runs the sweep; `progress` hears the share that is done, 0...1.
  func run(_ job: Job, progress: @escaping @Sendable (Double) async -> Void) async throws -> Answer {
    let pictures = try evaluator.labelledPictures(job.dir)
    let names = (job.parameters ?? defaults.keys.sorted()).filter { defaults[$0] != nil }
    let planned = Double(1 + job.rounds * names.count * Self.factors.count)
    let baseline = try await trial(defaults, pictures, job)
    var best = baseline
    var trials = [baseline]
    for _ in 0..<job.rounds {
      let before = best.score
      for name in names {
        guard let value = best.parameters[name] else { continue }
        for factor in Self.factors {
          var parameters = best.parameters
          parameters[name] = value == value.rounded() ? (value * factor).rounded() : value * factor
          guard parameters[name] != value else { continue }
          let next = try await trial(parameters, pictures, job)
          trials.append(next)
          if next.score > best.score { best = next }
          await progress(Double(trials.count) / planned)
        }
      }
      if best.score == before { break }
    }
    return Answer(
      dataset: job.dir, preset: job.preset.rawValue, total: pictures.count, baseline: baseline, best: best,
      improved: best.score > baseline.score, trials: trials)
  }

  private func trial(
    _ parameters: [String: Double], _ pictures: [Dataset.Picture], _ job: Job
  ) async throws -> Trial {
    let evaluation = try await evaluator.evaluate(
      pictures, Evaluator.Job(dir: job.dir, preset: job.preset, parameters: parameters))
    let summary = EvaluationSummary(evaluation.rows)
    return Trial(
      parameters: parameters, score: summary.hits - summary.misreads, hits: summary.hits, misreads: summary.misreads)
  }
}
