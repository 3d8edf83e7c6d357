import Foundation
import JobStore
import ScanModel

/// How jobs are run.
public struct RunnerConfiguration: Sendable {
  /// Number of workers, each with its own reader. With 0, abandoned jobs are still rescued.
  public var workers: Int
  /// Seconds until a claim without heartbeats expires. Heartbeats are sent every third of it.
  public var lease: TimeInterval
  /// Number of reads of a photo that may crash the reader; after the last one the job fails.
  public var maxAttempts: Int
  /// Seconds until a photo that crashed its reader is retried; doubles with every attempt.
  public var retryDelay: TimeInterval
  /// The default read request, completed by each job's own.
  public var request: ReadRequest
  /// Wall-clock time after which a reader is killed.
  public var readDeadline: Duration
  /// Minimum interval between progress reports of a job, each of which is a durable write.
  public var progressInterval: Duration = .milliseconds(250)
  /// Interval between checks for jobs whose lease expired.
  public var rescueInterval: Duration = .seconds(1)
  /// Longest pause after a store error, short so that work resumes soon after the store's return.
  public var longestStorePause: Duration = .seconds(1)
  /// Seconds after a photo's arrival during which a missing photo is retried without counting attempts, because a
  /// folder shared between machines may show a new file to some of them later. 0 for a local folder.
  public var missingPhotoPatience: TimeInterval = 0
  /// How long to retry storing a result before leaving the job to its lease.
  public var resultPatience: Duration = .seconds(120)

  /// Adds information from the store to a request when its photo is read.
  public var complete: @Sendable (ReadRequest) async -> ReadRequest = { $0 }

  /// Returns the values of custom fields that a photo's codes hold, by name; nil if there are no such fields.
  public var customValues: (@Sendable (_ codes: [String]) -> [String: String])?

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

  /// The read request for a job.
  func readRequest(for request: JobRequest) -> ReadRequest {
    var read = self.request
    (read.preset, read.part) = (request.preset, request.part)
    (read.wantsAnnotation, read.wantsEverySerial) = (request.annotate, request.everySerial)
    (read.wantsCodes, read.wantsThumbnail) = (customValues != nil, true)
    return read
  }

  /// Replaces the contents of a photo's codes by the values of custom fields among them.
  func reading(_ read: Reading) -> Reading {
    var reading = read
    let values = customValues.map { $0(read.codes ?? []) } ?? [:]
    (reading.codes, reading.custom) = (nil, values.isEmpty ? nil : values)
    return reading
  }
}
