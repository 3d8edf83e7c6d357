import Logging
import ReaderProtocol

/// One reader process, owned by one worker: decoders and OCR are C and C++ fed by strangers, so they run in a child
/// that may crash, hang or eat memory at the cost of the photo it reads and nothing else.
///
/// The child is started at once, kept warm between photos, replaced when it dies and after many photos. All that
/// blocks happens on a thread of its own.
public final class ReaderProcess: PhotoReader {
  private let queue: ReadQueue
  private let wake: WakePipe

  /// Starts the reader. Returns at once; it warms up meanwhile.
  ///
  /// - Throws: `POSIXError` where the server has no descriptors left.
  public init(configuration: ReaderConfiguration, logger: Logger) throws {
    queue = ReadQueue()
    wake = try WakePipe()
    let supervisor = ReaderSupervisor(configuration: configuration, queue: queue, wake: wake, logger: logger)
    supervisor.startThread()
  }

  deinit {
    queue.close(whenEnded: nil)
    wake.wake()
  }

  /// How the reader is, at this moment.
  public var status: ReaderStatus { queue.status }

  /// Reads a photo in the child; see `PhotoReader`.
  public func read(
    _ photo: [UInt8], _ request: ReadRequest, deadline: Duration,
    progress: @escaping @Sendable (ReadProgress) -> Void
  ) async throws -> ReadAnswer {
    let id = queue.nextID()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.add(
          PendingRead(
            id: id, photo: photo, request: request, deadline: deadline, progress: progress, continuation: continuation))
        wake.wake()
      }
    } onCancel: {
      queue.cancel(id)
      wake.wake()
    }
  }

  /// Kills the child and ends the thread; see `PhotoReader`.
  public func stop() async {
    await withCheckedContinuation { continuation in
      queue.close(whenEnded: continuation)
      wake.wake()
    }
  }
}
