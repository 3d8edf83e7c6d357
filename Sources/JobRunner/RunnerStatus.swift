import ChildProcess

/// The workers' status for the operator.
public struct RunnerStatus: Sendable, Codable, Equatable {
  /// Number of workers reading now.
  public var busyWorkers = 0
  /// Number of reads started.
  public var attempts = 0
  /// Number of jobs that ended with a serial.
  public var completed = 0
  /// Number of jobs that ended without a serial.
  public var failed = 0
  /// Number of jobs returned to the queue after their reader crashed.
  public var retries = 0
  /// Number of reads discarded because the claim was lost.
  public var lostClaims = 0
  /// Number of jobs rescued after their lease expired.
  public var rescued = 0
  /// Number of store errors.
  public var storeErrors = 0
  /// The readers' status, one per worker.
  public var readers: [ChildStatus] = []

  /// Creates the status of a runner that has not started.
  public init() {}
}
