import Support

/// A question waiting for the child, and its caller's continuation.
struct PendingQuestion<Dialogue: ChildDialogue>: Sendable {
  var id: UInt64
  var question: Dialogue.Question
  var attachment: [UInt8]
  var deadline: Duration
  var step: @Sendable (Dialogue.Step) -> Void
  var continuation: CheckedContinuation<ChildAnswer<Dialogue>, any Error>
}

/// The state shared by the callers and the child's thread.
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

  /// Whether the child must stop.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Returns an id unique among questions to this child.
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

  /// Adds a question. Fails it immediately if it was cancelled meanwhile or the child is closed.
  func add(_ asked: PendingQuestion<Dialogue>) {
    let isRefused = state.withLock { state in
      if state.isClosed || state.cancelled.contains(asked.id) { return true }
      state.waiting.append(asked)
      return false
    }
    if isRefused { asked.continuation.resume(throwing: CancellationError()) }
  }

  /// Cancels a question. A waiting one ends here, a running one in the thread, which checks `isCancelled`.
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

  /// Whether a running question has been cancelled.
  func isCancelled(_ id: UInt64) -> Bool {
    state.withLock { $0.isClosed || $0.cancelled.contains(id) }
  }

  /// The number of cancellations that are not forgotten.
  var openCancellations: Int { state.withLock { $0.cancelled.count } }

  /// Forgets the cancellation of a question whose call returns.
  func forget(_ id: UInt64) {
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  /// Removes and returns the next question.
  func next() -> PendingQuestion<Dialogue>? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Whether questions are waiting.
  var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Removes and returns all waiting questions.
  func takeAll() -> [PendingQuestion<Dialogue>] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Asks the thread to end; resumes the continuation when it has.
  func close(whenEnded continuation: CheckedContinuation<Void, Never>?) {
    let hasEnded = state.withLock { state in
      state.isClosed = true
      if !state.hasEnded, let continuation { state.stopping.append(continuation) }
      return state.hasEnded
    }
    if hasEnded { continuation?.resume() }
  }

  /// Records that the thread has ended.
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
