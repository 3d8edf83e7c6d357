import Exports
import JobStore

extension JobError {
  /// Creates the error for a dataset that can't be evaluated; nil for every other failure.
  public init?(ofDataset error: any Error) {
    switch error {
    case let problem as Dataset.Problem: self.init(problem)
    case let problem as LabelsFile.Problem: self.init(code: .badLabels, detail: "\(problem.description).")
    default: return nil
    }
  }

  private init(_ problem: Dataset.Problem) {
    let code: ErrorCode =
      switch problem {
      case .outside: .invalidParameter
      case .missing: .datasetNotFound
      case .unlabelled, .refused: .badLabels
      }
    self.init(code: code, detail: problem.description)
  }

  /// Creates the error for a failed background task, whose cause is the request, the dataset, the disk or the server.
  init(ofWork error: any Error) {
    if let problem = JobError(ofDataset: error) {
      self = problem
    } else if error is BackgroundWork.DatasetUnavailable {
      self.init(
        code: .datasetNotFound,
        detail:
          "No machine of this store has that labelled folder. Put it into the datasets folder of a machine that reads, "
          + "and ask again.")
    } else if let unknown = error as? ParameterSearch.UnknownParameter {
      // Parameter names are checked when a sweep is accepted, so the settings have changed since then.
      self.init(
        code: .invalidParameter,
        detail:
          "The preset has no parameter `\(unknown.name.prefix(40))`. It has \(unknown.known.joined(separator: ", ")).")
    } else if case StoreError.diskFull = error {
      self.init(code: .storageFull, detail: "The server's disk is too full for the report. Tell the operator.")
    } else if error is StoreError {
      self.init(code: .storageUnavailable, detail: "The server could not store the report. Start the evaluation again.")
    } else {
      self.init(code: .internalError, detail: "Something went wrong in the server; its log has this task's id.")
    }
  }
}
