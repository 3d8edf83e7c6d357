import Foundation
import JobStore
import ReaderProtocol

/// How jobs are run.
public struct RunnerConfiguration: Sendable {
  /// Workers, each with a reader of its own.
  public var workers: Int
  /// The folder in which `JobRequest.photo` is a file name.
  public var photosFolder: String
  /// The folder for pictures with the reads drawn in, named by the job's id; nil where none are drawn.
  public var annotationsFolder: String?
  /// Seconds a claim holds without a heartbeat. A heartbeat goes out every third of it.
  public var lease: TimeInterval = 15
  /// Reads of one photo that may end with a dead reader; with the last one the job fails.
  public var maxAttempts = 2
  /// Seconds until a photo that killed its reader is tried again; doubles with every attempt.
  public var retryDelay: TimeInterval = 1
  /// Seconds after which a reader begins no further strategy.
  public var timeBudget: TimeInterval = 10
  /// Wall time after which a reader is killed.
  public var readDeadline: Duration = .seconds(30)
  /// The most pixels of a photo.
  public var pixelLimit = 60_000_000
  /// The least time between two reports of a job's progress; each costs a durable write.
  public var progressInterval: Duration = .milliseconds(250)
  /// How often jobs whose lease ran out are looked for.
  public var rescueInterval: Duration = .seconds(1)
  /// The longest pause after the store refused.
  public var longestStorePause: Duration = .seconds(2)
  /// How long a result is offered to a store that refuses, before the job is left to its lease.
  public var resultPatience: Duration = .seconds(120)

  /// Creates a configuration.
  public init(workers: Int, photosFolder: String) {
    self.workers = workers
    self.photosFolder = photosFolder
  }

  /// What the reader is asked for a job.
  func readRequest(for jobID: String, _ request: JobRequest) -> ReadRequest {
    ReadRequest(
      photoPath: (photosFolder as NSString).appendingPathComponent(request.photo), preset: request.preset,
      timeBudget: timeBudget, pixelLimit: pixelLimit,
      annotationPath: request.annotate
        ? annotationsFolder.map { ($0 as NSString).appendingPathComponent("\(jobID).png") } : nil)
  }
}
