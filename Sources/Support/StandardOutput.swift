import Foundation

/// Writes results to standard output. Unlike `print`, reports a full disk or a closed pipe instead of losing the text.
public final class StandardOutput: Sendable {
  /// Why a text was not written completely.
  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stream is a pipe whose reader is gone, as after `| head`.
    case closedPipe
    /// The system refused it with this `errno`.
    case refused(Int32)

    /// The message.
    public var description: String {
      switch self {
      case .closedPipe: "standard output could not be written: nobody reads it any more"
      case .refused(let number): "standard output could not be written: \(String(cString: strerror(number)))"
      }
    }
  }

  /// The stream of this process.
  public static let shared = StandardOutput(descriptor: STDOUT_FILENO)

  private let descriptor: Int32
  /// Texts of several threads are written one after another.
  private let turn = Locked(())

  /// Uses a descriptor without taking ownership.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Writes a line.
  public func print(_ line: String) throws(Problem) { try write(line + "\n") }

  /// Writes a text. It has been handed to the system on return. Blocks while a pipe is full.
  public func write(_ text: String) throws(Problem) {
    let bytes = Array(text.utf8)
    try turn.withLock { (_: inout Void) throws(Problem) -> Void in
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent)
        }
        if count > 0 {
          sent += count
          continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN: waitForRoom()
        case EPIPE: throw .closedPipe
        case let number: throw .refused(number)
        }
      }
    }
  }

  /// Writes a line if that is possible. For services, which continue when nobody can read what they say.
  public func announce(_ line: String) { try? print(line) }

  /// Waits until a stream that another program made non-blocking accepts more.
  private func waitForRoom() {
    var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&polled, 1, -1)
  }
}
