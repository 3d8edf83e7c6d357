import CReaderChild
import FaultPoints
import Foundation
import Logging
import ReaderProtocol

/// Keeps one reader process running and speaks with it, on a thread of its own.
///
/// The thread lives as long as any child of its: the kernel ends a child when the thread that started it ends.
final class ReaderSupervisor {
  private let configuration: ReaderConfiguration
  private let queue: ReadQueue
  private let wake: WakePipe
  private let logger: Logger
  private let clock = ContinuousClock()

  private var session: ReaderSession?
  private var photosOfSession = 0
  private var failedStarts = 0
  private var nextStart: ContinuousClock.Instant

  init(configuration: ReaderConfiguration, queue: ReadQueue, wake: WakePipe, logger: Logger) {
    self.configuration = configuration
    self.queue = queue
    self.wake = wake
    self.logger = logger
    nextStart = clock.now
  }

  /// Starts the thread, which holds the supervisor until the queue is closed.
  func startThread() {
    nonisolated(unsafe) let supervisor = self
    let thread = Thread { supervisor.run() }
    thread.name = "reader"
    thread.stackSize = 1 << 20
    thread.start()
  }

  private func run() {
    blockBrokenPipeSignal()
    while !queue.isClosed {
      wake.clear()
      if session == nil, clock.now >= nextStart { start() }
      if let session {
        if let read = queue.next() {
          serve(read, in: session)
        } else {
          watch(session)
        }
      } else {
        wake.wait(seconds: seconds(until: nextStart))
      }
    }
    endSession()
    queue.markEnded()
  }

