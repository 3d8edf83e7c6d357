import Exports
import Foundation
import JobStore
import Logging
import ScanModel
import ServiceLifecycle
import Support

/// Runs evaluations and sweeps in the background, two at a time. Tasks are leased like jobs: a stop returns an
/// interrupted task to the queue, a task interrupted by a crash restarts after its lease expires, and a cancelled task
/// stops.
public struct BackgroundWork: Service {
  /// The kinds of task.
  public enum Kind: String, Sendable, CaseIterable {
    /// Parameters: `Evaluator.Job`; result: `EvaluationAnswer`.
    case evaluation
    /// Parameters: `ParameterSweep.Job`; result: `ParameterSweep.Answer`.
    case sweep
  }

  /// How long this machine waits before it claims a task that another machine could run.
  public struct Patience: Sendable, Equatable {
    /// The wait before claiming a task whose folder is here, so that machines that read can claim it first.
    public var forReaders: Duration
    /// The wait before claiming, and failing, a task whose folder is missing here: another machine may have it.
    public var forFolder: Duration

    /// Creates a pair of waits.
    public init(forReaders: Duration, forFolder: Duration) {
      self.forReaders = forReaders
      self.forFolder = forFolder
    }

    /// For a machine that does not share its store.
    public static let none = Patience(forReaders: .zero, forFolder: .zero)
    /// For a machine that reads photos for a shared store.
    public static let ofReaders = Patience(forReaders: .zero, forFolder: .seconds(300))
    /// For a machine that only serves HTTP for a shared store.
    public static let ofAnswerers = Patience(forReaders: .seconds(10), forFolder: .seconds(300))
  }

  private static let atOnce = 2
  /// Seconds that a task's lease lasts without a heartbeat.
  private static let lease: Double = 30
  /// The heartbeat interval, which is also the delay until a cancelled task stops.
  private static let beat = Duration.seconds(2)
  /// How long storing a task's end is retried; the same as for a photo's result.
  private static let endPatience = Duration.seconds(120)
  /// The maximum pause between two tries to store.
  private static let longestPause = Duration.seconds(1)
  /// The maximum number of tries to store once the server is stopping.
  private static let offersAtStop = 3
  /// The interval between polls for tasks. Many machines poll one database.
  private static let pause = Duration.seconds(1)

  let store: any TaskStore
  let evaluator: Evaluator
  let patience: Patience
  let logger: Logger

  /// Creates the service.
  public init(store: any TaskStore, evaluator: Evaluator, patience: Patience, logger: Logger) {
    self.store = store
    self.evaluator = evaluator
    self.patience = patience
    self.logger = logger
  }

