import Foundation
import ScanModel

/// The durable queue of jobs. Every implementation passes the suite in `Tests/StoreConformance`.
///
/// Calls that change something return only after the change is durable.
public protocol JobStore: Sendable {
  /// Stores a new job in state `queued` together with its photo. Throws `StoreError.queueFull`; see `QueueLimits`.
  ///
  /// Both are durable when it returns. If it throws, or an earlier job has the same idempotency key, neither is stored
  /// and the staged photo is discarded.
  func enqueue(_ job: NewJob, photo: any StagedBlob) async throws -> EnqueuedJob

  /// Claims the next job for a worker: highest priority first, then the oldest one due. Returns nil if no job is due.
  func claimNext(worker: String, lease: TimeInterval) async throws -> ClaimedJob?

  /// Extends a lease and reports progress. Throws `StoreError.claimLost` if the token no longer holds the job.
  func heartbeat(_ claim: Claim, lease: TimeInterval, progress: ReadProgress?) async throws

  /// Ends a claimed job and saves its serial in the same transaction. Throws `StoreError.claimLost`.
  ///
  /// If this returns and there is room for it, the annotation is stored for the job. The thumbnail is stored in the same
  /// transaction as the result, unless there is room for the result only.
  @discardableResult
  func finish(_ claim: Claim, with outcome: JobOutcome, pictures: JobPictures) async throws -> Job

  /// Returns a claimed job to the queue; it is due again after `delay` seconds. Throws `StoreError.claimLost`.
  ///
  /// `countsAsAttempt` is false if the job did not cause the interruption, for example when the server stops.
  func giveBack(_ claim: Claim, delay: TimeInterval, countsAsAttempt: Bool) async throws

  /// Returns every job whose lease expired to the queue, or fails it if no attempts are left.
  ///
  /// Returns the ids of the rescued jobs.
  @discardableResult
  func rescueExpired(maxAttempts: Int) async throws -> [String]

  /// Returns the job with this id; nil if it does not exist.
  func job(id: String) async throws -> Job?

  /// Returns the job's position in the queue, 1 for the next; nil if it is not waiting.
  func queuePosition(of id: String) async throws -> Int?
}

extension JobStore {
  /// Ends a job without pictures.
  @discardableResult
  public func finish(_ claim: Claim, with outcome: JobOutcome) async throws -> Job {
    try await finish(claim, with: outcome, pictures: JobPictures())
  }
}

/// The pictures that a reader returned with the reading.
public struct JobPictures: Sendable, Equatable {
  /// A PNG of the photo with the reads drawn in.
  public var annotation: [UInt8]?
  /// A thumbnail; see `Thumbnail`.
  public var thumbnail: [UInt8]?

  /// Creates the pictures; without arguments, none.
  public init(annotation: [UInt8]? = nil, thumbnail: [UInt8]? = nil) {
    (self.annotation, self.thumbnail) = (annotation, thumbnail)
  }
}

/// A job to store.
public struct NewJob: Sendable, Equatable {
  /// The job's id, a lower-case UUID.
  public var id: String
  /// What the client requested.
  public var request: JobRequest
  /// Priority. Jobs of higher priority run first.
  public var priority: Int
  /// The client's idempotency key with its scope; nil if it sent none.
  ///
  /// A job that failed for a reason other than its photo (cancelled, a reader crashed or timed out) no longer counts
  /// for its key: the photo is read again.
  public var idempotencyKey: String?
  /// SHA-256 of the photo in lower-case hexadecimal, compared for the same idempotency key; nil without a key.
  public var photoDigest: String?
  /// A hash of the photo's bytes, by which the same photo sent again is found; nil if unknown.
  public var photoHash: String?
  /// The URL that receives the job's end; nil for no webhook. See `WebhookStore`.
  public var callbackURL: String?

  /// Creates a new job.
  public init(
    id: String, request: JobRequest, priority: Int = 0, idempotencyKey: String? = nil, photoDigest: String? = nil,
    photoHash: String? = nil, callbackURL: String? = nil
  ) {
    self.id = id
    self.request = request
    self.priority = priority
    self.idempotencyKey = idempotencyKey
    self.photoDigest = photoDigest
    self.photoHash = photoHash
    self.callbackURL = callbackURL
  }
}

/// The result of enqueuing a job.
public struct EnqueuedJob: Sendable, Equatable {
  /// The job's id: the new one, or that of the earlier job with the same idempotency key and photo.
  public var id: String
  /// Position in the queue, 1 for the next; 0 if the job no longer waits.
  public var queuePosition: Int
  /// Whether this is an earlier job, so that the new photo was not stored.
  public var isDuplicate: Bool
  /// The job's state. An earlier job may have left the queue.
  public var state: Job.State

  /// Creates the result.
  public init(id: String, queuePosition: Int, isDuplicate: Bool, state: Job.State = .queued) {
    self.id = id
    self.queuePosition = queuePosition
    self.isDuplicate = isDuplicate
    self.state = state
  }
}

/// Limits on the number of waiting jobs.
public struct QueueLimits: Sendable, Equatable {
  /// Most waiting jobs; more are refused with `StoreError.queueFull`.
  public var waiting: Int
  /// Additional places for jobs of a priority above 0, whose clients are waiting, so that a full queue does not block
  /// them.
  public var reserved: Int

  /// No limits: for tests, and for programs that store no jobs.
  public static let none = QueueLimits(waiting: .max, reserved: 0)

  /// Creates limits.
  public init(waiting: Int, reserved: Int) {
    self.waiting = waiting
    self.reserved = reserved
  }

  /// Whether another job of this priority may wait when `others` already do.
  package func admit(priority: Int, beside others: Int) -> Bool {
    others < waiting || (priority > 0 && others - waiting < reserved)
  }
}

/// Proof that a worker holds a job.
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

/// A job and its claim.
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
  /// The reader returned a reading. The job completes if it has serials and fails otherwise.
  ///
  /// `save` says whether the top serial is saved in the table of serials, together with every other accepted one.
  case read(Reading, save: Bool)
  /// The job failed.
  case failed(JobError)
}

/// Errors of a store.
public enum StoreError: Error, Equatable, Sendable {
  /// The queue is full.
  case queueFull(waiting: Int)
  /// The token does not hold the job: its lease expired, or it has ended.
  case claimLost(jobID: String)
  /// The idempotency key was used with a different photo.
  case idempotencyConflict(jobID: String)
  /// Another row of the job has this serial.
  case serialTaken
  /// The save's key was used with a different request, which saved the serial with this number.
  case saveConflict(serialID: Int64)
  /// The disk is full.
  case diskFull
  /// The database can't be read or written at the moment: read-only, away or locked for too long.
  case unavailable(String)
  /// One stored file can't be read. Call `BlobStore.checkWritable` to find out whether the rest of the store works.
  case unreadable(String)
  /// The store refuses these values permanently: the same call would fail again.
  case refused(String)
  /// The open store's files or tables were removed, replaced or damaged.
  case lost(String)
}
