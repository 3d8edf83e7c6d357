import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Converts every error to the API's error body, and an unsupported method of a path to 405.
struct ErrorAnswers: RouterMiddleware {
  let endpoints: [Endpoint]

  func handle(
    _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      if let error = APIError(error, isReading: [.get, .head].contains(request.method)) {
        // A client that has closed only its sending side still gets the response; nearly all are gone.
        if error == .endsInTheMiddle { context.note.hasClientLeft = true }
        return Response(error.code == .notFound ? notFound(request) : error)
      }
      // Nobody reads this response: it appears only in the log and the metrics.
      if error is IOError || error is ChannelError || !context.channel.isActive {
        return Response(status: .clientClosedRequest)
      }
      if error is CancellationError { return Response(APIError.stopping) }
      context.logger.error(
        "a request failed unexpectedly. This is a bug: please report it", metadata: ["error": "\(error)"])
      return Response(APIError.internalError)
    }
  }

  /// Returns 405 if the path supports other methods, otherwise 404.
  private func notFound(_ request: Request) -> APIError {
    let matching = endpoints.filter { $0.matches(path: request.uri.path) }
    // A literal path such as `/devices/import` takes precedence over `/devices/{serial}`.
    let own = matching.filter { $0.path == request.uri.path }
    let allowed = (own.isEmpty ? matching : own).flatMap(\.methodNames)
    guard !allowed.isEmpty, !allowed.contains(request.method.rawValue) else { return .notFound }
    return .methodNotAllowed(request.method.rawValue, allowed: allowed)
  }
}

extension HTTPResponse.Status {
  /// nginx's status for requests whose client disconnected before the response.
  static let clientClosedRequest = HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")
}
