import ChildProcess
import Logging
import ReaderProcess
import ReaderProtocol

/// The reader of evaluations: beside those of the workers, so that an evaluation holds up no photo, and only one, so
/// that it leaves them the cores. It is started when it is first needed.
actor EvaluationReader {
  private let settings: ReaderSettings
  private let configuration: ChildConfiguration
  private let deadline: Duration
  private let largestPhoto: Int
  private let logger: Logger
  private var reader: ReaderProcess?

  init(
    settings: ReaderSettings, configuration: ChildConfiguration, deadline: Duration, largestPhoto: Int, logger: Logger
  ) {
    self.settings = settings
    self.configuration = configuration
    self.deadline = deadline
    self.largestPhoto = largestPhoto
    self.logger = logger
  }

  /// Reads a picture file as a worker would. Throws `ReadFailure` or `CancellationError`.
  func read(path: String, _ request: ReadRequest) async throws -> ReadAnswer {
    try await read(PhotoFile(path: path).bytes(limit: largestPhoto), request)
  }

  /// Reads a photo as a worker would. Throws as `read(path:_:)`.
  func read(_ photo: [UInt8], _ request: ReadRequest) async throws -> ReadAnswer {
    try await started().read(photo, request, deadline: deadline) { _ in }
  }

  private func started() throws -> ReaderProcess {
    if let reader { return reader }
    let started = try ReaderProcess(settings: settings, configuration: configuration, logger: logger)
    reader = started
    return started
  }
}