  /// A write to a child that is gone must fail, not end the server.
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
      let session = try ReaderSession(configuration: configuration, wake: wake)
      queue.report {
        $0.starts += 1
        $0.processID = session.processID
      }
      self.session = session
      try awaitReady(session)
      // Not before: on a busy machine a reader that starts behind everybody else keeps its first photo waiting.
      session.lowerPriority(by: configuration.niceness)
      // A reader that could not be confined says so; the operator is to know.
      let words = session.lastWords()
      if !words.isEmpty { logger.warning("reader started", metadata: ["printed": "\(words)"]) }
      failedStarts = 0
      photosOfSession = 0
      queue.report {
        $0.state = .ready
        $0.problem = nil
      }
    } catch is CancellationError {
      endSession()
    } catch let problem as StartProblem {
      refuseAll(problem.detail)
    } catch {
      refuseAll("The reader can't be started: \(error.localizedDescription).")
    }
  }

  private struct StartProblem: Error {
    var detail: String
  }

  private func awaitReady(_ session: ReaderSession) throws {
    let deadline = clock.now.advanced(by: configuration.startDeadline)
    while true {
      switch session.wait(until: deadline) {
      case .answer(.ready, _): return
      case .answer(.unavailable(let detail), _): throw StartProblem(detail: detail)
      case .answer: throw StartProblem(detail: "The reader answered before it was asked.")
      case .violation(let detail): throw StartProblem(detail: detail)
      case .ended:
        throw StartProblem(detail: "The reader ended while it started\(session.lastWords()).")
      case .timedOut:
        let limit = configuration.startDeadline.components.seconds
        throw StartProblem(detail: "The reader was not ready after \(limit) seconds.")
      case .woken:
        wake.clear()
        if queue.isClosed { throw CancellationError() }
      case .paused: break
      }
    }
  }

  /// Ends what was started, tells all who wait, and pauses before the next start.
  private func refuseAll(_ detail: String) {
    endSession()
    let pause = min(configuration.longestStartPause, configuration.firstStartPause * (1 << min(failedStarts, 16)))
    failedStarts += 1
    nextStart = clock.now.advanced(by: pause)
    logger.error("reader can't start", metadata: ["problem": "\(detail)", "failures": "\(failedStarts)"])
    queue.report {
      $0.state = .unavailable
      $0.problem = detail
    }
    let failure = ReadFailure(.readerUnavailable, detail)
    for read in queue.takeAll() { read.continuation.resume(throwing: failure) }
  }

  @discardableResult
  private func endSession() -> ChildProcess.Ending? {
    guard let session else { return nil }
    self.session = nil
    queue.report { $0.processID = nil }
    return session.end()
  }

  /// Waits with an idle reader for a photo, and notices its death.
  private func watch(_ session: ReaderSession) {
    // A read may have come between the look into the queue and here; its wake is still in the pipe.
    switch session.wait(until: clock.now.advanced(by: .seconds(60))) {
    case .woken, .timedOut, .paused: break
    case .ended:
      let words = session.lastWords()
      let ending = endSession()
      logger.warning("idle reader died", metadata: ["ending": "\(ending.map(String.init(describing:)) ?? "")\(words)"])
      queue.report { $0.crashes += 1 }
      pauseAfterIdleDeath()
    case .answer, .violation:
      logger.warning("reader spoke unasked; it is replaced")
      endSession()
      pauseAfterIdleDeath()
    }
  }

  /// A reader that dies idle again and again must not spin the machine.
  private func pauseAfterIdleDeath() {
    if photosOfSession == 0 {
      nextStart = clock.now.advanced(by: configuration.firstStartPause)
    }
  }

  // MARK: Reading

  private func serve(_ read: PendingRead, in session: ReaderSession) {
    queue.report { $0.state = .reading }
    let result = Result { try answer(to: read, in: session) }
    photosOfSession += 1
    queue.forget(read.id)
    recycleIfNeeded()
    let isRunning = self.session != nil
    queue.report { $0.state = isRunning ? .ready : .starting }
    read.continuation.resume(with: result)
  }

  private func answer(to read: PendingRead, in session: ReaderSession) throws -> ReadAnswer {
    if queue.isCancelled(read.id) { throw CancellationError() }
    let deadline = clock.now.advanced(by: read.deadline)
    let usedBefore = session.processorSeconds()
    try session.ask(ReaderQuestion(id: read.id, request: read.request), photo: read.photo)
    FaultPoint.photoHanded.reached()
    while true {
      switch session.wait(until: deadline) {
      case .answer(.progress(read.id, let progress), _): read.progress(progress)
      case .answer(.reading(read.id, let reading), let annotation):
        queue.report { $0.photosRead += 1 }
        FaultPoint.answerTaken.reached()
        return ReadAnswer(reading, annotation: annotation.isEmpty ? nil : annotation)
      case .answer(.failure(read.id, let failure), _):
        queue.report { $0.photosRead += 1 }
        FaultPoint.answerTaken.reached()
        throw failure
      case .answer: throw crash("The reader answered to another photo.")
      case .violation(let detail): throw crash(detail)
      case .ended: throw death(of: session)
      case .timedOut: throw timeout(after: read.deadline, used: session.processorSeconds() - usedBefore)
      case .woken:
        wake.clear()
        if queue.isCancelled(read.id) {
          endSession()
          throw CancellationError()
        }
      case .paused:
        if session.residentBytes() > configuration.residentLimit { throw memoryExceeded() }
      }
    }
  }

  private func crash(_ reason: String) -> ReadFailure {
    endSession()
    queue.report { $0.crashes += 1 }
    return ReadFailure(.readerCrashed, "The reader failed on this photo. \(reason)")
  }

  private func death(of session: ReaderSession) -> ReadFailure {
    session.awaitEnd()
    let words = session.lastWords()
    let ending = endSession()
    FaultPoint.readerLost.reached()
    switch ending {
    case .exited(READER_EXIT_OUT_OF_MEMORY): return memoryExceeded()
    case .killed(SIGABRT) where words.contains("bad_alloc") || words.localizedCaseInsensitiveContains("allocat"):
      return memoryExceeded()
    case .killed(let signal): return crash("It crashed with signal \(signal)\(words).")
    case .exited(let status): return crash("It ended with status \(status)\(words).")
    case .unknown, nil: return crash("It ended\(words).")
    }
  }

  /// A reader that has worked on a photo for most of its deadline would do so again. One that has hardly run was
  /// suspended, or waited for a machine that was busy otherwise: another attempt may be luckier.
  private func timeout(after deadline: Duration, used: Double) -> ReadFailure {
    endSession()
    queue.report { $0.timeouts += 1 }
    let seconds = Double(deadline.components.seconds) + Double(deadline.components.attoseconds) / 1e18
    return ReadFailure(
      .readerTimedOut,
      "Reading this photo took longer than \(seconds.formatted(.number.precision(.fractionLength(0...1)))) seconds. "
        + "Try a closer picture of the serial number.", isFinal: used >= configuration.conclusiveShare * seconds)
  }

  private func memoryExceeded() -> ReadFailure {
    endSession()
    queue.report { $0.memoryKills += 1 }
    return ReadFailure(
      .outOfMemory, "Reading this photo took more memory than is allowed. Try a smaller picture of the serial number.")
  }

  private func recycleIfNeeded() {
    guard let session else { return }
    let isOld = photosOfSession >= configuration.photosPerProcess
    guard isOld || session.hasLeftovers || session.residentBytes() > configuration.idleResidentLimit else { return }
    endSession()
    queue.report { $0.recycles += 1 }
  }

  private func seconds(until instant: ContinuousClock.Instant) -> Double {
    let left = clock.now.duration(to: instant).components
    return Double(left.seconds) + Double(left.attoseconds) / 1e18
  }
}
