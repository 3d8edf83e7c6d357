import CChildProcess
import Foundation

/// Interrupts a thread's `poll` from another thread.
final class WakePipe: Sendable {
  private let ends: (read: Int32, write: Int32)

  /// Opens the pipe. Throws a `POSIXError`.
  init() throws {
    var descriptors: [Int32] = [-1, -1]
    let error = child_wake_pipe(&descriptors)
    guard error == 0 else { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EMFILE) }
    ends = (descriptors[0], descriptors[1])
  }

  deinit {
    close(ends.read)
    close(ends.write)
  }

  /// The descriptor to poll.
  var descriptor: Int32 { ends.read }

  /// Wakes the thread, now or at its next `poll`.
  func wake() {
    var byte: UInt8 = 1
    _ = write(ends.write, &byte, 1)
  }

  /// Discards all previous wakes.
  func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while read(ends.read, &bytes, bytes.count) > 0 {}
  }

  /// Waits for a wake up to `seconds`.
  func wait(seconds: Double) {
    var polled = [pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0)]
    _ = poll(&polled, 1, Int32(exactly: min(max(seconds * 1000, 0), 3_600_000).rounded(.up)) ?? 0)
  }
}
