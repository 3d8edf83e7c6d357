import AppleSerial
import ArgumentParser
import ChildProcess
import Evaluations
import Exports
import Foundation
import HTTPAPI
import ScanModel
import SerialReading
import Settings
import Support

/// `serialscan evaluate DIR`: scores a labelled folder, or a folder of labelled folders.
struct EvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate", abstract: "Score labelled folders: correct, wrong, missed, correctly empty.",
    discussion: """
      The directory contains labels.csv (filename,serial, separated by commas or semicolons) beside its pictures, or \
      folders that do. A picture whose label has no serial is correctly empty if no serial is found.

      Examples:
        serialscan evaluate datasets/bench
        serialscan evaluate datasets/bench --preset etched --csv rows.csv --strict
        serialscan evaluate datasets --gates gates.csv --diagram reliability.svg
      """)

  @Argument(help: "A labelled folder, or a folder of labelled folders.", completion: .directory, transform: notEmpty)
  var directory: String

  @Option(help: "Read every picture with this preset (default: auto-detect).")
  var preset: Preset?

  @Flag(help: "Read every picture with the preset that its label names.")
  var labelledPresets = false

  @Option(help: "Write one CSV row per picture.", completion: .file(extensions: ["csv"]), transform: notEmpty)
  var csv: String?

  @Option(
    help: """
      Write a CSV with one row per picture, per candidate and per judged serial with its features, for
      Tools/accuracy/compare.py and calibrate.py.
      """,
    completion: .file(extensions: ["csv"]), transform: notEmpty)
  var table: String?

  @Option(
    name: .customLong("json"), help: "Write summary, reliability diagram and rows as JSON.",
    completion: .file(extensions: ["json"]), transform: notEmpty)
  var jsonPath: String?

  @Option(help: "Draw the reliability diagram as SVG.", completion: .file(extensions: ["svg"]), transform: notEmpty)
  var diagram: String?

  @Option(
    help: """
      A CSV of gates: folder,least_right,most_misreads,most_accepted_misreads. The folder . is the directory itself. Exit \
      status 1 if one is not met.
      """,
    completion: .file(extensions: ["csv"]), transform: notEmpty)
  var gates: String?

  @Option(
    help: "Configuration codes to know, as for `serialscan models import`: a CSV with code,name.",
    completion: .file(extensions: ["csv"]), transform: notEmpty)
  var codes: String?

  @Flag(help: "Exit status 1 if a picture is missing or can't be read.")
  var strict = false

  @Option(parsing: .unconditional, help: "Pictures read at the same time.")
  var jobs: Int = 1

  @OptionGroup var overrides: SettingOverrides

  func validate() throws { try LabelledFolder.validate(readers: jobs) }

  func run() throws {
    let settings = try overrides.load()
    // Parse the gates before reading pictures, which may take hours.
    let gates = try gates.map(Self.gates)
    let codes = try codes.flatMap { ConfigurationCodes(try ModelCodesFile(at: $0).codes) }
    let folder = try LabelledFolder(at: directory)
    let inputs = InputFiles(folder.files + [self.gates, self.codes, overrides.config].compactMap(\.self))
    for (path, option) in [(csv, "--csv"), (table, "--table"), (jsonPath, "--json"), (diagram, "--diagram")] {
      try inputs.protect(from: path, of: option)
      try OutputFile.check(path)
    }
    let (evaluation, findings) = try folder.readWithFindings(readers: jobs, settings) { label in
      var request = settings.readRequest
      request.preset = preset ?? (labelledPresets ? label.preset : nil)
      request.codes = codes
      return request
    }
    // The files are written even if nobody can see the table, and the table is shown even if a file can't be written.
    let isShown = Result {
      for text in [evaluation.table] + evaluation.failures { try StandardOutput.shared.print(text) }
    }
    if let csv { try OutputFile.writing(csv, evaluation.writeCSV) }
    if let table { try OutputFile.writing(table, EvaluationTable(evaluation, findings: findings).write) }
    if let jsonPath { try OutputFile.writing(jsonPath, evaluation.writeJSON) }
    if let diagram {
      let drawing = ReliabilityDrawing(ReliabilityDiagram(evaluation.rows), title: "Reads of \(directory)")
      try OutputFile.writing(diagram, drawing.write)
    }
    try isShown.get()
    if let gates { try Self.check(evaluation, against: gates) }
    if strict, evaluation.rows.contains(where: { $0.outcome == .unreadable }) {
      throw CleanExit.failure("a picture is missing or can't be read")
    }
  }

  private static func gates(_ path: String) throws -> AccuracyGates {
    do {
      let bytes = try RegularFile.bytes(of: path, limit: 1 << 20)
      return try AccuracyGates(csv: String(decoding: bytes, as: UTF8.self))
    } catch is RegularFile.Problem {
      throw CleanExit.failure("the gates file \(path) does not exist or can't be read")
    } catch let problem as AccuracyGates.Problem {
      throw CleanExit.failure("\(path), \(problem)")
    }
  }

  private static func check(_ evaluation: Evaluation, against gates: AccuracyGates) throws {
    let failures = gates.failures(of: evaluation)
    if failures.isEmpty { return try StandardOutput.shared.print("all gates met") }
    throw CleanExit.failure("gates not met:", details: failures)
  }
}
