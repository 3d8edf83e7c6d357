import BlobFiles
import Foundation
import JobStore
import ReaderProtocol
import Reports

/// Reads the pictures of a labelled folder and judges them.
struct Evaluator: Sendable {
  /// What is evaluated.
  struct Job: Codable, Sendable {
    /// The folder's name below the datasets root.
    var dir: String
    var preset: Preset?
    var parameters: [String: Double] = [:]
  }

  let datasetsPath: String
  /// Where reports go.
  let blobs: any BlobStore
  let workers: Int
  let maxPixels: Int
  let timeBudget: Double
  let presets: [Preset: APIConfiguration.PresetParameters]
  let read: @Sendable (_ path: String, ReadRequest) async throws -> Reading

  init(
    _ configuration: APIConfiguration, blobs: any BlobStore,
    read: @escaping @Sendable (_ path: String, ReadRequest) async throws -> Reading
  ) {
    datasetsPath = configuration.datasetsPath
    self.blobs = blobs
    workers = configuration.workers
    maxPixels = configuration.maxPixels
    timeBudget = configuration.timeBudget
    presets = configuration.presets
    self.read = read
  }

  /// Finds a labelled folder with its pictures.
  func labelledPictures(_ name: String) async throws -> [Dataset.Picture] {
    try await FileThreads.run { [datasetsPath] in try Dataset(named: name, below: datasetsPath).pictures() }
  }

  /// Reads and judges all pictures; `progress` hears how many are done.
  func evaluate(
    _ pictures: [Dataset.Picture], _ job: Job, progress: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) async throws -> Evaluation {
    var rows = [Evaluation.Row?](repeating: nil, count: pictures.count)
    try await withThrowingTaskGroup(of: (Int, Evaluation.Row).self) { group in
      var next = 0
      var done = 0
      func add() {
        guard next < pictures.count else { return }
        let index = next
        next += 1
        group.addTask { (index, try await row(pictures[index], job)) }
      }
      for _ in 0..<max(1, workers) { add() }
      for try await (index, row) in group {
        rows[index] = row
        done += 1
        try await progress(done)
        add()
      }
    }
    return Evaluation(rows: rows.compactMap { $0 })
  }

  private func row(_ picture: Dataset.Picture, _ job: Job) async throws -> Evaluation.Row {
    let result: Result<Reading, ReadFailure>
    if let path = picture.path, picture.failure == nil {
      do {
        result = .success(
          try await read(
            path,
            ReadRequest(
              preset: job.preset, parameters: job.parameters, timeBudget: timeBudget,
              pixelLimit: maxPixels)))
      } catch let failure as ReadFailure {
        result = .failure(failure)
      }
    } else {
      result = .failure(picture.failure ?? ReadFailure(.photoMissing, "There is no such picture."))
    }
    return Evaluation.Row(folder: picture.folder, label: picture.label, result: result)
  }

  /// Stores both reports, and says where they are.
  func report(_ evaluation: Evaluation, of dataset: String) async throws -> EvaluationAnswer {
    let id = UUID().uuidString.lowercased()
    let (csv, json) = (BlobName(.report, "evaluation-\(id).csv"), BlobName(.report, "evaluation-\(id).json"))
    try await blobs.store(Array(evaluation.csv()), as: csv)
    try await blobs.store(Array(try evaluation.json()), as: json)
    return EvaluationAnswer(
      evaluation, dataset: dataset, csvPath: blobs.location(of: csv), summaryPath: blobs.location(of: json), id: id)
  }
}
