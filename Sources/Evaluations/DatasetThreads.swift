import NIOPosix
import Support

/// Threads for searching labelled folders. The work is slow, so it stays off the threads that store photos.
enum DatasetThreads {
  private static let shared: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: 2)
    threads.start()
    return threads
  }()

  /// Runs blocking work, which polls whether it is cancelled. Work cancelled before it starts never runs.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Value
  ) async throws -> Value {
    let isCancelled = Locked(false)
    return try await withTaskCancellationHandler {
      try await shared.runIfActive {
        if isCancelled.withLock({ $0 }) { throw CancellationError() }
        return try work { isCancelled.withLock { $0 } }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }
}
