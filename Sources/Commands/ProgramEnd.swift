import Glibc

/// The end of a program that has served or read until it was told to stop.
enum ProgramEnd {
  /// Ends the program with status 0, without what libraries clear away when a main function returns: the connections to a
  /// database close on threads of their own, which may still be inside OpenSSL then.
  static func afterStop() -> Never {
    fflush(nil)
    _exit(0)
  }
}
