import HTTPTypes
import Hummingbird

/// Lets pages of other origins call the server as far as the settings allow (Fetch standard, CORS protocol), and adds
/// headers that prevent MIME sniffing and wrong caching.
struct CrossOrigin: RouterMiddleware {
  private static let all = "*"

  private let origins: Set<String>
  private var allowsAll: Bool { origins.contains(Self.all) }

  init(origins: [String]) { self.origins = Set(origins) }

  func handle(
    _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    var response = try await answer(request, context, next)
    // The response depends on the origin, also for a request without one; and browsers must not sniff media types.
    response.headers[.vary] = "Origin"
    response.headers[.xContentTypeOptions] = "nosniff"
    return response
  }

  private func answer(
    _ request: Request, _ context: APIContext, _ next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin], allowsAll || origins.contains(origin) else {
      return try await next(request, context)
    }
    if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
      return Response(
        status: .noContent,
        headers: [
          .accessControlAllowOrigin: allowed(origin), .accessControlAllowMethods: "GET, POST, PATCH, DELETE",
          .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID",
          .accessControlMaxAge: "600",
        ])
    }
    var response = try await next(request, context)
    response.headers[.accessControlAllowOrigin] = allowed(origin)
    response.headers[.accessControlExposeHeaders] =
      (["Content-Disposition", "Link", "Retry-After", "X-Request-ID"] + RateLimitFields.names).joined(separator: ", ")
    return response
  }

  private func allowed(_ origin: String) -> String { allowsAll ? Self.all : origin }
}
