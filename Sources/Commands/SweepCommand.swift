import ArgumentParser
import Evaluations
import Exports
import Foundation
import ScanModel
import Settings
import Support

/// `serialscan sweep DIR`: tunes a preset's parameters on a labelled dataset, like `POST /params/sweep`.
struct SweepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sweep", abstract: "Tune a preset's parameters on a labelled dataset.",
    discussion: """
      The directory is as for `evaluate`. The sweep varies one parameter at a time around the best value so far and \
      reads all pictures with each. The best result has the most correct minus wrong reads; it is never worse than the settings.

      Use at least a hundred pictures, and check the result on others with `evaluate`: few pictures lead to settings \
      that fit only them.

      Examples:
        serialscan sweep datasets/bench --preset etched
        serialscan sweep datasets/bench --preset etched --parameter closing --jobs 2
      """)

  @Argument(help: "A labelled folder, or a folder of labelled folders.", completion: .directory, transform: notEmpty)
  var directory: String

  @Option(help: "The preset to tune; every picture is read with it only.")
  var preset: Preset

  @Option(name: .customLong("parameter"), help: "A parameter to vary. Can be repeated (default: all of the preset).")
  var parameters: [String] = []

  @Option(parsing: .unconditional, help: "How many times each parameter is varied, 1 to 5.")
  var rounds: Int = 1

  @Option(
    name: .customLong("json"), help: "Write every trial as JSON, in the format of the server's sweeps.",
    completion: .file(extensions: ["json"]), transform: notEmpty)
  var jsonPath: String?

  @Option(parsing: .unconditional, help: "Pictures read at the same time.")
  var jobs: Int = 1

  @OptionGroup var overrides: SettingOverrides

  func validate() throws {
    try LabelledFolder.validate(readers: jobs)
    guard ParameterSweep.rounds.contains(rounds) else {
      let bounds = ParameterSweep.rounds
      throw ValidationError("--rounds must be between \(bounds.lowerBound) and \(bounds.upperBound) (got \(rounds))")
    }
  }

  func run() throws {
    let settings = try overrides.load()
    var search = try search(settings)
    let folder = try LabelledFolder(at: directory)
    try InputFiles(folder.files + [overrides.config].compactMap(\.self)).protect(from: jsonPath, of: "--json")
    try OutputFile.check(jsonPath)
    try StandardOutput.shared.print("trial  correct  wrong  score  changed")
    while let parameters = search.next() {
      let unit = "pictures, trial \(search.trials.count + 1) of at most \(search.planned)"
      let evaluation = try folder.read(readers: jobs, settings, unit: unit) { [preset] _ in
        var request = settings.readRequest
        (request.preset, request.parameters) = (preset, parameters)
        return request
      }
      let summary = EvaluationSummary(evaluation.rows)
      let best = search.best
      search.record(parameters, hits: summary.hits, misreads: summary.misreads)
      if let trial = search.trials.last { try tell(trial, number: search.trials.count, before: best, search) }
    }
    try tellBest(search, of: folder.pictures.count)
    guard let jsonPath, let answer = answer(search, folder) else { return }
    try OutputFile.write(Array(WireFormat.encode(answer)), to: jsonPath)
  }

  private func search(_ settings: Settings) throws -> ParameterSearch {
    do {
      return try ParameterSearch(
        from: settings.presets[preset]?.parameters ?? [:], changing: parameters.isEmpty ? nil : parameters,
        within: preset.parameterRanges, rounds: rounds)
    } catch {
      throw ValidationError(
        "\(preset.rawValue) has no parameter \(error.name): it has \(error.known.joined(separator: ", "))")
    }
  }

  /// Prints a row as soon as its trial is done, so that an interrupted sweep does not lose its results.
  private func tell(
    _ trial: ParameterSearch.Trial, number: Int, before: ParameterSearch.Trial?, _ search: ParameterSearch
  ) throws {
    let changed = changes(in: trial, search).map { "\($0.name)=\($0.value)" }
    let isBetter = before.map { trial.score > $0.score } ?? false
    let columns = [(number, 5), (trial.hits, 9), (trial.misreads, 7), (trial.score, 7)].map { value, width in
      let text = String(value)
      return String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let what = changed.isEmpty ? "nothing: the settings" : changed.joined(separator: " ")
    try StandardOutput.shared.print(columns.joined() + "  " + what + (isBetter ? "  (best so far)" : ""))
  }

  private func tellBest(_ search: ParameterSearch, of total: Int) throws {
    guard let best = search.best, let baseline = search.trials.first else { return }
    guard search.isImproved else {
      return try StandardOutput.shared.print(
        "\nNothing better than the settings: \(baseline.hits) correct, \(baseline.misreads) wrong of \(total).")
    }
    try StandardOutput.shared.print(
      "\n\(best.hits) correct, \(best.misreads) wrong of \(total) instead of \(baseline.hits) and \(baseline.misreads), with:"
    )
    for change in changes(in: best, search) {
      try StandardOutput.shared.print("  --set presets.\(preset.rawValue).parameters.\(change.name)=\(change.value)")
    }
  }

  /// Returns the parameters of a trial that differ from the settings, by name.
  private func changes(in trial: ParameterSearch.Trial, _ search: ParameterSearch) -> [(name: String, value: String)] {
    let configured = search.trials.first?.parameters ?? [:]
    return trial.parameters.keys.sorted().compactMap { name in
      guard let value = trial.parameters[name], value != configured[name] else { return nil }
      return (name, String(format: "%.6g", value))
    }
  }

  private func answer(_ search: ParameterSearch, _ folder: LabelledFolder) -> ParameterSweep.Answer? {
    ParameterSweep.Answer(search, dataset: folder.name, preset: preset, total: folder.pictures.count)
  }
}
