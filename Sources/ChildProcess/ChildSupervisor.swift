import CChildProcess
import Foundation
import Logging
import Support

/// Keeps a child process running and communicates with it on a separate thread.
///
/// The thread outlives its children, because the kernel kills a child when the thread that started it ends.
final class ChildSupervisor<Dialogue: ChildDialogue> {
  private let setup: Dialogue.Setup
  private let configuration: ChildConfiguration
  private let queue: QuestionQueue<Dialogue>
  private let wake: WakePipe
  private let logger: Logger
  private let onEvent: @Sendable (ChildEvent) -> Void
  private let clock = ContinuousClock()

  private var session: ChildSession<Dialogue>?
  private var questionsOfSession = 0
  private var failedStarts = 0
  private var nextStart: ContinuousClock.Instant
  private var idle: IdleLook?

  /// When an idle child was last checked, and the seconds of CPU time it had used.
  private struct IdleLook {
    var time: ContinuousClock.Instant
    var processorSeconds: Double
  }

  init(
    setup: Dialogue.Setup, configuration: ChildConfiguration, queue: QuestionQueue<Dialogue>, wake: WakePipe,
    logger: Logger, onEvent: @escaping @Sendable (ChildEvent) -> Void
  ) {
    self.setup = setup
    self.configuration = configuration
    self.queue = queue
    self.wake = wake
    self.logger = logger
    self.onEvent = onEvent
    nextStart = clock.now
  }

  /// Starts the thread, which retains the supervisor until the queue is closed.
  func startThread() {
    nonisolated(unsafe) let supervisor = self
    let thread = Thread { supervisor.run() }
    thread.name = configuration.name
    thread.stackSize = 1 << 20
    thread.start()
  }

  private func run() {
    blockBrokenPipeSignal()
    while !queue.isClosed {
      wake.clear()
      if session == nil, clock.now >= nextStart { start() }
      if let session {
        if queue.hasWaiting { serveNext(in: session) } else { watch(session) }
      } else {
        wake.wait(seconds: clock.now.duration(to: nextStart) / .seconds(1))
      }
    }
    endSession()
    queue.markEnded()
  }

  /// Blocks SIGPIPE, so that writing to a dead child fails instead of ending the program.
  private func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  // MARK: Starting and ending

  private func start() {
    queue.report { $0.state = .starting }
    do {
      let session = try ChildSession<Dialogue>(setup: setup, configuration: configuration, wake: wake)
      queue.report {
        $0.starts += 1
        $0.processID = session.processID
      }
      self.session = session
      try awaitReady(session)
      // Not earlier: on a busy machine, a child that warms up at low priority would delay its first question.
      session.lowerPriority(by: configuration.niceness)
      // The child reports here if it could not be confined; log that for the operator.
      let words = session.lastWords()
      if !words.isEmpty {
        logger.warning("\(configuration.name) started with warnings", metadata: ["printed": "\(words)"])
      }
      failedStarts = 0
      questionsOfSession = 0
      idle = nil
      queue.report {
        $0.state = .ready
        $0.problem = nil
      }
    } catch is CancellationError {
      endSession()
    } catch let problem as Implausible {
      refuseAll(problem.detail)
    } catch {
      refuseAll("The \(configuration.name) can't be started: \(FileRefusal(error)?.systemText ?? "\(error)").")
    }
  }

  /// Waits until the child is ready; throws `Implausible` with the reason if that fails.
  private func awaitReady(_ session: ChildSession<Dialogue>) throws {
    let deadline = clock.now.advanced(by: configuration.startDeadline)
    while true {
      switch session.wait(until: deadline) {
      case .said(.ready, _): return
      case .said(.unavailable(let detail), _): throw Implausible(String(detail.prefix(1_000)))
      case .said: throw Implausible("The \(configuration.name) answered before it was asked.")
      case .violation(let problem): throw problem
      case .ended: throw Implausible("The \(configuration.name) ended while it started\(session.lastWords()).")
      case .timedOut:
        let limit = configuration.startDeadline.components.seconds
        throw Implausible("The \(configuration.name) was not ready after \(limit) seconds.")
      case .woken:
        wake.clear()
        if queue.isClosed { throw CancellationError() }
      case .paused: break
      }
    }
  }

