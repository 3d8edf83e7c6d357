import HTTPAPI
import Support
import Testing

/// Covers the allowance of a client, and how many clients are remembered.
@Suite struct RateLimiterTests {
  /// A clock that moves only when advanced.
  private final class TestClock: Sendable {
    private let offset = Locked(Duration.zero)
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant { start + offset.withLock { $0 } }
    func pass(_ seconds: Double) { offset.withLock { $0 += .seconds(seconds) } }
  }

  @Test func allowanceRefillsEvenly() throws {
    let clock = TestClock()
    let limiter = RateLimiter(perMinute: 6) { clock.now }
    for left in (0..<6).reversed() {
      let counted = try #require(limiter.count("a"))
      #expect(counted.error == nil && counted.allowance.remaining == left)
    }
    #expect(limiter.count("a")?.error?.code == .rateLimited)
    #expect(limiter.count("b")?.error == nil)
    clock.pass(10)
    #expect(limiter.count("a")?.error == nil)
    #expect(limiter.count("a")?.error != nil)
  }

  @Test(arguments: [1.0, 30, 59, 61, 90, 119])
  func debtSurvivesForgetting(pause: Double) throws {
    let clock = TestClock()
    let limiter = RateLimiter(perMinute: 60) { clock.now }
    _ = limiter.count("first")
    clock.pass(45)
    for _ in 0..<60 { _ = limiter.count("a") }
    clock.pass(pause)
    // A minute after the last request the allowance is full again.
    let remaining = try #require(limiter.count("a")).allowance.remaining
    #expect(remaining == Int(min(60, pause)) - 1)
  }

  @Test func forgetsClientsOnceTheirAllowanceIsFull() {
    let clock = TestClock()
    let limiter = RateLimiter(perMinute: 60) { clock.now }
    for number in 0..<50_000 { _ = limiter.count("caller \(number)") }
    #expect(limiter.callerCount == 50_000)
    for second in 0..<130 {
      clock.pass(1)
      _ = limiter.count("steady")
      if second == 60 { _ = limiter.count("late") }
    }
    #expect(limiter.callerCount <= 3)
    clock.pass(600)
    _ = limiter.count("steady")
    #expect(limiter.callerCount == 1)
  }

  @Test func zeroMeansNoLimit() { #expect(RateLimiter(perMinute: 0).count("a") == nil) }
}
