import Foundation

/// The standard error stream, written to so that no state of it ends or holds up the program: closed, full, or a pipe
/// that nobody reads. What can't be written is dropped and counted.
public final class StandardError: Sendable {
  /// The stream of this process.
  public static let shared = StandardError(descriptor: STDERR_FILENO)

  /// Bytes that a pipe takes at once where it says that it takes any (Linux `pipe(7)`, PIPE_BUF).
  private static let pieceSize = 4096
  /// Milliseconds that a reader of the pipe is given to make room. One that stood still is given none until it reads on.
  private static let patience: Int32 = 200

  private struct State {
    var dropped = 0
    /// Whether the latest text was cut off, so that the next begins a line of its own.
    var isMidLine = false
    var hasStalled = false
  }

  private let descriptor: Int32
  private let state = Locked(State())

  /// Uses a descriptor, which stays the caller's.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Texts that were dropped so far, wholly or in part.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Writes a text, or drops it. Never waits longer than a fifth of a second.
  public func write(_ text: String) {
    state.withLock { state in
      let bytes = Array(((state.isMidLine ? "\n" : "") + text).utf8)
      let written = send(bytes, patience: state.hasStalled ? 0 : Self.patience, hasStalled: &state.hasStalled)
      if written > 0 { state.isMidLine = written < bytes.count }
      if written < bytes.count { state.dropped += 1 }
    }
  }

  /// Writes piece by piece, as far as the stream takes them; returns how many bytes that were.
  private func send(_ bytes: [UInt8], patience: Int32, hasStalled: inout Bool) -> Int {
    var sent = 0
    while sent < bytes.count {
      var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = poll(&polled, 1, patience)
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
