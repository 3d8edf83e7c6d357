import Glibc

/// The exits of a program that did not end by completing its command.
enum ProgramEnd {
  /// Ends the program with status 0, without the exit handlers of libraries: database connections are closed on other
  /// threads, which may still be inside OpenSSL then.
  static func afterStop() -> Never {
    fflush(nil)
    _exit(0)
  }

  /// Ends the program as SIGPIPE ends others: without a message, because whoever read its output has seen enough.
  static func afterClosedPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
    // Only reached if the signal is blocked.
    _exit(128 + SIGPIPE)
  }
}
