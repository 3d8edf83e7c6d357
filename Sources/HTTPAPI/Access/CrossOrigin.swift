import HTTPTypes
import Hummingbird

/// Lets pages of other origins call the server, as far as the settings allow it (Fetch standard, CORS protocol).
struct CrossOrigin: RouterMiddleware {
  let origins: Set<String>

  init(origins: [String]) { self.origins = Set(origins) }

  func handle(
    _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    guard let origin = request.headers[.origin], origins.contains("*") || origins.contains(origin) else {
      return try await next(request, context)
    }
    if request.method == .options, request.headers[.accessControlRequestMethod] != nil {
      return Response(
        status: .noContent,
        headers: [
          .accessControlAllowOrigin: allowed(origin), .accessControlAllowMethods: "GET, POST, DELETE",
          .accessControlAllowHeaders: "Authorization, Content-Type, Idempotency-Key, X-Request-ID",
          .accessControlMaxAge: "600", .vary: "Origin",
        ])
    }
    var response = try await next(request, context)
    response.headers[.accessControlAllowOrigin] = allowed(origin)
    response.headers[.accessControlExposeHeaders] = "Content-Disposition, Retry-After, X-Request-ID"
    response.headers[.vary] = "Origin"
    return response
  }

  private func allowed(_ origin: String) -> String { origins.contains("*") ? "*" : origin }
}
