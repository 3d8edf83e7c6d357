import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers

/// Limits the requests per minute of each caller with the generic cell rate algorithm (ITU-T I.371), which stores one
/// time per caller.
///
/// A caller may send a minute's worth of requests at once, and then gets new ones at an even rate.
final class RateLimiter: Sendable {
  /// A caller's remaining allowance, as the `RateLimit-*` fields report it.
  struct Allowance: Sendable, Equatable {
    /// Requests per minute.
    var limit: Int
    /// Requests that the caller may send at once.
    var remaining: Int
    /// Seconds until the caller's full allowance is restored.
    var reset: Int
  }

  /// The number of callers above which those with a full allowance are forgotten.
  private static let memory = 10_000

  private let perMinute: Int
  private let clock: @Sendable () -> ContinuousClock.Instant
  /// The time at which each caller's allowance will be full again.
  private let fullAt = NIOLockedValueBox<[String: ContinuousClock.Instant]>([:])

  init(perMinute: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.perMinute = perMinute
    self.clock = clock
  }

  /// Counts a request. Returns the remaining allowance, and an error if this request exceeded the limit; nil if there
  /// is no limit.
  func count(_ caller: String) -> (allowance: Allowance, error: APIError?)? {
    guard perMinute > 0 else { return nil }
    let now = clock()
    let step = Duration.seconds(60) / perMinute
    return fullAt.withLockedValue { fullAt in
      let before = max(fullAt[caller] ?? now, now)
      let excess = before + step - now - .seconds(60)
      if excess > .zero {
        let error = APIError(
          .rateLimited, "More than \(perMinute) requests a minute. Slow down and try again.",
          retryAfter: Int(clamping: excess.components.seconds) + 1)
        return (allowance(owing: before - now, step), error)
      }
      fullAt[caller] = before + step
      if fullAt.count > Self.memory { fullAt = fullAt.filter { $0.value > now } }
      return (allowance(owing: before + step - now, step), nil)
    }
  }

  private func allowance(owing: Duration, _ step: Duration) -> Allowance {
    let left = (.seconds(60) - owing) / step
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
