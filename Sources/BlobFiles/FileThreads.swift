import NIOPosix

/// The threads for blocking file access, which must never run on an event loop or the cooperative pool.
public enum FileThreads {
  /// More threads than cores, because most of them wait for the disk.
  static let shared: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: 16)
    threads.start()
    return threads
  }()

  /// Runs blocking work on one of the threads.
  public static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await shared.runIfActive(work)
  }
}
