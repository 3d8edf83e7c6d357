import JobStore

/// What the API asks of the rest of the server.
public struct APIServices: Sendable {
  /// Returns the job once it has ended or the time is over, as it stands then; nil where there is no such job.
  public typealias WaitForEnd = @Sendable (_ id: String, _ timeout: Duration) async throws -> Job?

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

  /// The durable queue.
  public var store: any JobStore
  /// Waits for a job's end without asking for it again and again.
  public var waitForEnd: WaitForEnd
  /// Seconds that reading a photo takes on average, measured; nil as long as nothing was read.
  public var secondsPerPhoto: @Sendable () async -> Double?
  /// How the workers are.
  public var workerStatus: @Sendable () async -> WorkerStatus
  /// Ends a job that nobody waits for any more: it is not read if it waits, and its photo goes.
  public var cancel: @Sendable (_ id: String) async throws -> Void
  /// The keys that are valid now; none means that everybody may do everything.
  public var keys: @Sendable () async throws -> [AccessKey.Stored] = { [] }
  /// Adds up how often keys were used, by their id.
  public var countKeyUses: @Sendable ([String: Int]) async -> Void = { _ in }
  /// What the queue, the workers and the readers have to tell a monitoring system.
  public var metrics: @Sendable () async throws -> [MetricSample] = { [] }
  /// Jobs that wait; throws where the database doesn't answer.
  public var queueDepth: @Sendable () async throws -> Int

  /// Creates the services.
  public init(
    store: any JobStore, waitForEnd: @escaping WaitForEnd, secondsPerPhoto: @escaping @Sendable () async -> Double?,
    workerStatus: @escaping @Sendable () async -> WorkerStatus, queueDepth: @escaping @Sendable () async throws -> Int,
    cancel: @escaping @Sendable (_ id: String) async throws -> Void
  ) {
    self.store = store
    self.waitForEnd = waitForEnd
    self.secondsPerPhoto = secondsPerPhoto
    self.workerStatus = workerStatus
    self.queueDepth = queueDepth
    self.cancel = cancel
  }
}
