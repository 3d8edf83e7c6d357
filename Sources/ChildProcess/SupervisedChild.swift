import Logging

/// A child's answer with its attachment.
public struct ChildAnswer<Dialogue: ChildDialogue>: Sendable {
  /// The checked answer.
  public var answer: Dialogue.Answer
  /// The attachment; usually empty.
  public var attachment: [UInt8]
}

/// A child process that answers one question at a time.
///
/// Decoders and OCR engines are C and C++ code processing untrusted input. In a child they may crash, hang, return
/// wrong data or exhaust memory at the cost of only one question.
///
/// The child is started immediately, kept warm between questions, and replaced when it dies and after a number of
/// answers. Blocking work runs on a separate thread.
public final class SupervisedChild<Dialogue: ChildDialogue>: Sendable {
  private let queue: QuestionQueue<Dialogue>
  private let wake: WakePipe

  /// Starts the child. Returns immediately, while it warms up.
  ///
  /// - Parameters:
  ///   - setup: The first message to this process and those that replace it.
  ///   - configuration: How it is started, and its resource limits.
  ///   - onEvent: Called on the child's thread; may block it.
  /// - Throws: `POSIXError` if this process has no file descriptors left.
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

  /// The child's current status.
  public var status: ChildStatus { queue.status }

  /// The number of cancelled questions whose calls have not returned.
  package var openCancellations: Int { queue.openCancellations }

  /// Sends a question and returns the answer. Concurrent calls wait their turn. Cancelling the task kills the child
  /// that is working on it.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - attachment: The question's attachment.
  ///   - deadline: Wall-clock time after the child received the question at which it is killed.
  ///   - step: Called on the child's thread, in order, never after this call has returned.
  /// - Throws: `ChildFailure`, or `CancellationError`.
  public func ask(
    _ question: Dialogue.Question, attachment: [UInt8] = [], deadline: Duration,
    step: @escaping @Sendable (Dialogue.Step) -> Void = { _ in }
  ) async throws -> ChildAnswer<Dialogue> {
    let id = queue.nextID()
    // Not earlier: until then the task may still be cancelled.
    defer { queue.forget(id) }
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

  /// Kills the child and ends the thread; open questions throw `CancellationError`. Returns when the child is gone.
  public func stop() async {
    await withCheckedContinuation { continuation in
      queue.close(whenEnded: continuation)
      wake.wake()
    }
  }
}
