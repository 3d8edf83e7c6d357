import Foundation
import ScanModel

/// Figures about the queue.
public struct QueueStatus: Sendable, Equatable {
  /// How many jobs there are in each state.
  public var counts: [Job.State: Int]
  /// When the job that waits longest was accepted; nil where none waits.
  public var oldestWaiting: Date?
  /// What the latest readings took; nil before the first.
  public var throughput: Throughput?
  /// The programs that serve or read for this store, by name.
  public var machines: [Machine]

  /// Creates figures.
  public init(counts: [Job.State: Int], oldestWaiting: Date?, throughput: Throughput?, machines: [Machine]) {
    self.counts = counts
    self.oldestWaiting = oldestWaiting
    self.throughput = throughput
    self.machines = machines
  }

  /// How many jobs wait.
  public var waiting: Int { counts[.queued, default: 0] }

  /// Seconds until a job sent now has been read; nil before the first reading.
  public var estimatedWait: TimeInterval? { throughput?.wait(position: waiting + 1) }
}

/// What a deletion took away.
public enum JobDeletion: Sendable {
  /// The job, with what belongs to it.
  case job
  /// The saved serial of a job that was gone before.
  case savedSerialAlone
}

/// Which jobs are wanted. All conditions hold together.
public struct JobFilter: Sendable, Equatable {
  /// Where they stand.
  public var state: Job.State?
  /// What was made of the photo.
  public var verdict: Reading.Verdict?
  /// Whether a person has said what the serial is.
  public var isConfirmed: Bool?
  /// The key that brought them.
  public var keyID: String?

  /// Creates a filter; without conditions it lets everything through.
  public init(
    state: Job.State? = nil, verdict: Reading.Verdict? = nil, isConfirmed: Bool? = nil, keyID: String? = nil
  ) {
    self.state = state
    self.verdict = verdict
    self.isConfirmed = isConfirmed
    self.keyID = keyID
  }
}

/// A place in the order in which jobs have ended.
public struct EndPosition: Sendable, Equatable {
  /// When the job ended, in microseconds since 1970 by the store's clock.
  public var time: Int64
  /// The job's number, which settles ties.
  public var number: Int64

  /// Creates a place; by default the one before every job that ended at `time`.
  public init(time: Int64, number: Int64 = 0) {
    self.time = time
    self.number = number
  }
}

/// A job that has ended, and its place among those.
public struct EndedJob: Sendable, Equatable {
  /// The job.
  public var job: Job
  /// Its place.
  public var position: EndPosition

  /// Creates the pair.
  public init(job: Job, position: EndPosition) {
    self.job = job
    self.position = position
  }
}

/// Lists of jobs, and taking them away.
public protocol JobListing: Sendable {
  /// The jobs that a filter lets through, latest first. Throws `InvalidCursor`.
  func jobs(_ filter: JobFilter, limit: Int, cursor: String?) async throws -> Page<Job>

  /// The jobs that ended after `position`, of one key or of all, in the order of their ends, at most `limit`. Transactions
  /// take time: a job may appear here some seconds after others that ended later.
  func endedJobs(after position: EndPosition, keyID: String?, limit: Int) async throws -> [EndedJob]

  /// The time in microseconds since 1970, by the clock that dates the ends of jobs.
  func now() async throws -> Int64

  /// Figures about the queue; costs the same however many jobs there are.
  func queueStatus() async throws -> QueueStatus

  /// What the latest readings took; nil before the first.
  func throughput() async throws -> Throughput?

  /// How photos ended in the latest `days` days and in the latest hours; costs the same however many jobs there are.
  func verdictStatistics(days: Int) async throws -> VerdictStatistics

  /// Ends a waiting job with `error`, so that it is not read; a job that is being read, has ended, or is
  /// waited for by a client of another server stays as it is.
  /// Returns the job as it stands then, or nil where there is none.
  @discardableResult
  func cancel(id: String, because error: JobError) async throws -> Job?

  /// Takes a job away, whatever its state, with its photo and picture: a worker that reads it has lost its claim. Its
  /// saved serial stays unless `alsoSerial`, which finds the serial also where retention took the job before. Nil
  /// where nothing was found. A file that can't be deleted now is remembered, and tried again by
  /// `ServerStore.maintain`.
  @discardableResult
  func deleteJob(id: String, alsoSerial: Bool) async throws -> JobDeletion?

  /// Deletes the photos and pictures of at most `limit` jobs that ended before `date`; the jobs stay. Returns how many.
  func prunePhotos(endedBefore date: Date, limit: Int) async throws -> Int

  /// Deletes photos, with their pictures, where all photos together take more than `bytes`: those of the jobs that ended
  /// first, at most `limit` of them, until the rest takes no more. Jobs that wait or are read keep theirs. Returns how
  /// many.
  func prunePhotos(beyond bytes: Int, limit: Int) async throws -> Int

  /// Takes away at most `limit` jobs that ended before `date`, with their photos and pictures; their saved serials stay.
  /// Returns how many.
  func pruneJobs(endedBefore date: Date, limit: Int) async throws -> Int
}

extension JobListing {
  /// The latest jobs first, of one state or of all. Throws `InvalidCursor`.
  public func jobs(in state: Job.State?, limit: Int, cursor: String?) async throws -> Page<Job> {
    try await jobs(JobFilter(state: state), limit: limit, cursor: cursor)
  }
}
