import BlobFiles
import Exports
import Foundation
import JobStore
import ScanModel

/// Reads the pictures of a labelled folder and compares the results with the labels.
public struct Evaluator: Sendable {
  /// The parameters of an evaluation.
  public struct Job: Codable, Sendable {
    /// The folder's name below the datasets root.
    public var dir: String
    /// The preset to read with; nil to auto-detect it.
    public var preset: Preset?
    /// Numeric parameters that override the preset's own.
    public var parameters: [String: Double]

    /// Creates the parameters of an evaluation.
    public init(dir: String, preset: Preset?, parameters: [String: Double] = [:]) {
      self.dir = dir
      self.preset = preset
      self.parameters = parameters
    }
  }

  /// How pictures are read.
  public struct Configuration: Sendable {
    /// The folder that contains the labelled folders.
    public var datasetsPath: String
    /// The number of pictures read concurrently.
    public var workers: Int
    /// The read request for each picture, without its preset.
    public var request: ReadRequest
    /// The numeric parameters of each preset.
    public var presets: [Preset: [String: Double]]

    /// Creates a configuration.
    public init(
      datasetsPath: String, workers: Int, request: ReadRequest, presets: [Preset: [String: Double]]
    ) {
      self.datasetsPath = datasetsPath
      self.workers = workers
      self.request = request
      self.presets = presets
    }
  }

  /// How pictures are read.
  public let configuration: Configuration
  /// The store of the reports.
  let blobs: any BlobStore
  private let known = LabelledFolders()
  let read: @Sendable (_ path: String, ReadRequest) async throws -> Reading

  /// Creates an evaluator.
  ///
  /// - Parameters:
  ///   - blobs: The store of the reports.
  ///   - read: Reads a picture file. Throws `ReadFailure` or `CancellationError`.
  public init(
    _ configuration: Configuration, blobs: any BlobStore,
    read: @escaping @Sendable (_ path: String, ReadRequest) async throws -> Reading
  ) {
    self.configuration = configuration
    self.blobs = blobs
    self.read = read
  }

  /// Finds a labelled folder and its pictures. Throws `Dataset.Problem`, `LabelsFile.Problem` or `CancellationError`.
  public func contents(of name: String) async throws -> Dataset.Contents {
    try await DatasetThreads.run { [known, path = configuration.datasetsPath] isCancelled in
      try Dataset(named: name, below: path).contents(known: known, isCancelled: isCancelled)
    }
  }

  /// Reads all pictures and compares them with their labels. Calls `progress` with the number of pictures done.
  public func evaluate(
    _ contents: Dataset.Contents, _ job: Job, progress: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) async throws -> Evaluation {
    let pictures = contents.pictures
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
      for _ in 0..<max(1, configuration.workers) { add() }
      for try await (index, row) in group {
        rows[index] = row
        done += 1
        try await progress(done)
        add()
      }
    }
    return Evaluation(rows: rows.compactMap { $0 }, warnings: contents.warnings)
  }

  private func row(_ picture: Dataset.Picture, _ job: Job) async throws -> Evaluation.Row {
    let result: Result<Reading, ReadFailure>
    let (path, failure) = try await DatasetThreads.run { _ in (picture.path, picture.failure) }
    if let path, failure == nil {
      do {
        var request = configuration.request
        (request.preset, request.parameters) = (job.preset, job.parameters)
        result = .success(try await read(path, request))
      } catch let failure as ReadFailure {
        result = .failure(failure)
      }
    } else {
      result = .failure(failure ?? ReadFailure(.photoMissing, "There is no such picture."))
    }
    return Evaluation.Row(folder: picture.folder, label: picture.label, result: result)
  }

  /// Stores both reports and returns the result with their paths.
  public func report(_ evaluation: Evaluation, of dataset: String) async throws -> EvaluationAnswer {
    let id = UUID().uuidString.lowercased()
    let (csv, json) = (BlobName(.report, "evaluation-\(id).csv"), BlobName(.report, "evaluation-\(id).json"))
    try await blobs.store(Array(evaluation.csv()), as: csv)
    try await blobs.store(Array(try evaluation.json()), as: json)
    return EvaluationAnswer(
      evaluation, dataset: dataset, csvPath: blobs.location(of: csv), summaryPath: blobs.location(of: json), id: id)
  }
}
