#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Wall time and the thread's CPU time since a read began.
struct ReadingTimer {
  private let start = ContinuousClock.now
  private let cpuStart = Self.threadSeconds()

  /// Seconds of wall time.
  var wallSeconds: Double { (ContinuousClock.now - start) / .seconds(1) }
  /// Seconds of the thread's CPU time.
  var cpuSeconds: Double { Self.threadSeconds() - cpuStart }

  /// When a budget of seconds since the start is used up.
  func deadline(after seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
