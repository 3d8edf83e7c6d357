import Foundation

/// Writes to standard error without ever ending or blocking the program, even if the stream is closed, full, or a pipe
/// that nobody reads. Text that can't be written is dropped and counted.
public final class StandardError: Sendable {
  /// The stream of this process.
  public static let shared = StandardError(descriptor: STDERR_FILENO)

  /// Bytes that a pipe reported as writable accepts without blocking (Linux `pipe(7)`, PIPE_BUF).
  private static let pieceSize = 4096
  /// How long a text waits for the pipe's reader. After a timeout there is no wait until it reads again.
  private static let patience = Duration.milliseconds(200)

  private struct State {
    var dropped = 0
    /// Whether the latest text was truncated, so that the next one must start a new line.
    var isMidLine = false
    var hasStalled = false
  }

  private let descriptor: Int32
  private let state = Locked(State())

  /// Uses a descriptor without taking ownership.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Number of texts dropped so far, completely or partially.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Writes a text, or drops what is left of it after waiting for 200 ms in total.
  public func write(_ text: String) {
    state.withLock { state in
      let bytes = Array(((state.isMidLine ? "\n" : "") + text).utf8)
      let deadline = ContinuousClock.now + (state.hasStalled ? .zero : Self.patience)
      let written = send(bytes, until: deadline, hasStalled: &state.hasStalled)
      if written > 0 { state.isMidLine = written < bytes.count }
      if written < bytes.count { state.dropped += 1 }
    }
  }

  /// Writes as many bytes as the stream accepts, in pieces. Returns their number.
  private func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant, hasStalled: inout Bool) -> Int {
    var sent = 0
    while sent < bytes.count {
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let left = max(.zero, deadline - .now) / .milliseconds(1)
      let ready = poll(&polled, 1, Int32(exactly: left.rounded(.up)) ?? 0)
      if ready < 0, errno == EINTR { continue }
      hasStalled = ready == 0
      guard ready > 0 else { return sent }
      let piece = bytes.dropFirst(sent).prefix(Self.pieceSize)
      let count = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return sent }
      sent += count
    }
    return sent
  }
}
