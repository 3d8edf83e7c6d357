import ArgumentParser
import Foundation
import ReaderProcess
import ReaderProtocol
import Reports
import SerialReading
import Settings

/// The pictures of a labelled folder that a command line names, and what reading them comes to.
struct LabelledFolder {
  /// Each reader takes some 150 MB; more of them than this gain nothing on any machine that there is.
  private static let mostReaders = 64

  /// The folder's own name.
  let name: String
  let pictures: [Dataset.Picture]

  /// Finds the pictures of a labelled folder, or of a folder of such; ends the program with a sentence where there are
  /// none.
  init(at directory: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: directory, isDirectory: &isFolder), isFolder.boolValue else {
      throw CleanExit.stop("there is no folder \(directory)")
    }
    let url = URL(fileURLWithPath: directory, isDirectory: true).standardizedFileURL
    name = url.lastPathComponent
    do {
      pictures = try Dataset(named: name, below: url.deletingLastPathComponent().path).pictures()
    } catch let problem as Dataset.Problem {
      throw CleanExit.stop(problem.description)
    } catch let problem as LabelsFile.Problem {
      throw CleanExit.stop(problem.description)
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
    let pictures = pictures
    let run = PictureRun(count: pictures.count, readers: readers, unit: unit, settings: settings) { index, reader in
      let picture = pictures[index]
      return Evaluation.Row(
        folder: picture.folder, label: picture.label,
        result: Self.read(picture, with: reader, request(picture.label)))
    }
    let evaluation = Evaluation(rows: pictures.indices.compactMap { run.outcome(at: $0) })
    guard evaluation.rows.count == pictures.count else { throw CleanExit.stop("the reader could not start") }
    return evaluation
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
