import Exports
import Foundation
import JobStore
import Logging
import ScanModel
import ServiceLifecycle
import Support

/// Does evaluations and sweeps that nobody waits for, two at a time. They are held like jobs: what a stop interrupts is
/// given back, what a crash interrupts is taken up again when its lease has run out, and what is cancelled stops.
public struct BackgroundWork: Service {
  /// What can be done.
  public enum Kind: String, Sendable, CaseIterable {
    /// `Evaluator.Job` is its parameters, `EvaluationAnswer` its result.
    case evaluation
    /// `ParameterSweep.Job` is its parameters, `ParameterSweep.Answer` its result.
    case sweep
  }

  /// For how long this machine leaves work to others.
  public struct Patience: Sendable, Equatable {
    /// Before it begins what it has the folder of: others are there to read.
    public var forReaders: Duration
    /// Before it fails what it lacks the folder of: another may have it.
    public var forFolder: Duration

    /// Creates a patience.
    public init(forReaders: Duration, forFolder: Duration) {
      self.forReaders = forReaders
      self.forFolder = forFolder
    }

    /// There are no others.
    public static let none = Patience(forReaders: .zero, forFolder: .zero)
    /// Of a machine that reads for a store that machines share.
    public static let ofReaders = Patience(forReaders: .zero, forFolder: .seconds(300))
    /// Of a machine that answers for such a store and leaves reading to others.
    public static let ofAnswerers = Patience(forReaders: .seconds(10), forFolder: .seconds(300))
  }

  private static let atOnce = 2
  /// Seconds that work is held without a heartbeat.
  private static let lease: Double = 30
  /// How often a heartbeat goes out, which is also how soon work stops that somebody has cancelled.
  private static let beat = Duration.seconds(2)
  /// How long an end is offered to a store that refuses, as long as the result of a photo is.
  private static let endPatience = Duration.seconds(120)
  /// The longest pause between two offers.
  private static let longestPause = Duration.seconds(1)
  /// Offers of a server that stops.
  private static let offersAtStop = 3
  /// How often it looks for work. Many machines ask one database.
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

  /// Works until the program stops.
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

  // MARK: Finding work

  /// Work that this machine has begun, and whether no machine has its folder; nil where there is none for it.
  private func next(_ choice: inout TaskChoice, hasPlace: Bool) async -> (ClaimedTask, isNowhere: Bool)? {
    let kinds = Kind.allCases.map(\.rawValue)
    // What was seen before a store was out of reach says nothing of what others could do meanwhile.
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

  /// Whether the labelled folder that the work names is here. Work that names none, or one that nobody may have, is for
  /// whoever is first: it fails.
  private func hasFolder(of task: BackgroundTask) async -> Bool {
    struct Named: Decodable { var dir: String }
    guard let dir = try? JSONDecoder().decode(Named.self, from: Data(task.parameters.utf8)).dir else { return true }
    let isAbsent = try? await DatasetThreads.run { [path = evaluator.configuration.datasetsPath] _ in
      Dataset.isAbsent(dir, below: path)
    }
    return isAbsent == false
  }

  // MARK: Doing it

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
      logger.error("background work failed", metadata: ["task": "\(claimed.claim.taskID)", "error": "\(error)"])
    }
    // A task of its own: a server that stops still says what became of the work.
    let isStopping = Locked(false)
    await withTaskCancellationHandler {
      await Task { await settle(claimed.claim, outcome, isStopping) }.value
    } onCancel: {
      isStopping.withLock { $0 = true }
    }
    // The lease is extended until the end is stored, so that nobody begins the work anew meanwhile.
    beating.cancel()
  }

  /// Tells the store until it has it. Where it refuses for long, the work is begun anew when its lease has run out.
  private func settle(_ claim: TaskClaim, _ result: Result<String, any Error>, _ isStopping: Locked<Bool>) async {
    let deadline = ContinuousClock.now + Self.endPatience
    let name: Logger.Metadata = ["task": "\(claim.taskID)"]
    var refusals = 0
    while true {
      do {
        return try await tell(claim, result)
      } catch StoreError.claimLost {
        return logger.notice("background work was cancelled or taken over", metadata: name)
      } catch {
        logger.error(
          "the end of background work is not stored yet", metadata: name.merging(["error": "\(error)"]) { $1 })
        if case StoreError.refused = error {
          // No offer could succeed. The failure holds nothing of the result.
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

  /// Extends the lease until the task is cancelled, or the claim is lost, which calls `onLoss`.
  private func beat(_ claim: TaskClaim, onLoss: @Sendable () -> Void) async {
    while (try? await Task.sleep(for: Self.beat)) != nil {
      do {
        try await store.heartbeat(claim, lease: Self.lease, progress: nil, message: nil)
      } catch StoreError.claimLost {
        return onLoss()
      } catch {
        logger.warning("heartbeat not stored", metadata: ["task": "\(claim.taskID)", "error": "\(error)"])
      }
    }
  }

  /// What the work comes to, as JSON.
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

  /// Progress is a courtesy: work goes on where it can't be stored, and ends where the claim is lost.
  private func report(_ claim: TaskClaim, _ share: Double, _ message: String) async throws {
    let percent = advanced(0, to: share)
    do {
      try await store.heartbeat(claim, lease: Self.lease, progress: percent, message: message)
    } catch StoreError.claimLost {
      throw CancellationError()
    } catch {
      logger.warning("progress not stored", metadata: ["task": "\(claim.taskID)", "error": "\(error)"])
    }
  }

  /// Never thrown: only known kinds are claimed.
  private struct UnknownKind: Error {}

  /// No machine has had the folder that the work names for as long as it was waited for.
  struct DatasetUnavailable: Error {}
}
