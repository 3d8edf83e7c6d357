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

  /// Creates a task value.
  public init(
    id: String, kind: String, state: Job.State, progress: Int, message: String, createdAt: Date, updatedAt: Date,
    parameters: String, result: String?, error: JobError?
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
  }
}

/// The work in the background. One process does it (the server), one at a time or several.
public protocol TaskStore: Sendable {
  /// Stores new work, waiting to be done. `parameters` is JSON.
  func addTask(id: String, kind: String, parameters: String) async throws -> BackgroundTask

  /// The work with this id, or nil.
  func task(id: String) async throws -> BackgroundTask?

  /// Takes the oldest work of one of these kinds that waits, now in state `processing`; nil where there is none.
  func beginNextTask(kinds: [String]) async throws -> BackgroundTask?

  /// Reports how far work has come. Nothing happens where it is not being done.
  func report(progress: Int, message: String, ofTask id: String) async throws

  /// Ends work, with its result as JSON or with why it failed; nil where it is not being done.
  @discardableResult
  func endTask(id: String, with result: Result<String, JobError>) async throws -> BackgroundTask?

  /// Puts work that a process left behind back to wait. To be called once at the server's start.
  @discardableResult
  func resumeTasks() async throws -> Int

  /// Takes away at most `limit` pieces of work that ended before `date`. Returns them.
  func pruneTasks(endedBefore date: Date, limit: Int) async throws -> [BackgroundTask]
}
