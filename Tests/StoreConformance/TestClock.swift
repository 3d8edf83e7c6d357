import Foundation
import JobStore
import Support

/// Clocks that move only when advanced.
package final class TestClock: TestTime {
  private let times = Locked((wall: Date(timeIntervalSince1970: 1_700_000_000), tick: Int64(1_000_000)))

  /// Creates clocks at some moment.
  package init() {}

  /// Advances both clocks.
  package func pass(_ seconds: TimeInterval) {
    times.withLock {
      $0.wall += seconds
      $0.tick += Int64(seconds * 1_000_000)
    }
  }

  /// Sets the wall clock by hand, as an operator or NTP does.
  package func setWallClock(by seconds: TimeInterval) {
    times.withLock { $0.wall += seconds }
  }

  /// These clocks in the form that a store needs.
  package func storeClock(boot: String = "boot-1") -> StoreClock {
    StoreClock(now: { self.times.withLock { $0.wall } }, tick: { self.times.withLock { $0.tick } }, boot: boot)
  }
}
