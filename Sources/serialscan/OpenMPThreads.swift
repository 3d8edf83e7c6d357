import Foundation

/// Tesseract's OpenMP threads make a read three to six times slower. Their number is taken from the environment when the
/// library is loaded, before any line of this program runs, so the program starts itself anew with it set.
enum OpenMPThreads {
  /// Starts the program again with one OpenMP thread, unless it already runs so. Returns where that is so, or where the
  /// restart fails (reading is then slower, not wrong).
  static func restartWithOne() {
    guard ProcessInfo.processInfo.environment["OMP_THREAD_LIMIT"] == nil else { return }
    setenv("OMP_THREAD_LIMIT", "1", 1)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
  }
}
