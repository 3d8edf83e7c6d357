#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Measures wall time and the thread's CPU time since a read began, and checks its budget.
///
/// The budget is CPU time, so that the result does not depend on the load of the machine. If the thread hardly runs,
/// the server's deadline ends the read with a timeout error instead of a result.
package struct ReadingTimer: Sendable {
  /// The CPU time in seconds after which no further work starts.
  let budget: Double
  private let start = ContinuousClock.now
  private let cpuStart = Self.threadSeconds()

  /// Starts a timer. Only the calling thread may use it.
  package init(budget: Double) { self.budget = budget }

  /// Wall time since the start, in seconds.
  var wallSeconds: Double { (ContinuousClock.now - start) / .seconds(1) }
  /// CPU time of the thread since the start, in seconds.
  var cpuSeconds: Double { Self.threadSeconds() - cpuStart }

  /// Whether the budget allows further work.
  package var hasTime: Bool { cpuSeconds < budget }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
