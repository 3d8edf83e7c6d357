import Hummingbird
import Logging

/// Turns every error into the contract's body, and a method that a path doesn't have into 405.
struct ErrorAnswers: RouterMiddleware {
  let endpoints: [Endpoint]

  func handle(
    _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      if let error = APIError(error) {
        return Response(error.code == .notFound ? notFound(request) : error)
      }
      if error is CancellationError {
        // Nobody is left to read this answer.
        return Response(APIError.requestTimedOut)
      }
      context.logger.error("Request failed", metadata: ["error": "\(error)"])
      return Response(APIError.internalError)
    }
  }

  /// A path without this method has others, or is no path at all.
  private func notFound(_ request: Request) -> APIError {
    let allowed = endpoints.filter { $0.matches(path: request.uri.path) }.flatMap(\.methodNames)
    guard !allowed.isEmpty, !allowed.contains(request.method.rawValue) else { return .notFound }
    return .methodNotAllowed(request.method.rawValue, allowed: allowed)
  }
}
