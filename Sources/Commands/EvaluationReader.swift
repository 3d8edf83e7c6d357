import ChildProcess
import Logging
import ScanModel
import Settings

/// The reader process for evaluations. It is separate from those of the workers, so that evaluations do not delay
/// photos, and the only one, so that it leaves the cores to them. It starts on first use.
actor EvaluationReader {
  private let settings: ReaderSettings
  private let configuration: ChildConfiguration
  private let deadline: Duration
  private let largestPhoto: Int
  private let logger: Logger
  private var reader: ReaderProcess?

  /// Creates a reader with the current settings.
  init(_ settings: Settings, logger: Logger) {
    self.settings = ReaderSettings(settings)
    configuration = .reader(settings)
    deadline = .seconds(settings.reader.deadline)
    largestPhoto = settings.upload.maxBytes
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
