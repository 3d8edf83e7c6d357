import Foundation
import ScanModel

/// The durable queue of jobs. Every implementation passes the suite in `Tests/StoreConformance`.
///
/// Calls that change something return only after the change is durable.
public protocol JobStore: Sendable {
  /// Stores a new job in state `queued` together with its photo, or throws `StoreError.queueFull`; see `QueueLimits`.
  /// Both are durable when it returns. Where it throws, and where an earlier job answers, neither is stored, and the
  /// staged photo is given up.
  func enqueue(_ job: NewJob, photo: any StagedBlob) async throws -> EnqueuedJob

  /// Claims the next job for a worker: highest priority first, then the oldest that is due; nil where none is.
  func claimNext(worker: String, lease: TimeInterval) async throws -> ClaimedJob?

  /// Extends a lease and reports progress; throws `StoreError.claimLost` where the token no longer holds the job.
  func heartbeat(_ claim: Claim, lease: TimeInterval, progress: ReadProgress?) async throws

  /// Ends a job with its token, saving the serial in the same transaction; throws `StoreError.claimLost`. The
  /// annotation, a PNG, is stored for the job where this returns and there is room for it.
  @discardableResult
  func finish(_ claim: Claim, with outcome: JobOutcome, annotation: [UInt8]?) async throws -> Job

  /// Gives a claimed job back: `delay` seconds later it is due again. `countsAsAttempt` is false where the job is
  /// not to blame (the server stops). Throws `StoreError.claimLost`.
  func giveBack(_ claim: Claim, delay: TimeInterval, countsAsAttempt: Bool) async throws

  /// Puts every job whose lease ran out back into the queue, or fails it where its attempts are used up.
  /// Returns the ids of the jobs rescued.
  @discardableResult
  func rescueExpired(maxAttempts: Int) async throws -> [String]

  /// The job with this id, or nil.
  func job(id: String) async throws -> Job?

  /// The job's place among the waiting jobs, 1 for the next; nil where it does not wait.
  func queuePosition(of id: String) async throws -> Int?
}

extension JobStore {
  /// Ends a job that has no annotation.
  @discardableResult
  public func finish(_ claim: Claim, with outcome: JobOutcome) async throws -> Job {
    try await finish(claim, with: outcome, annotation: nil)
  }
}

/// A job to be stored.
public struct NewJob: Sendable, Equatable {
  /// The job's id, a lower-case UUID.
  public var id: String
  /// What the client asked.
  public var request: JobRequest
  /// Higher goes first.
  public var priority: Int
  /// The client's idempotency key with its scope, or nil. A job that failed for a reason outside of its photo
  /// (cancelled, a reader that died or timed out) answers for it no more: the photo is read again.
  public var idempotencyKey: String?
  /// SHA-256 of the photo in lower-case hexadecimal, held against the key; nil without a key.
  public var photoDigest: String?
  /// Where the job's end is sent; nil for nowhere. See `WebhookStore`.
  public var callbackURL: String?

  /// Creates a new job.
  public init(
    id: String, request: JobRequest, priority: Int = 0, idempotencyKey: String? = nil, photoDigest: String? = nil,
    callbackURL: String? = nil
  ) {
    self.id = id
    self.request = request
    self.priority = priority
    self.idempotencyKey = idempotencyKey
    self.photoDigest = photoDigest
    self.callbackURL = callbackURL
  }
}

/// What became of a new job.
public struct EnqueuedJob: Sendable, Equatable {
  /// The id that answers: the new one, or the earlier one of the same idempotency key and photo.
  public var id: String
  /// 1 for the next to be read; 0 for one that no longer waits.
  public var queuePosition: Int
  /// Whether an earlier job answers, so that the new photo is not needed.
  public var isDuplicate: Bool
  /// Where the job stands: an earlier one has perhaps left the queue.
  public var state: Job.State

  /// Creates the answer.
  public init(id: String, queuePosition: Int, isDuplicate: Bool, state: Job.State = .queued) {
    self.id = id
    self.queuePosition = queuePosition
    self.isDuplicate = isDuplicate
    self.state = state
  }
}

/// How many jobs may wait.
public struct QueueLimits: Sendable, Equatable {
  /// Jobs that may wait; further ones are refused with `StoreError.queueFull`.
  public var waiting: Int
  /// Places beyond these for jobs of a priority above 0, for which somebody waits: a full queue does not lock them out.
  public var reserved: Int

  /// As many as come: for tests, and for programs that store no jobs.
  public static let none = QueueLimits(waiting: .max, reserved: 0)

  /// Creates limits.
  public init(waiting: Int, reserved: Int) {
    self.waiting = waiting
    self.reserved = reserved
  }

  /// Whether one more job of this priority may wait beside so many.
  package func admit(priority: Int, beside others: Int) -> Bool {
    others < waiting || (priority > 0 && others - waiting < reserved)
  }
}

/// The proof that a worker holds a job.
public struct Claim: Sendable, Equatable, Codable {
  /// The job.
  public var jobID: String
  /// Random, new with every claim.
  public var token: String

  /// Creates a claim.
  public init(jobID: String, token: String) {
    self.jobID = jobID
    self.token = token
  }
}

/// A job and the claim on it.
public struct ClaimedJob: Sendable {
  /// The proof.
  public var claim: Claim
  /// The job, in state `processing`.
  public var job: Job

  /// Creates the pair.
  public init(claim: Claim, job: Job) {
    self.claim = claim
    self.job = job
  }
}

/// How a job ends.
public enum JobOutcome: Sendable, Equatable {
  /// The reader answered. The job completes where the reading has serials, and fails without; `save` says whether
  /// the top serial goes into the table of serials, with every other one whose verdict is accepted.
  case read(Reading, save: Bool)
  /// The job failed.
  case failed(JobError)
}

/// What the store refuses.
public enum StoreError: Error, Equatable, Sendable {
  /// As many jobs wait as are allowed.
  case queueFull(waiting: Int)
  /// The token does not hold the job: its lease ran out, or it has ended.
  case claimLost(jobID: String)
  /// The idempotency key was used with another photo.
  case idempotencyConflict(jobID: String)
  /// The job has another row with this serial.
  case serialTaken
  /// The key of a save was used with another request, which saved the serial of this number.
  case saveConflict(serialID: Int64)
  /// The disk is full.
  case diskFull
  /// The database can't be written: read-only, damaged or locked for too long.
  case unavailable(String)
  /// One stored file can't be read. Whether the rest of the store can be, `BlobStore.checkWritable` says.
  case unreadable(String)
  /// The store refuses these values permanently: the same call fails the same way.
  case refused(String)
  /// The store is no longer the one that was opened: its files or tables were removed or replaced.
  case lost(String)
}