  /// Runs tasks until the program stops.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await withDiscardingTaskGroup { group in
        let underWay = Locked(0)
        var choice = TaskChoice(patience)
        while !Task.isCancelled {
          let hasPlace = underWay.withLock { $0 < Self.atOnce }
          guard let (claimed, isNowhere) = await next(&choice, hasPlace: hasPlace) else {
            try? await Task.sleep(for: Self.pause)
            continue
          }
          underWay.withLock { $0 += 1 }
          group.addTask {
            await perform(claimed, isNowhere: isNowhere)
            underWay.withLock { $0 -= 1 }
          }
        }
      }
    }
  }

  // MARK: Claiming tasks

  /// Claims the next task for this machine; also returns whether no machine has its folder. nil if there is no suitable
  /// task.
  private func next(_ choice: inout TaskChoice, hasPlace: Bool) async -> (ClaimedTask, isNowhere: Bool)? {
    let kinds = Kind.allCases.map(\.rawValue)
    // If the store fails, forget the tasks seen so far: other machines may have changed them meanwhile.
    let tasks = (try? await store.tasksToBegin(kinds: kinds)) ?? []
    choice.look(at: tasks)
    for task in tasks {
      let deed = choice.deed(for: task, hasFolder: await hasFolder(of: task), hasPlace: hasPlace)
      switch deed {
      case .begin, .giveUp:
        let worker = "\(Machine.thisName)/\(getpid())/tasks"
        let claimed = try? await store.beginTask(id: task.id, worker: worker, lease: Self.lease)
        if let claimed { return (claimed, deed == .giveUp) }
      case .tell(let message): try? await store.updateWaitingMessage(id: task.id, message: message)
      case .leave: break
      }
    }
    return nil
  }

  /// Whether the labelled folder that the task names is here. True for a task without a valid folder name: the first
  /// machine that claims it lets it fail.
  private func hasFolder(of task: BackgroundTask) async -> Bool {
    struct Named: Decodable { var dir: String }
    guard let dir = try? JSONDecoder().decode(Named.self, from: Data(task.parameters.utf8)).dir else { return true }
    let isAbsent = try? await DatasetThreads.run { [path = evaluator.configuration.datasetsPath] _ in
      Dataset.isAbsent(dir, below: path)
    }
    return isAbsent == false
  }

  // MARK: Running tasks

  private func perform(_ claimed: ClaimedTask, isNowhere: Bool) async {
    let doing = Task {
      if isNowhere { throw DatasetUnavailable() }
      return try await result(of: claimed)
    }
    let beating = Task { await beat(claimed.claim) { doing.cancel() } }
    let outcome = await withTaskCancellationHandler {
      await doing.result
    } onCancel: {
      doing.cancel()
    }
    if case .failure(let error) = outcome, !(error is CancellationError) {
      logger.error("a task failed", metadata: ["task": "\(claimed.claim.taskID)", "error": "\(error)"])
    }
    // A separate task, so that a stopping server still stores the outcome.
    let isStopping = Locked(false)
    await withTaskCancellationHandler {
      await Task { await settle(claimed.claim, outcome, isStopping) }.value
    } onCancel: {
      isStopping.withLock { $0 = true }
    }
    // The heartbeat continues until the end is stored, so that no machine restarts the task meanwhile.
    beating.cancel()
  }

  /// Stores a task's end, with retries. If the store keeps failing, the task restarts after its lease expires.
  private func settle(_ claim: TaskClaim, _ result: Result<String, any Error>, _ isStopping: Locked<Bool>) async {
    let deadline = ContinuousClock.now + Self.endPatience
    let name: Logger.Metadata = ["task": "\(claim.taskID)"]
    var refusals = 0
    while true {
      do {
        return try await tell(claim, result)
      } catch StoreError.claimLost {
        return logger.notice("a task was cancelled or restarted elsewhere; its result here is dropped", metadata: name)
      } catch {
        logger.error(
          "the outcome of a task could not be stored; retrying", metadata: name.merging(["error": "\(error)"]) { $1 })
        if case StoreError.refused = error {
          // Retrying can't succeed. The failure contains nothing of the result.
          _ = try? await store.endTask(claim, with: .failure(JobError(ofWork: error)))
          return
        }
        refusals += 1
        guard .now < deadline, !(refusals >= Self.offersAtStop && isStopping.withLock { $0 }) else { return }
        try? await Task.sleep(for: min(Self.longestPause, .milliseconds(50) * (1 << min(refusals, 12))))
      }
    }
  }

  private func tell(_ claim: TaskClaim, _ result: Result<String, any Error>) async throws {
    switch result {
    case .success(let json): try await store.endTask(claim, with: .success(json))
    case .failure(is CancellationError): try await store.giveBackTask(claim)
    case .failure(let error): try await store.endTask(claim, with: .failure(JobError(ofWork: error)))
    }
  }

  /// Extends the lease until the task is cancelled. Calls `onLoss` and returns if the claim is lost.
  private func beat(_ claim: TaskClaim, onLoss: @Sendable () -> Void) async {
    while (try? await Task.sleep(for: Self.beat)) != nil {
      do {
        try await store.heartbeat(claim, lease: Self.lease, progress: nil, message: nil)
      } catch StoreError.claimLost {
        return onLoss()
      } catch {
        logger.warning(
          "the lease of a task could not be extended; retrying",
          metadata: ["task": "\(claim.taskID)", "error": "\(error)"])
      }
    }
  }

  /// Runs a task and returns its result as JSON.
  private func result(of claimed: ClaimedTask) async throws -> String {
    let task = claimed.task
    let parameters = Data(task.parameters.utf8)
    switch Kind(rawValue: task.kind) {
    case .evaluation:
      let job = try JSONDecoder().decode(Evaluator.Job.self, from: parameters)
      let contents = try await evaluator.contents(of: job.dir)
      let count = contents.pictures.count
      let evaluation = try await evaluator.evaluate(contents, job) { done in
        try await report(claimed.claim, Double(done) / Double(max(1, count)), "\(done) of \(count) pictures")
      }
      return String(decoding: try WireFormat.encode(try await evaluator.report(evaluation, of: job.dir)), as: UTF8.self)
    case .sweep:
      let job = try JSONDecoder().decode(ParameterSweep.Job.self, from: parameters)
      let sweep = ParameterSweep(evaluator: evaluator, defaults: evaluator.configuration.presets[job.preset] ?? [:])
      let answer = try await sweep.run(job) { share, message in try await report(claimed.claim, share, message) }
      return String(decoding: try WireFormat.encode(answer), as: UTF8.self)
    case nil: throw UnknownKind()
    }
  }

  /// Reports progress. Storing progress is best effort; throws only if the claim is lost.
  private func report(_ claim: TaskClaim, _ share: Double, _ message: String) async throws {
    let percent = advanced(0, to: share)
    do {
      try await store.heartbeat(claim, lease: Self.lease, progress: percent, message: message)
    } catch StoreError.claimLost {
      throw CancellationError()
    } catch {
      logger.warning(
        "the progress of a task could not be stored; the task continues",
        metadata: ["task": "\(claim.taskID)", "error": "\(error)"])
    }
  }

  /// Unreachable: only known kinds are claimed.
  private struct UnknownKind: Error {}

  /// No machine had the folder that the task names within `Patience.forFolder`.
  struct DatasetUnavailable: Error {}
}
