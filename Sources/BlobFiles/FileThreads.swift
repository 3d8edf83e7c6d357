import NIOPosix

/// The threads on which files are read, written and synchronised: never an event loop, nor the cooperative pool.
public enum FileThreads {
  /// More than cores, because most of them wait for the disk.
  static let shared: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: 16)
    threads.start()
    return threads
  }()

  /// Runs blocking work.
  public static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await shared.runIfActive(work)
  }
}
