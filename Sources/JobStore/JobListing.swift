import Foundation
import ScanModel

/// Statistics of the queue.
public struct QueueStatus: Sendable, Equatable {
  /// Number of jobs in each state.
  public var counts: [Job.State: Int]
  /// Seconds that the oldest waiting job has waited, by the store's clock; nil if none waits.
  public var longestWait: TimeInterval?
  /// The recent throughput; nil before the first reading.
  public var throughput: Throughput?
  /// The programs that serve or read for this store, sorted by name.
  public var machines: [Machine]

  /// Creates statistics.
  public init(counts: [Job.State: Int], longestWait: TimeInterval?, throughput: Throughput?, machines: [Machine]) {
    self.counts = counts
    self.longestWait = longestWait
    self.throughput = throughput
    self.machines = machines
  }

  /// Number of waiting jobs.
  public var waiting: Int { counts[.queued, default: 0] }

  /// Estimated seconds until a job sent now has been read; nil before the first reading.
  public var estimatedWait: TimeInterval? { throughput?.wait(position: waiting + 1) }
}

/// What a deletion removed.
public enum JobDeletion: Sendable, Equatable {
  /// The job and everything that belongs to it. If its serial was to be deleted too, but belongs to another job of the
  /// same photo, `serialKeptBy` is that job.
  case job(serialKeptBy: String?)
  /// Only the saved serial, because the job had already been deleted.
  case savedSerialAlone
}

/// Conditions on jobs. All must hold.
public struct JobFilter: Sendable, Equatable {
  /// The state.
  public var state: Job.State?
  /// The photo's verdict.
  public var verdict: Reading.Verdict?
  /// Whether a person has confirmed the serial.
  public var isConfirmed: Bool?
  /// Whether a person has reviewed the photo (`Review`).
  public var isReviewed: Bool?
  /// The key that sent the photo.
  public var keyID: String?
  /// The batch it belongs to.
  public var batchID: String?
  /// The earliest time at which it was accepted.
  public var from: Date?
  /// The time before which it was accepted.
  public var until: Date?

  /// Creates a filter. Without conditions it matches every job.
  public init(
    state: Job.State? = nil, verdict: Reading.Verdict? = nil, isConfirmed: Bool? = nil, isReviewed: Bool? = nil,
    keyID: String? = nil, batchID: String? = nil, from: Date? = nil, until: Date? = nil
  ) {
    self.state = state
    self.verdict = verdict
    self.isConfirmed = isConfirmed
    self.isReviewed = isReviewed
    self.keyID = keyID
    self.batchID = batchID
    self.from = from
    self.until = until
  }
}

/// A position in the order in which jobs ended.
public struct EndPosition: Sendable, Equatable {
  /// When the job ended, in microseconds since 1970 by the store's clock.
  public var time: Int64
  /// The job's number, which breaks ties.
  public var number: Int64

  /// Creates a position; by default the one before every job that ended at `time`.
  public init(time: Int64, number: Int64 = 0) {
    self.time = time
    self.number = number
  }
}

/// An ended job and its position in the order of ends.
public struct EndedJob: Sendable, Equatable {
  /// The job.
  public var job: Job
  /// Its position.
  public var position: EndPosition

  /// Creates the pair.
  public init(job: Job, position: EndPosition) {
    self.job = job
    self.position = position
  }
}

/// Lists, counts and deletes jobs.
public protocol JobListing: Sendable {
  /// Lists the jobs that match a filter, latest first. Throws `InvalidCursor`.
  func jobs(_ filter: JobFilter, limit: Int, cursor: String?) async throws -> Page<Job>

  /// Lists at most `limit` jobs of one key or all keys, and of one batch or all jobs, that ended after `position`, in
  /// the order of their ends.
  ///
  /// Because transactions take time, a job may appear here some seconds after others that ended later.
  func endedJobs(
    after position: EndPosition, keyID: String?, batchID: String?, limit: Int
  ) async throws -> [EndedJob]

  /// The current time in microseconds since 1970, by the clock that dates the ends of jobs.
  func now() async throws -> Int64

  /// Returns statistics of the queue. The cost does not depend on the number of jobs.
  func queueStatus() async throws -> QueueStatus

  /// Returns the recent throughput; nil before the first reading.
  func throughput() async throws -> Throughput?

  /// Counts verdicts over the latest `days` days and the latest hours. The cost does not depend on the number of jobs.
  ///
  /// With a batch, counts its present jobs.
  func verdictStatistics(days: Int, batchID: String?) async throws -> VerdictStatistics

  /// Counts the jobs of a batch by state.
  func jobStates(inBatch id: String) async throws -> [Job.State: Int]

  /// Ends a waiting job with `error`, so that it is not read.
  ///
  /// A job stays unchanged if it is being read, has ended, or a client of another server waits for it. Returns the job
  /// after the call; nil if it does not exist.
  @discardableResult
  func cancel(id: String, because error: JobError) async throws -> Job?

  /// Deletes a job in any state with its photo and annotation. A worker that is reading it loses its claim.
  ///
  /// The saved serial stays unless `alsoSerial` is set; then it is found even if retention has already deleted the job.
  /// A serial that another job of the same photo has saved, or that such a job takes over, stays with that one. Returns
  /// nil if nothing was found. Files that can't be deleted now are remembered; `ServerStore.maintain` retries
  /// them.
  @discardableResult
  func deleteJob(id: String, alsoSerial: Bool) async throws -> JobDeletion?

  /// Deletes the photos and annotations of at most `limit` jobs that ended before `date`; keeps the jobs. Returns how
  /// many.
  func prunePhotos(endedBefore date: Date, limit: Int) async throws -> Int

  /// Deletes photos and their annotations if all photos together exceed `bytes`.
  ///
  /// Deletes those of the jobs that ended first, at most `limit`, until the rest fits. Jobs that wait or are being read
  /// keep theirs. Returns how many were deleted.
  func prunePhotos(beyond bytes: Int, limit: Int) async throws -> Int

  /// Deletes at most `limit` jobs that ended before `date`, with their photos and annotations; keeps their saved
  /// serials.
  ///
  /// Returns how many were deleted.
  func pruneJobs(endedBefore date: Date, limit: Int) async throws -> Int
}

extension JobListing {
  /// Lists jobs of one state or all, latest first. Throws `InvalidCursor`.
  public func jobs(in state: Job.State?, limit: Int, cursor: String?) async throws -> Page<Job> {
    try await jobs(JobFilter(state: state), limit: limit, cursor: cursor)
  }

  /// Lists at most `limit` jobs of one key or all keys that ended after `position`.
  public func endedJobs(after position: EndPosition, keyID: String?, limit: Int) async throws -> [EndedJob] {
    try await endedJobs(after: position, keyID: keyID, batchID: nil, limit: limit)
  }

  /// Counts the verdicts of all jobs.
  public func verdictStatistics(days: Int) async throws -> VerdictStatistics {
    try await verdictStatistics(days: days, batchID: nil)
  }
}