  /// Kills the child, fails all waiting questions, and pauses before the next start.
  private func refuseAll(_ detail: String) {
    endSession()
    let pause = min(configuration.longestStartPause, configuration.firstStartPause * (1 << min(failedStarts, 16)))
    failedStarts += 1
    nextStart = clock.now.advanced(by: pause)
    logger.error(
      "\(configuration.name) could not be started; retrying. Run `serialscan doctor` to find the cause",
      metadata: [
        "problem": "\(detail)", "failures": .stringConvertible(failedStarts), "retry_in": "\(pause)",
      ])
    queue.report {
      $0.state = .unavailable
      $0.problem = detail
    }
    for asked in queue.takeAll() { asked.continuation.resume(throwing: ChildFailure.unavailable(detail)) }
  }

  @discardableResult
  private func endSession() -> (ending: Child.Ending, processorSeconds: Double)? {
    guard let session else { return nil }
    self.session = nil
    queue.report { $0.processID = nil }
    return session.end()
  }

  // MARK: Between two questions

  /// Waits for a question while the child is idle, and detects its death.
  private func watch(_ session: ChildSession<Dialogue>) {
    // A question may have arrived after the queue was checked; its wake is still in the pipe.
    switch session.wait(until: clock.now.advanced(by: .seconds(60))) {
    case .woken, .timedOut: break
    case .paused: lookAtIdle(session)
    case .ended:
      let words = session.lastWords()
      let ending = endSession()?.ending
      warn("ended while idle; it is started again", "\(ending.map(String.init(describing:)) ?? "")\(words)")
    case .said, .violation: replace("sent data without a question; it is replaced")
    }
  }

  /// Checks an idle child. It has nothing to do between questions, so if it uses CPU time it may be compromised.
  private func lookAtIdle(_ session: ChildSession<Dialogue>) {
    let now = clock.now
    if let idle, idle.time.duration(to: now) < .seconds(1) { return }
    let used = session.processorSeconds()
    let before = idle?.processorSeconds ?? used
    idle = IdleLook(time: now, processorSeconds: used)
    if used - before > 0.5 { return replace("used CPU time without a question; it is replaced") }
    if session.residentBytes() > configuration.residentLimit {
      replace("exceeded its memory limit while idle; it is replaced")
    }
  }

  private func replace(_ deed: String) {
    endSession()
    warn(deed, "it is replaced")
  }

  /// Logs and counts a crash. Delays the restart if the child received no question, so that a child that repeatedly
  /// dies while idle does not cause a busy loop.
  private func warn(_ deed: String, _ detail: String) {
    logger.warning("\(configuration.name) \(deed)", metadata: ["detail": "\(detail)"])
    queue.report { $0.crashes += 1 }
    if questionsOfSession == 0 { nextStart = clock.now.advanced(by: configuration.firstStartPause) }
  }

  private func recycleIfNeeded() {
    guard let session else { return }
    let isOld =
      questionsOfSession >= configuration.answersPerProcess
      || configuration.processorLimit.map { session.processorSeconds() > Double($0) / 2 } == true
    guard isOld || session.residentBytes() > configuration.idleResidentLimit else { return }
    endSession()
    queue.report { $0.recycles += 1 }
  }

  // MARK: Answering

  private func serveNext(in session: ChildSession<Dialogue>) {
    // A late message belongs to the previous question; this one gets a new child.
    if session.hasSpokenUnasked() { return replace("sent data without a question; it is replaced") }
    guard let asked = queue.next() else { return }
    queue.report { $0.state = .working }
    let result = Result { try answer(to: asked, in: session) }
    questionsOfSession += 1
    idle = nil
    recycleIfNeeded()
    let isRunning = self.session != nil
    queue.report { $0.state = isRunning ? .ready : .starting }
    asked.continuation.resume(with: result)
  }

