import Glibc

/// The exit of a program that ran until it was stopped.
enum ProgramEnd {
  /// Ends the program with status 0, without the exit handlers of libraries: database connections are closed on other
  /// threads, which may still be inside OpenSSL then.
  static func afterStop() -> Never {
    fflush(nil)
    _exit(0)
  }
}
