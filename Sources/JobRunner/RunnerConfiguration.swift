import Foundation
import JobStore
import ScanModel

/// How jobs are run.
public struct RunnerConfiguration: Sendable {
  /// Workers, each with a reader of its own; without any, jobs that others left are still rescued.
  public var workers: Int
  /// Seconds a claim holds without a heartbeat. A heartbeat goes out every third of it.
  public var lease: TimeInterval
  /// Reads of one photo that may end with a dead reader; with the last one the job fails.
  public var maxAttempts: Int
  /// Seconds until a photo that killed its reader is tried again; doubles with every attempt.
  public var retryDelay: TimeInterval
  /// How each photo is read, but for what its job says.
  public var request: ReadRequest
  /// Wall time after which a reader is killed.
  public var readDeadline: Duration
  /// The least time between two reports of a job's progress; each costs a durable write.
  public var progressInterval: Duration = .milliseconds(250)
  /// How often jobs whose lease ran out are looked for.
  public var rescueInterval: Duration = .seconds(1)
  /// The longest pause after the store refused: work goes on so soon after its return.
  public var longestStorePause: Duration = .seconds(1)
  /// Seconds after a photo's arrival for which a photo that is not found is looked for again, uncounted: a folder that
  /// machines share shows a new file to some of them later. 0 where the folder is this machine's own.
  public var missingPhotoPatience: TimeInterval = 0
  /// How long a result is offered to a store that refuses, before the job is left to its lease.
  public var resultPatience: Duration = .seconds(120)

  /// Adds to a request what the store knows when its photo is read.
  public var complete: @Sendable (ReadRequest) async -> ReadRequest = { $0 }

  /// Creates a configuration.
  public init(
    workers: Int, lease: TimeInterval, maxAttempts: Int, retryDelay: TimeInterval, request: ReadRequest,
    readDeadline: Duration
  ) {
    self.workers = workers
    self.lease = lease
    self.maxAttempts = maxAttempts
    self.retryDelay = retryDelay
    self.request = request
    self.readDeadline = readDeadline
  }

  /// What the reader is asked for a job.
  func readRequest(for request: JobRequest) -> ReadRequest {
    var read = self.request
    (read.preset, read.part) = (request.preset, request.part)
    (read.wantsAnnotation, read.wantsEverySerial) = (request.annotate, request.everySerial)
    return read
  }
}
