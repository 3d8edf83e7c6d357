#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Wall time and the thread's CPU time since a read began, and whether its budget is used up.
///
/// The budget is CPU time, so that what is read in a photo does not depend on what else the machine does. Where the thread hardly runs at all,
/// the server's deadline ends the read, and says that it did: nothing was learned of the photo.
package struct ReadingTimer: Sendable {
  /// Seconds of CPU time after which no further work is begun.
  let budget: Double
  private let start = ContinuousClock.now
  private let cpuStart = Self.threadSeconds()

  /// Starts a timer on the calling thread, which alone may ask it.
  package init(budget: Double) { self.budget = budget }

  /// Seconds of wall time.
  var wallSeconds: Double { (ContinuousClock.now - start) / .seconds(1) }
  /// Seconds of the thread's CPU time.
  var cpuSeconds: Double { Self.threadSeconds() - cpuStart }

  /// Whether further work may be begun.
  package var hasTime: Bool { cpuSeconds < budget }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
