import Foundation
import JobStore
import ScanModel
import Support
import TrackingSessions

/// What the API asks of the rest of the server.
public struct APIServices: Sendable {
  /// How many workers there should be, and how many there are.
  public struct WorkerStatus: Sendable {
    /// As set.
    public var configured: Int
    /// As found.
    public var running: Int

    /// Creates a status.
    public init(configured: Int, running: Int) {
      self.configured = configured
      self.running = running
    }
  }

  /// The store.
  public var store: any ServerStore
  /// How the workers are.
  public var workerStatus: @Sendable () async -> WorkerStatus
  /// Reads a picture file outside the queue, for evaluations. Throws `ReadFailure` or `CancellationError`.
  public var read: @Sendable (_ path: String, ReadRequest) async throws -> Reading
  /// Draws the reads of a photo into it, as PNG; nil where that can't be done. Throws as `read`.
  public var draw: @Sendable (_ photo: [UInt8], ReadRequest) async throws -> [UInt8]?
  /// What workers and readers have to tell a monitoring system.
  public var metrics: @Sendable () async -> [MetricSample]

  /// The sessions that follow objects through live video.
  public var tracking: TrackingSessions

  /// Creates the services.
  public init(
    store: any ServerStore,
    workerStatus: @escaping @Sendable () async -> WorkerStatus,
    read: @escaping @Sendable (_ path: String, ReadRequest) async throws -> Reading,
    draw: @escaping @Sendable (_ photo: [UInt8], ReadRequest) async throws -> [UInt8]? = { _, _ in nil },
    metrics: @escaping @Sendable () async -> [MetricSample] = { [] },
    tracking: TrackingSessions = .none
  ) {
    self.store = store
    self.workerStatus = workerStatus
    self.read = read
    self.draw = draw
    self.metrics = metrics
    self.tracking = tracking
  }
}
