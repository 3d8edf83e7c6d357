import Foundation
import JobStore
import ScanModel
import Support
import TrackingSessions

/// The services that the API needs from the rest of the server.
public struct APIServices: Sendable {
  /// The configured and the actual number of workers.
  public struct WorkerStatus: Sendable {
    /// The configured number.
    public var configured: Int
    /// The number of running workers.
    public var running: Int

    /// Creates a status.
    public init(configured: Int, running: Int) {
      self.configured = configured
      self.running = running
    }
  }

  /// The store.
  public var store: any ServerStore
  /// Returns the status of the workers.
  public var workerStatus: @Sendable () async -> WorkerStatus
  /// Reads a picture file outside the queue, for evaluations. Throws `ReadFailure` or `CancellationError`.
  public var read: @Sendable (_ path: String, ReadRequest) async throws -> Reading
  /// Reads a photo outside the queue, for information that its result does not contain. Throws as `read`.
  public var reread: @Sendable (_ photo: [UInt8], ReadRequest) async throws -> ReadAnswer
  /// Returns the metrics of workers and readers.
  public var metrics: @Sendable () async -> [MetricSample]

  /// The sessions that track objects in live video.
  public var tracking: TrackingSessions

  /// Creates the services.
  public init(
    store: any ServerStore,
    workerStatus: @escaping @Sendable () async -> WorkerStatus,
    read: @escaping @Sendable (_ path: String, ReadRequest) async throws -> Reading,
    reread: @escaping @Sendable (_ photo: [UInt8], ReadRequest) async throws -> ReadAnswer,
    metrics: @escaping @Sendable () async -> [MetricSample] = { [] },
    tracking: TrackingSessions = .none
  ) {
    self.store = store
    self.workerStatus = workerStatus
    self.read = read
    self.reread = reread
    self.metrics = metrics
    self.tracking = tracking
  }
}
