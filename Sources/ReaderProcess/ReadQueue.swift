import Locking
import ReaderProtocol

/// A photo that waits for the reader, with the call that waits for the answer.
struct PendingRead: Sendable {
  var id: UInt64
  var photo: [UInt8]
  var request: ReadRequest
  var deadline: Duration
  var progress: @Sendable (ReadProgress) -> Void
  var continuation: CheckedContinuation<ReadAnswer, any Error>
}

/// What callers and the reader's thread share.
final class ReadQueue: Sendable {
  private struct State {
    var lastID: UInt64 = 0
    var waiting: [PendingRead] = []
    var cancelled: Set<UInt64> = []
    var isClosed = false
    var hasEnded = false
    var stopping: [CheckedContinuation<Void, Never>] = []
    var status = ReaderStatus()
  }

  private let state = Locked(State())

  /// The reader's status.
  var status: ReaderStatus { state.withLock { $0.status } }

  /// Whether the reader is to end.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// An id that no other read of this reader has.
  func nextID() -> UInt64 {
    state.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  /// Changes the status.
  func report(_ change: (inout ReaderStatus) -> Void) {
    state.withLock { change(&$0.status) }
  }

  /// Adds a read, or ends it at once where it was cancelled meanwhile or the reader is closed.
  func add(_ read: PendingRead) {
    let isRefused = state.withLock { state in
      if state.isClosed || state.cancelled.remove(read.id) != nil { return true }
      state.waiting.append(read)
      return false
    }
    if isRefused { read.continuation.resume(throwing: CancellationError()) }
  }

  /// Cancels a read: one that waits is ended here, a running one by the thread, which asks `isCancelled`.
  func cancel(_ id: UInt64) {
    let waiting = state.withLock { state -> PendingRead? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.waiting.remove(at: index)
    }
    waiting?.continuation.resume(throwing: CancellationError())
  }

  /// Whether a running read is to be ended.
  func isCancelled(_ id: UInt64) -> Bool {
    state.withLock { $0.isClosed || $0.cancelled.contains(id) }
  }

  /// Forgets that a read was cancelled, once it has ended.
  func forget(_ id: UInt64) {
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  /// Takes the next read.
  func next() -> PendingRead? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Whether a read waits.
  var hasWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Takes all that wait.
  func takeAll() -> [PendingRead] {
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
    for read in takeAll() { read.continuation.resume(throwing: CancellationError()) }
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
