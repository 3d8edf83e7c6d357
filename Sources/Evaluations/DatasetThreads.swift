import NIOPosix
import Support

/// The threads on which labelled folders are looked through: long work, kept off the threads on which photos are stored.
enum DatasetThreads {
  private static let shared: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: 2)
    threads.start()
    return threads
  }()

  /// Runs blocking work, which asks now and then whether it is cancelled. Work that has not begun by then never does.
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
