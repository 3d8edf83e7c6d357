import ChildProcess

/// What an operator needs to know of the workers.
public struct RunnerStatus: Sendable, Codable, Equatable {
  /// Workers that read at this moment.
  public var busyWorkers = 0
  /// Reads begun.
  public var attempts = 0
  /// Jobs ended with a serial.
  public var completed = 0
  /// Jobs ended without one.
  public var failed = 0
  /// Jobs given back to be tried again after their reader died.
  public var retries = 0
  /// Reads thrown away because the job was no longer ours.
  public var lostClaims = 0
  /// Jobs put back whose lease had run out.
  public var rescued = 0
  /// Calls that the store refused.
  public var storeErrors = 0
  /// The readers, one a worker.
  public var readers: [ChildStatus] = []

  /// Creates the status of a runner that has done nothing yet.
  public init() {}
}
