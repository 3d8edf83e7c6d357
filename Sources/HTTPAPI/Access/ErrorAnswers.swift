import HTTPTypes
import Hummingbird
import Logging
import NIOCore

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
        // Who has only closed one side still gets the answer; nearly all are gone.
        if error == .endsInTheMiddle { context.note.hasClientLeft = true }
        return Response(error.code == .notFound ? notFound(request) : error)
      }
      // Nobody is left to read this answer: it stands in the log and in the figures.
      if error is IOError || error is ChannelError || !context.channel.isActive {
        return Response(status: .clientClosedRequest)
      }
      if error is CancellationError { return Response(APIError.stopping) }
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

extension HTTPResponse.Status {
  /// As nginx counts requests whose client left before the answer.
  static let clientClosedRequest = HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")
}
