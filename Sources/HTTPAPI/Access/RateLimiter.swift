import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// Limits the requests per minute of each caller with the generic cell rate algorithm (ITU-T I.371), which stores one
/// time per caller.
///
/// A caller may send a minute's worth of requests at once, and then gets new ones at an even rate. Callers are forgotten
/// one to two minutes after their last request; no request examines any other caller's entry.
package final class RateLimiter: Sendable {
  /// A caller's remaining allowance, as the `RateLimit-*` fields report it.
  package struct Allowance: Sendable, Equatable {
    /// Requests per minute.
    package var limit: Int
    /// Requests that the caller may send at once.
    package var remaining: Int
    /// Seconds until the caller's full allowance is restored.
    package var reset: Int
  }

  /// The time after which every allowance is full again without further requests: what is owed never exceeds it.
  private static let period = Duration.seconds(60)

  /// The time at which each caller's allowance will be full again, by the period of the caller's latest request.
  private struct Callers {
    var current: [String: ContinuousClock.Instant] = [:]
    var previous: [String: ContinuousClock.Instant] = [:]
    /// When `current` started.
    var since: ContinuousClock.Instant?

    /// Once per period, removes and returns the entries of callers without a request for at least one period.
    mutating func forget(
      at now: ContinuousClock.Instant, after period: Duration
    ) -> [String: ContinuousClock.Instant] {
      guard let since else {
        self.since = now
        return [:]
      }
      guard now - since >= period else { return [:] }
      // After two periods, the callers of `current` had none either.
      let isLong = now - since >= period * 2
      let forgotten = isLong ? current : previous
      previous = isLong ? [:] : current
      current = [:]
      self.since = now
      return forgotten
    }
  }

  private let perMinute: Int
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let callers = NIOLockedValueBox(Callers())

  /// Creates a limiter.
  ///
  /// - Parameter perMinute: Requests per minute; 0 for no limit.
  package init(perMinute: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.perMinute = perMinute
    self.clock = clock
  }

  /// Counts a request. Returns the remaining allowance, and an error if this request exceeded the limit; nil if there
  /// is no limit.
  package func count(_ caller: String) -> (allowance: Allowance, error: APIError?)? {
    guard perMinute > 0 else { return nil }
    let now = clock()
    let step = Self.period / perMinute
    // Outlives the lock, so that no other request waits until its entries are freed.
    var forgotten: [String: ContinuousClock.Instant] = [:]
    defer { withExtendedLifetime(forgotten) {} }
    return callers.withLockedValue { callers in
      forgotten = callers.forget(at: now, after: Self.period)
      let before = max(callers.current[caller] ?? callers.previous[caller] ?? now, now)
      let excess = before + step - now - Self.period
      if excess > .zero {
        let error = APIError(
          .rateLimited, "More than \(perMinute) requests a minute. Slow down and try again.",
          retryAfter: Int(clamping: excess.components.seconds) + 1)
        return (allowance(owing: before - now, step), error)
      }
      callers.current[caller] = before + step
      return (allowance(owing: before + step - now, step), nil)
    }
  }

  /// Number of callers in memory.
  package var callerCount: Int { callers.withLockedValue { $0.current.count + $0.previous.count } }

  private func allowance(owing: Duration, _ step: Duration) -> Allowance {
    let left = (Self.period - owing) / step
    return Allowance(
      limit: perMinute, remaining: min(perMinute, max(0, Int(exactly: left.rounded(.down)) ?? 0)),
      reset: Int(clamping: owing.components.seconds) + (owing.components.attoseconds > 0 ? 1 : 0))
  }
}

/// Adds `RateLimit-*` fields to all responses of rate-limited routes (draft-ietf-httpapi-ratelimit-headers-03).
struct RateLimitFields: RouterMiddleware {
  static let names = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]

  func handle(
    _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    guard let allowance = context.note.allowance else { return response }
    for (name, value) in zip(Self.names, [allowance.limit, allowance.remaining, allowance.reset]) {
      if let name = HTTPField.Name(name) { response.headers[name] = String(value) }
    }
    return response
  }
}
