import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The two clocks of the store.
///
/// Times shown to people come from the wall clock. Leases and backoffs are measured on a monotonic clock that also
/// advances while the machine sleeps, so that setting the wall clock neither frees a lease nor delays a job. Monotonic
/// times are meaningless after a reboot; the boot's id is stored with them, and those of another boot count as past.
public struct StoreClock: Sendable {
  /// The wall clock.
  public var now: @Sendable () -> Date
  /// Microseconds on the monotonic clock.
  public var tick: @Sendable () -> Int64
  /// Identifies the boot within which ticks are comparable.
  public var boot: String

  /// Creates a clock, for tests.
  public init(now: @escaping @Sendable () -> Date, tick: @escaping @Sendable () -> Int64, boot: String) {
    self.now = now
    self.tick = tick
    self.boot = boot
  }

  /// The machine's clocks. If the system has no boot id, each process counts as a boot.
  public static let system = StoreClock(
    now: { Date() },
    tick: {
      var time = timespec()
      #if os(Linux)
        clock_gettime(CLOCK_BOOTTIME, &time)
      #else
        clock_gettime(CLOCK_MONOTONIC, &time)
      #endif
      return Int64(clamping: time.tv_sec) * 1_000_000 + Int64(clamping: time.tv_nsec) / 1000
    },
    boot: (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
      .trimmingCharacters(in: .whitespacesAndNewlines) ?? UUID().uuidString.lowercased())
}

extension Date {
  /// Microseconds since 1970-01-01T00:00:00Z, as stored in the database; clamped to the years it can format.
  package var microseconds: Int64 {
    // From -9999-01-01 to 9999-12-31; NaN counts as the beginning.
    let seconds = timeIntervalSince1970
    guard seconds > -377_705_116_800 else { return -377_705_116_800_000_000 }
    return Int64(exactly: (min(seconds, 253_402_300_799) * 1_000_000).rounded()) ?? 0
  }

  /// Creates a date from a stored time, clamped to the years 1 to 9999, which every calendar and client can show.
  package init(microseconds: Int64) {
    self.init(timeIntervalSince1970: min(max(Double(microseconds) / 1_000_000, -62_135_596_800), 253_402_300_799))
  }
}

extension TimeInterval {
  /// The interval in microseconds, clamped to 0...a century, so that no setting can overflow.
  package var microseconds: Int64 {
    Int64(exactly: (Swift.max(0, Swift.min(self, 3_155_760_000)) * 1_000_000).rounded()) ?? 0
  }
}
