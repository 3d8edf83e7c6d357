import ScanModel

/// Reads one photo at a time for one worker.
public protocol PhotoReader: Sendable {
  /// Reads a photo.
  ///
  /// Concurrent calls wait their turn. Cancelling the task ends the read and throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - photo: The photo's file.
  ///   - request: How to read it.
  ///   - deadline: Wall-clock time after the reader received the photo at which the read is ended.
  ///   - progress: Called from a thread of the reader, in order, never after this call has returned.
  /// - Throws: `ReadFailure`, or `CancellationError`.
  func read(
    _ photo: [UInt8], _ request: ReadRequest, deadline: Duration,
    progress: @escaping @Sendable (ReadProgress) -> Void
  ) async throws -> ReadAnswer

  /// The reader's status.
  var status: ChildStatus { get }

  /// Stops the reader; a running read throws `CancellationError`. Returns when the reader is gone.
  func stop() async
}
