import ArgumentParser
import ChildProcess
import Evaluations
import Exports
import Foundation
import ScanModel
import SerialReading
import Settings

/// The pictures of a labelled folder named on the command line.
struct LabelledFolder {
  /// The maximum number of readers. Each takes about 150 MB, and more than this are of no use on any current machine.
  private static let mostReaders = 64

  /// The folder's own name.
  let name: String
  let pictures: [Dataset.Picture]
  /// The warnings about the labels.
  let warnings: [LabelWarning]
  /// The files that are read: the pictures and their labels.
  let files: [String]

  /// Finds the pictures of a labelled folder, or of a folder of labelled folders. Ends the program with a message if
  /// there are none.
  init(at directory: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: directory, isDirectory: &isFolder), isFolder.boolValue else {
      throw InputPath.missing(directory, "there is no folder \(directory)")
    }
    let url = URL(fileURLWithPath: directory, isDirectory: true).standardizedFileURL
    name = url.lastPathComponent
    do {
      let contents = try Dataset(named: name, below: url.deletingLastPathComponent().path).contents()
      (pictures, warnings) = (contents.pictures, contents.warnings)
      let labels = Set(pictures.map(\.folder)).map { url.appendingPathComponent($0).path + "/labels.csv" }
      files = labels + pictures.compactMap(\.path)
    } catch let problem as Dataset.Problem {
      throw CleanExit.failure(problem.description)
    } catch let problem as LabelsFile.Problem {
      throw CleanExit.failure(problem.description)
    }
  }

  /// Rejects a number for `--jobs` that needs more memory than any machine has.
  static func validate(readers: Int) throws {
    guard (1...mostReaders).contains(readers) else {
      throw ValidationError("--jobs must be between 1 and \(mostReaders) readers (got \(readers))")
    }
  }

  /// Reads all pictures and compares them with their labels. Ends the program with a message if no reader can be
  /// started.
  ///
  /// - Parameters:
  ///   - readers: The number of pictures read concurrently.
  ///   - unit: What the progress bar counts.
  ///   - request: Returns the read request for a labelled picture.
  func read(
    readers: Int, _ settings: Settings, unit: String = "pictures",
    as request: @escaping @Sendable (LabelsFile.Label) -> ReadRequest
  ) throws -> Evaluation {
    try readWithFindings(readers: readers, settings, unit: unit, as: request).evaluation
  }

  /// Like `read`, but also returns the candidates and judged serials of each picture.
  func readWithFindings(
    readers: Int, _ settings: Settings, unit: String = "pictures",
    as request: @escaping @Sendable (LabelsFile.Label) -> ReadRequest
  ) throws -> (evaluation: Evaluation, findings: [EvaluationTable.Findings]) {
    let pictures = pictures
    let run = PictureRun(count: pictures.count, readers: readers, unit: unit, settings: settings) { index, reader in
      let picture = pictures[index]
      var findings = EvaluationTable.Findings()
      reader.candidateObserver = { findings.candidates.append(EvaluationTable.Candidate($0)) }
      reader.judgementObserver = { findings.serials += $0.map(EvaluationTable.Candidate.init) }
      defer { (reader.candidateObserver, reader.judgementObserver) = (nil, nil) }
      let result = Self.read(picture, with: reader, request(picture.label))
      return (Evaluation.Row(folder: picture.folder, label: picture.label, result: result), findings)
    }
    let outcomes = pictures.indices.compactMap { run.outcome(at: $0) }
    guard outcomes.count == pictures.count else {
      throw CleanExit.failure("the reader could not be started; `serialscan doctor` finds the cause")
    }
    return (Evaluation(rows: outcomes.map(\.0), warnings: warnings), outcomes.map(\.1))
  }

  private static func read(
    _ picture: Dataset.Picture, with reader: SerialReader, _ request: ReadRequest
  ) -> Result<Reading, ReadFailure> {
    if let failure = picture.failure { return .failure(failure) }
    guard let path = picture.path else { return .failure(ReadFailure(.photoMissing, "There is no such picture.")) }
    return Result { () throws(ReadFailure) in
      try reader.read(PhotoFile(path: path).read(limit: .max), request).reading
    }
  }
}

extension EvaluationTable.Candidate {
  /// Converts a serial with its features.
  fileprivate init(_ candidate: Candidate) {
    let features = candidate.evidence.map(Calibration.features) ?? []
    self.init(
      serial: candidate.serial, confidence: candidate.confidence, method: candidate.method.rawValue,
      strategy: candidate.strategy, features: Dictionary(features.map { ($0.feature.rawValue, $0.value) }) { $1 })
  }

  /// Converts a judged serial.
  fileprivate init(_ judged: JudgedSerial) {
    self.init(
      serial: judged.serial, confidence: judged.confidence, method: "", strategy: "", features: judged.features)
  }
}
