import Foundation

/// Work in the background that is no reading of a photo: an evaluation, a sweep of parameters.
public struct BackgroundTask: Sendable, Equatable, Identifiable {
  /// Its id, a lower-case UUID.
  public var id: String
  /// What is done.
  public var kind: String
  /// Where it stands; the states are those of jobs.
  public var state: Job.State
  /// 0...100; never goes back, 100 at the end.
  public var progress: Int
  /// What is being done, for a person.
  public var message: String
  /// When it was asked for.
  public var createdAt: Date
  /// When it last changed.
  public var updatedAt: Date
  /// What was asked, as JSON.
  public var parameters: String
  /// What came of it, as JSON; nil until it has completed.
  public var result: String?
  /// Why it failed.
  public var error: JobError?
  /// The key that asked for it; nil where the server was open.
  public var keyID: String?

  /// Creates a task value.
  public init(
    id: String, kind: String, state: Job.State, progress: Int, message: String, createdAt: Date, updatedAt: Date,
    parameters: String, result: String?, error: JobError?, keyID: String?
  ) {
    self.id = id
    self.kind = kind
    self.state = state
    self.progress = progress
    self.message = message
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.parameters = parameters
    self.result = result
    self.error = error
    self.keyID = keyID
  }
}

/// Work to be stored.
public struct NewTask: Sendable, Equatable {
  /// Its id, a lower-case UUID.
  public var id: String
  /// What is to be done.
  public var kind: String
  /// What is asked, as JSON.
  public var parameters: String
  /// The key that asks; nil where the server is open.
  public var keyID: String?

  /// Creates new work.
  public init(id: String, kind: String, parameters: String, keyID: String? = nil) {
    self.id = id
    self.kind = kind
    self.parameters = parameters
    self.keyID = keyID
  }
}

/// Which work is wanted. All conditions hold together.
public struct TaskFilter: Sendable, Equatable {
  /// Where it stands.
  public var state: Job.State?
  /// The key that asked for it.
  public var keyID: String?

  /// Creates a filter; without conditions it lets everything through.
  public init(state: Job.State? = nil, keyID: String? = nil) {
    self.state = state
    self.keyID = keyID
  }
}

/// The proof that somebody does a piece of work.
public struct TaskClaim: Sendable, Equatable {
  /// The work.
  public var taskID: String
  /// Random, new with every claim.
  public var token: String

  /// Creates a claim.
  public init(taskID: String, token: String) {
    self.taskID = taskID
    self.token = token
  }
}

/// Work and the claim on it.
public struct ClaimedTask: Sendable {
  /// The proof.
  public var claim: TaskClaim
  /// The work, in state `processing`.
  public var task: BackgroundTask

  /// Creates the pair.
  public init(claim: TaskClaim, task: BackgroundTask) {
    self.claim = claim
    self.task = task
  }
}

extension JobError {
  /// Work that was begun as often as allowed and never ended.
  package static let taskNeverEnded = JobError(
    code: .cancelled,
    detail: "This was begun several times and interrupted each time. Ask for it again.")
}

/// The work in the background. It is held like a job: by a lease that has to be extended, and a token.
public protocol TaskStore: Sendable {
  /// Stores new work, waiting to be done. Throws `StoreError.queueFull` where `limit` pieces of work have not ended.
  func addTask(_ task: NewTask, limit: Int) async throws -> BackgroundTask

  /// The work with this id, or nil.
  func task(id: String) async throws -> BackgroundTask?

  /// The work that a filter lets through, latest first. Throws `InvalidCursor`.
  func tasks(_ filter: TaskFilter, limit: Int, cursor: String?) async throws -> Page<BackgroundTask>

  /// The oldest work of these kinds that may be begun: it waits, or its lease has run out. A thousand at most.
  func tasksToBegin(kinds: [String]) async throws -> [BackgroundTask]

  /// Claims work that may be begun; nil where it may not, or no longer. Work whose lease has run out five times fails with
  /// `CANCELLED` instead.
  func beginTask(id: String, worker: String, lease: TimeInterval) async throws -> ClaimedTask?

  /// Tells whoever asks what work is waiting for, which is a change of it. Work that has begun or ended stays as it is.
  func updateWaitingMessage(id: String, message: String) async throws

  /// Extends a lease, and reports how far the work has come (0...99) where that is given; throws
  /// `StoreError.claimLost` where the token no longer holds the work: its lease ran out, or it was cancelled.
  func heartbeat(_ claim: TaskClaim, lease: TimeInterval, progress: Int?, message: String?) async throws

  /// Ends work with its token, with its result as JSON or with why it failed; throws `StoreError.claimLost`.
  @discardableResult
  func endTask(_ claim: TaskClaim, with result: Result<String, JobError>) async throws -> BackgroundTask

  /// Gives work back to be begun anew, uncounted: whoever does it stops. Throws `StoreError.claimLost`.
  func giveBackTask(_ claim: TaskClaim) async throws

  /// Ends an unfinished task and invalidates its claim. Returns it as it stands then, nil where there is
  /// none.
  @discardableResult
  func cancelTask(id: String, because error: JobError) async throws -> BackgroundTask?

  /// Takes away at most `limit` pieces of work that ended before `date`. Returns how many.
  func pruneTasks(endedBefore date: Date, limit: Int) async throws -> Int
}
