import Logging

/// What a child answered, with the bytes beside it.
public struct ChildAnswer<Dialogue: ChildDialogue>: Sendable {
  /// The answer, checked.
  public var answer: Dialogue.Answer
  /// The bytes beside it; mostly none.
  public var attachment: [UInt8]
}

/// A child process that answers one question at a time: decoders and OCR are C and C++ fed by strangers, so they run in
/// a child that may crash, hang, lie or eat memory at the cost of the question it works on and nothing else.
///
/// The child is started at once, kept warm between questions, replaced when it dies and after many answers. All that
/// blocks happens on a thread of its own.
public final class SupervisedChild<Dialogue: ChildDialogue>: Sendable {
  private let queue: QuestionQueue<Dialogue>
  private let wake: WakePipe

  /// Starts the child. Returns at once; it warms up meanwhile.
  ///
  /// - Parameters:
  ///   - setup: What every process is told first, the one that is started now and those that replace it.
  ///   - configuration: How it is started, and what it may use.
  ///   - onEvent: Called from the child's thread; may block it.
  /// - Throws: `POSIXError` where this process has no descriptors left.
  public init(
    _: Dialogue.Type, setup: Dialogue.Setup, configuration: ChildConfiguration, logger: Logger,
    onEvent: @escaping @Sendable (ChildEvent) -> Void = { _ in }
  ) throws {
    queue = QuestionQueue()
    wake = try WakePipe()
    let supervisor = ChildSupervisor<Dialogue>(
      setup: setup, configuration: configuration, queue: queue, wake: wake, logger: logger, onEvent: onEvent)
    supervisor.startThread()
  }

  deinit {
    queue.close(whenEnded: nil)
    wake.wake()
  }

  /// How the child is, at this moment.
  public var status: ChildStatus { queue.status }

  /// Asks the child. A call while another is running waits its turn; cancelling the task ends the child that works on it.
  ///
  /// - Parameters:
  ///   - question: What is asked.
  ///   - attachment: Bytes that go beside it.
  ///   - deadline: Wall time from the moment the child is given the question, after which it is ended.
  ///   - step: Called from the child's thread, in order, never after the call has returned.
  /// - Throws: `ChildFailure`, or `CancellationError`.
  public func ask(
    _ question: Dialogue.Question, attachment: [UInt8] = [], deadline: Duration,
    step: @escaping @Sendable (Dialogue.Step) -> Void = { _ in }
  ) async throws -> ChildAnswer<Dialogue> {
    let id = queue.nextID()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.add(
          PendingQuestion(
            id: id, question: question, attachment: attachment, deadline: deadline, step: step,
            continuation: continuation))
        wake.wake()
      }
    } onCancel: {
      queue.cancel(id)
      wake.wake()
    }
  }

  /// Kills the child, ends the thread, and a question that is open with `CancellationError`. Returns when it is gone.
  public func stop() async {
    await withCheckedContinuation { continuation in
      queue.close(whenEnded: continuation)
      wake.wake()
    }
  }
}
