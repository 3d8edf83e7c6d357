import ArgumentParser
import ChildProcess
import Evaluations
import Exports
import Foundation
import ScanModel
import SerialReading
import Settings

/// The pictures of a labelled folder that a command line names, and what reading them comes to.
struct LabelledFolder {
  /// Each reader takes some 150 MB; more of them than this gain nothing on any machine that there is.
  private static let mostReaders = 64

  /// The folder's own name.
  let name: String
  let pictures: [Dataset.Picture]
  /// What stands out in the labels.
  let warnings: [LabelWarning]

  /// Finds the pictures of a labelled folder, or of a folder of such; ends the program with a sentence where there are
  /// none.
  init(at directory: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: directory, isDirectory: &isFolder), isFolder.boolValue else {
      throw CleanExit.failure("there is no folder \(directory)")
    }
    let url = URL(fileURLWithPath: directory, isDirectory: true).standardizedFileURL
    name = url.lastPathComponent
    do {
      let contents = try Dataset(named: name, below: url.deletingLastPathComponent().path).contents()
      (pictures, warnings) = (contents.pictures, contents.warnings)
    } catch let problem as Dataset.Problem {
      throw CleanExit.failure(problem.description)
    } catch let problem as LabelsFile.Problem {
      throw CleanExit.failure(problem.description)
    }
  }

  /// Refuses a number for `--jobs` that no machine has the memory for.
  static func validate(readers: Int) throws {
    guard (1...mostReaders).contains(readers) else {
      throw ValidationError("--jobs is a number from 1 to \(mostReaders), one reader each, not \(readers)")
    }
  }

  /// Reads and judges all pictures; ends the program with a sentence where no reader can be started.
  ///
  /// - Parameters:
  ///   - readers: Pictures read at the same time.
  ///   - unit: What the progress bar counts.
  ///   - request: How a picture of a label is read.
  func read(
    readers: Int, _ settings: Settings, unit: String = "pictures",
    as request: @escaping @Sendable (LabelsFile.Label) -> ReadRequest
  ) throws -> Evaluation {
    try readWithCandidates(readers: readers, settings, unit: unit, as: request).evaluation
  }

  /// Reads and judges all pictures, and tells what each strategy found in each of them; throws as `read`.
  func readWithCandidates(
    readers: Int, _ settings: Settings, unit: String = "pictures",
    as request: @escaping @Sendable (LabelsFile.Label) -> ReadRequest
  ) throws -> (evaluation: Evaluation, candidates: [[EvaluationTable.Candidate]]) {
    let pictures = pictures
    let run = PictureRun(count: pictures.count, readers: readers, unit: unit, settings: settings) { index, reader in
      let picture = pictures[index]
      var candidates: [EvaluationTable.Candidate] = []
      reader.candidateObserver = { candidates.append(EvaluationTable.Candidate($0)) }
      defer { reader.candidateObserver = nil }
      let result = Self.read(picture, with: reader, request(picture.label))
      return (Evaluation.Row(folder: picture.folder, label: picture.label, result: result), candidates)
    }
    let outcomes = pictures.indices.compactMap { run.outcome(at: $0) }
    guard outcomes.count == pictures.count else { throw CleanExit.failure("the reader could not start") }
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
  /// A serial with what it rests on.
  fileprivate init(_ candidate: Candidate) {
    let features = candidate.evidence?.features.map { ($0.name, $0.value) } ?? []
    self.init(
      serial: candidate.serial, confidence: candidate.confidence, method: candidate.method.rawValue,
      strategy: candidate.strategy, features: Dictionary(features) { first, _ in first })
  }
}
