import Foundation

/// A background task other than reading a photo: an evaluation, a parameter sweep.
public struct BackgroundTask: Sendable, Equatable, Identifiable {
  /// Its id, a lower-case UUID.
  public var id: String
  /// The kind of task.
  public var kind: String
  /// Its state; tasks have the same states as jobs.
  public var state: Job.State
  /// Progress, 0...100. Never decreases; 100 at the end.
  public var progress: Int
  /// The current step, as text for people.
  public var message: String
  /// When it was created.
  public var createdAt: Date
  /// When it last changed.
  public var updatedAt: Date
  /// The request, as JSON.
  public var parameters: String
  /// The result, as JSON; nil until it has completed.
  public var result: String?
  /// Why it failed.
  public var error: JobError?
  /// The key that created it; nil if the server required none.
  public var keyID: String?

  /// Creates a task.
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

/// A task to store.
public struct NewTask: Sendable, Equatable {
  /// Its id, a lower-case UUID.
  public var id: String
  /// The kind of task.
  public var kind: String
  /// The request, as JSON.
  public var parameters: String
  /// The key that creates it; nil if the server requires none.
  public var keyID: String?

  /// Creates a new task.
  public init(id: String, kind: String, parameters: String, keyID: String? = nil) {
    self.id = id
    self.kind = kind
    self.parameters = parameters
    self.keyID = keyID
  }
}

/// Conditions on tasks. All must hold.
public struct TaskFilter: Sendable, Equatable {
  /// The state.
  public var state: Job.State?
  /// The key that created it.
  public var keyID: String?

  /// Creates a filter. Without conditions it matches every task.
  public init(state: Job.State? = nil, keyID: String? = nil) {
    self.state = state
    self.keyID = keyID
  }
}

/// Proof that a worker holds a task.
public struct TaskClaim: Sendable, Equatable {
  /// The task's id.
  public var taskID: String
  /// Random, new with every claim.
  public var token: String

  /// Creates a claim.
  public init(taskID: String, token: String) {
    self.taskID = taskID
    self.token = token
  }
}

/// A task and its claim.
public struct ClaimedTask: Sendable {
  /// The proof.
  public var claim: TaskClaim
  /// The task, in state `processing`.
  public var task: BackgroundTask

  /// Creates the pair.
  public init(claim: TaskClaim, task: BackgroundTask) {
    self.claim = claim
    self.task = task
  }
}

extension JobError {
  /// The error of a task whose last allowed attempt was interrupted.
  package static let taskNeverEnded = JobError(
    code: .cancelled,
    detail: "This task was started several times and interrupted each time. Start it again.")
}

/// Stores background tasks. Like a job, a task is held by a token and a lease that must be extended.
public protocol TaskStore: Sendable {
  /// Stores a new task in state `queued`. Throws `StoreError.queueFull` if `limit` tasks have not ended.
  func addTask(_ task: NewTask, limit: Int) async throws -> BackgroundTask

  /// Returns the task with this id; nil if it does not exist.
  func task(id: String) async throws -> BackgroundTask?

  /// Lists the tasks that match a filter, latest first. Throws `InvalidCursor`.
  func tasks(_ filter: TaskFilter, limit: Int, cursor: String?) async throws -> Page<BackgroundTask>

  /// Lists the oldest tasks of these kinds that can be claimed, because they wait or their lease expired; at most 1000.
  func tasksToBegin(kinds: [String]) async throws -> [BackgroundTask]

  /// Claims a task; returns nil if it can't be claimed. A task whose lease has expired five times fails with
  /// `CANCELLED` instead.
  func beginTask(id: String, worker: String, lease: TimeInterval) async throws -> ClaimedTask?

  /// Updates the message that says what a waiting task waits for. Tasks that have started or ended stay unchanged.
  func updateWaitingMessage(id: String, message: String) async throws

  /// Extends a lease and reports progress (0...99) if given.
  ///
  /// Throws `StoreError.claimLost` if the token no longer holds the task: its lease expired, or it was cancelled.
  func heartbeat(_ claim: TaskClaim, lease: TimeInterval, progress: Int?, message: String?) async throws

  /// Ends a claimed task with its result as JSON or an error. Throws `StoreError.claimLost`.
  @discardableResult
  func endTask(_ claim: TaskClaim, with result: Result<String, JobError>) async throws -> BackgroundTask

  /// Returns a claimed task to the queue because its worker is stopping; the attempt does not count. Throws
  /// `StoreError.claimLost`.
  func giveBackTask(_ claim: TaskClaim) async throws

  /// Ends an unfinished task and invalidates its claim. Returns the task after the call; nil if it does not exist.
  @discardableResult
  func cancelTask(id: String, because error: JobError) async throws -> BackgroundTask?

  /// Deletes at most `limit` tasks that ended before `date`. Returns how many.
  func pruneTasks(endedBefore date: Date, limit: Int) async throws -> Int
}
