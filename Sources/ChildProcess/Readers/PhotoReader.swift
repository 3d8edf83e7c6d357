import ChildProcess
import ScanModel

/// Something that reads one photo at a time, on behalf of one worker.
public protocol PhotoReader: Sendable {
  /// Reads a photo.
  ///
  /// A call while another is running waits its turn. Cancelling the task ends the read and throws
  /// `CancellationError`.
  ///
  /// - Parameters:
  ///   - photo: The photo's file.
  ///   - request: How to read it.
  ///   - deadline: Wall time from the moment the reader is given the photo, after which the read is ended.
  ///   - progress: Called from a thread of the reader's own, in order, never after the call has returned.
  /// - Throws: `ReadFailure`, or `CancellationError`.
  func read(
    _ photo: [UInt8], _ request: ReadRequest, deadline: Duration,
    progress: @escaping @Sendable (ReadProgress) -> Void
  ) async throws -> ReadAnswer

  /// How the reader is.
  var status: ChildStatus { get }

  /// Ends the reader, and a read that is running with `CancellationError`. Returns when it is gone.
  func stop() async
}