  private func answer(
    to asked: PendingQuestion<Dialogue>, in session: ChildSession<Dialogue>
  ) throws -> ChildAnswer<Dialogue> {
    if queue.isCancelled(asked.id) { throw CancellationError() }
    let deadline = clock.now.advanced(by: asked.deadline)
    let usedBefore = session.processorSeconds()
    try session.ask(NumberedQuestion(id: asked.id, question: asked.question), attachment: asked.attachment)
    onEvent(.asked)
    while true {
      switch session.wait(until: deadline) {
      case .said(.step(asked.id, let step), let attachment):
        try refused { () throws(Implausible) in
          try Dialogue.check(step, on: asked.question)
          if !attachment.isEmpty { throw Implausible("It sent bytes with a step.") }
        }
        asked.step(step)
      case .said(.answer(asked.id, let answer), let attachment):
        try refused { () throws(Implausible) in
          try Dialogue.check(answer, attachment: attachment, on: asked.question)
        }
        queue.report { $0.answers += 1 }
        return ChildAnswer(answer: answer, attachment: attachment)
      case .said: throw crash("It answered to another question.")
      case .violation(let problem): throw crash(problem.detail)
      case .ended: throw death(of: session)
      case .timedOut: throw timeout(after: asked.deadline, used: session.processorSeconds() - usedBefore)
      case .woken:
        wake.clear()
        if queue.isCancelled(asked.id) {
          endSession()
          throw CancellationError()
        }
      case .paused:
        if session.residentBytes() > configuration.residentLimit { throw memoryExceeded() }
      }
    }
  }

  /// Runs a check and kills the child if it fails.
  private func refused(_ check: () throws(Implausible) -> Void) throws {
    do throws(Implausible) { try check() } catch { throw crash(error.detail) }
  }

  private func crash(_ reason: String) -> ChildFailure {
    endSession()
    queue.report { $0.crashes += 1 }
    return .crashed(reason)
  }

  private func death(of session: ChildSession<Dialogue>) -> ChildFailure {
    session.awaitEnd()
    let words = session.lastWords()
    let end = endSession()
    onEvent(.lost)
    switch end?.ending {
    case .killed(SIGXCPU): return outOfProcessorTime()
    case .killed(SIGKILL) where hasUsedUp(end?.processorSeconds): return outOfProcessorTime()
    case .exited(CHILD_EXIT_OUT_OF_MEMORY): return memoryExceeded()
    case .exited(CHILD_EXIT_PIPE_SETUP_FAILED): return crash("It could not encode its answer.")
    case .killed(SIGABRT) where words.contains("bad_alloc") || words.localizedCaseInsensitiveContains("allocat"):
      return memoryExceeded()
    case .killed(let signal): return crash("It crashed with signal \(signal)\(words).")
    case .exited(let status): return crash("It ended with status \(status)\(words).")
    case .unknown, nil: return crash("It ended\(words).")
    }
  }

  private func timeout(after deadline: Duration, used: Double) -> ChildFailure {
    endSession()
    queue.report { $0.timeouts += 1 }
    return .timedOut(worked: used / (deadline / .seconds(1)))
  }

  /// Whether the kernel killed a child that kept running after the signal at its CPU time limit.
  private func hasUsedUp(_ seconds: Double?) -> Bool {
    guard let limit = configuration.processorLimit, let seconds else { return false }
    // The kernel's limit uses a different clock than the time it reports.
    return seconds > Double(limit) * 0.9
  }

  private func outOfProcessorTime() -> ChildFailure {
    queue.report { $0.timeouts += 1 }
    return .timedOut(worked: 1)
  }

  private func memoryExceeded() -> ChildFailure {
    endSession()
    queue.report { $0.memoryKills += 1 }
    return .outOfMemory
  }
}
