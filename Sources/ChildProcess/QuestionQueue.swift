import Support

/// A question that waits for the child, with the call that waits for the answer.
struct PendingQuestion<Dialogue: ChildDialogue>: Sendable {
  var id: UInt64
  var question: Dialogue.Question
  var attachment: [UInt8]
  var deadline: Duration
  var step: @Sendable (Dialogue.Step) -> Void
  var continuation: CheckedContinuation<ChildAnswer<Dialogue>, any Error>
}

/// What callers and the child's thread share.
final class QuestionQueue<Dialogue: ChildDialogue>: Sendable {
  private struct State {
    var lastID: UInt64 = 0
    var waiting: [PendingQuestion<Dialogue>] = []
    var cancelled: Set<UInt64> = []
    var isClosed = false
    var hasEnded = false
    var stopping: [CheckedContinuation<Void, Never>] = []
    var status = ChildStatus()
  }

  private let state = Locked(State())

  /// The child's status.
  var status: ChildStatus { state.withLock { $0.status } }

  /// Whether the child is to end.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// An id that no other question to this child has.
  func nextID() -> UInt64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  /// Changes the status.
  func report(_ change: (inout ChildStatus) -> Void) {
    state.withLock { change(&$0.status) }
  }

  /// Adds a question, or ends it at once where it was cancelled meanwhile or the child is closed.
  func add(_ asked: PendingQuestion<Dialogue>) {
    let isRefused = state.withLock { state in
      if state.isClosed || state.cancelled.remove(asked.id) != nil { return true }
      state.waiting.append(asked)
      return false
    }
    if isRefused { asked.continuation.resume(throwing: CancellationError()) }
  }

  /// Cancels a question: one that waits is ended here, a running one by the thread, which asks `isCancelled`.
  func cancel(_ id: UInt64) {
    let waiting = state.withLock { state -> PendingQuestion<Dialogue>? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.waiting.remove(at: index)
    }
    waiting?.continuation.resume(throwing: CancellationError())
  }

  /// Whether a running question is to be ended.
  func isCancelled(_ id: UInt64) -> Bool {
    state.withLock { $0.isClosed || $0.cancelled.contains(id) }
  }

  /// Forgets that a question was cancelled, once it has ended.
  func forget(_ id: UInt64) {
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  /// Takes the next question.
  func next() -> PendingQuestion<Dialogue>? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Whether a question waits.
  var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Takes all that wait.
  func takeAll() -> [PendingQuestion<Dialogue>] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Asks the thread to end; the continuation is resumed when it has.
  func close(whenEnded continuation: CheckedContinuation<Void, Never>?) {
    let hasEnded = state.withLock { state in
      state.isClosed = true
      if !state.hasEnded, let continuation { state.stopping.append(continuation) }
      return state.hasEnded
    }
    if hasEnded { continuation?.resume() }
  }

  /// Says that the thread has ended.
  func markEnded() {
    for asked in takeAll() { asked.continuation.resume(throwing: CancellationError()) }
    let stopping = state.withLock { state in
      state.hasEnded = true
      state.status.state = .stopped
      state.status.processID = nil
      defer { state.stopping = [] }
      return state.stopping
    }
    stopping.forEach { $0.resume() }
  }
}
