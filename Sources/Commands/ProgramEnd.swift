import ArgumentParser
import Glibc

/// The ends of the program. None runs the exit handlers of libraries: other threads may still be inside Tesseract or
/// OpenSSL, whose global state the handlers destroy.
enum ProgramEnd {
  /// Ends the program with an exit status.
  static func with(_ code: ExitCode) -> Never { _exit(code.rawValue) }

  /// Ends the program as SIGPIPE ends others: without a message, because whoever read its output has seen enough.
  static func afterClosedPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    // Only reached if the signal is blocked.
    _exit(128 + SIGPIPE)
  }
}
