import BlobFiles
import Evaluations
import Foundation
import JobStore
import Logging
import ScanModel
import Support
import Testing

/// Background tasks with a store that rejects their end.
@Suite struct BackgroundWorkTests {
  /// A store with one task, whose end it rejects a number of times.
  private final class ReluctantTasks: TaskStore {
    private struct State {
      var refusals: Int
      var isBegun = false
      var outcome: Result<String, JobError>?
      var offers = 0
    }

    private let state: Locked<State>
    private let error: StoreError
    private let task: BackgroundTask

    init(refusals: Int, with error: StoreError = .unavailable("told to")) {
      state = Locked(State(refusals: refusals))
      self.error = error
      let now = Date()
      task = BackgroundTask(
        id: "task-1", kind: BackgroundWork.Kind.evaluation.rawValue, state: .queued, progress: 0, message: "",
        createdAt: now, updatedAt: now, parameters: #"{"dir":"nowhere","parameters":{}}"#, result: nil, error: nil,
        keyID: nil)
    }

    var outcome: Result<String, JobError>? { state.withLock { $0.outcome } }
    var offers: Int { state.withLock { $0.offers } }

    func tasksToBegin(kinds: [String]) async throws -> [BackgroundTask] {
      state.withLock { $0.isBegun } ? [] : [task]
    }
    func beginTask(id: String, worker: String, lease: TimeInterval) async throws -> ClaimedTask? {
      state.withLock { $0.isBegun = true }
      return ClaimedTask(claim: TaskClaim(taskID: id, token: "t"), task: task)
    }
    func endTask(_ claim: TaskClaim, with result: Result<String, JobError>) async throws -> BackgroundTask {
      try state.withLock { state in
        state.offers += 1
        state.refusals -= 1
        if state.refusals >= 0 { throw error }
        state.outcome = result
      }
      return task
    }

    func addTask(_ task: NewTask, limit: Int) async throws -> BackgroundTask { self.task }
    func task(id: String) async throws -> BackgroundTask? { task }
    func tasks(_ filter: TaskFilter, limit: Int, cursor: String?) async throws -> Page<BackgroundTask> {
      Page(items: [task], nextCursor: nil)
    }
    func updateWaitingMessage(id: String, message: String) async throws {}
    func heartbeat(_ claim: TaskClaim, lease: TimeInterval, progress: Int?, message: String?) async throws {}
    func giveBackTask(_ claim: TaskClaim) async throws {}
    func cancelTask(id: String, because error: JobError) async throws -> BackgroundTask? { task }
    func pruneTasks(endedBefore date: Date, limit: Int) async throws -> Int { 0 }
  }

  /// The outcome of a task whose folder doesn't exist.
  private static func outcome(of store: ReluctantTasks) async throws -> Result<String, JobError>? {
    let folder = NSTemporaryDirectory() + "work-" + UUID().uuidString
    let evaluator = Evaluator(
      Evaluator.Configuration(
        datasetsPath: folder, workers: 1, request: ReadRequest(timeBudget: 1, limits: PictureLimits(maxPixels: 1_000)),
        presets: [:]),
      blobs: BlobFolder(path: folder)
    ) { _, _ in throw CancellationError() }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let work = BackgroundWork(store: store, evaluator: evaluator, patience: .none, logger: logger)
    let running = Task { try await work.run() }
    defer { running.cancel() }
    for _ in 0..<2000 {
      if let outcome = store.outcome { return outcome }
      try await Task.sleep(for: .milliseconds(10))
    }
    return nil
  }

  @Test func storesOutcomeOnceStoreRecovers() async throws {
    let store = ReluctantTasks(refusals: 4)
    let outcome = try #require(try await Self.outcome(of: store))
    #expect(throws: JobError.self) { try outcome.get() }
    if case .failure(let error) = outcome { #expect(error.code == .datasetNotFound) }
    #expect(store.offers == 5)
  }

  @Test func permanentRefusalBecomesFailure() async throws {
    let store = ReluctantTasks(refusals: 1, with: .refused("a text with a NUL in it"))
    #expect(try await Self.outcome(of: store) != nil)
    #expect(store.offers == 2)
  }
}
