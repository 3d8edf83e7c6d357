import NIOConcurrencyHelpers

/// Requests a minute for each caller, evenly: the generic cell rate algorithm (ITU-T I.371), one time a caller.
///
/// A caller may use a minute's worth at once and then gets new ones one by one.
final class RateLimiter: Sendable {
  /// Callers remembered before those whose allowance is full again are forgotten.
  private static let memory = 10_000

  private let perMinute: Int
  private let clock: @Sendable () -> ContinuousClock.Instant
  /// For each caller, when its allowance will be full again.
  private let fullAt = NIOLockedValueBox<[String: ContinuousClock.Instant]>([:])

  init(perMinute: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.perMinute = perMinute
    self.clock = clock
  }

  /// Counts a request, or throws 429.
  func count(_ caller: String) throws {
    guard perMinute > 0 else { return }
    let now = clock()
    let step = Duration.seconds(60) / perMinute
    try fullAt.withLockedValue { fullAt in
      let full = max(fullAt[caller] ?? now, now) + step
      let excess = full - now - .seconds(60)
      if excess > .zero {
        throw APIError(
          .rateLimited, "More than \(perMinute) requests a minute. Wait a moment and go on slower.",
          retryAfter: Int(clamping: excess.components.seconds) + 1)
      }
      fullAt[caller] = full
      if fullAt.count > Self.memory { fullAt = fullAt.filter { $0.value > now } }
    }
  }
}
