import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Gives every request an id, writes a line for it, and counts it.
///
/// The line has the path but not the query, where serials may stand.
struct RequestLog: RouterMiddleware {
  let metrics: RequestMetrics

  func handle(
    _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    let id = Self.requestID(request)
    context.logger = Logger(label: "http", factory: { [handler = context.logger.handler] _ in handler })
    context.logger[metadataKey: "hb.request.id"] = nil
    context.logger[metadataKey: "request"] = "\(id)"
    let start = ContinuousClock.now
    var response = try await next(request, context)
    let seconds = start.duration(to: .now).seconds
    if let name = HTTPField.Name("X-Request-ID") { response.headers[name] = id }
    let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
    metrics.count(method: request.method, route: route, status: response.status.code, seconds: seconds)
    context.logger.log(
      level: Self.level(route, response.status), "request",
      metadata: [
        "method": "\(request.method.rawValue.prefix(20))", "path": "\(request.uri.path.prefix(200))",
        "status": "\(response.status.code)", "seconds": "\(String(format: "%.4f", seconds))",
        "address": "\(context.clientAddress)",
      ])
    return response
  }

  /// The client's own id where it is a modest one, so that both sides find the same line.
  private static func requestID(_ request: Request) -> String {
    if let name = HTTPField.Name("X-Request-ID"), let id = request.headers[name], (1...64).contains(id.utf8.count),
      id.utf8.allSatisfy({ $0 == 45 || $0 == 46 || $0 == 95 || Character(UnicodeScalar($0)).isASCIILetterOrDigit })
    {
      return id
    }
    return UUID().uuidString.lowercased()
  }

  /// Routes that clients and monitors ask again and again: a line for each would hide the others, and cost a sixth of it.
  private static let asksAgain: Set = ["/health", "/livez", "/readyz", "/metrics", "/result/{job_id}", "/queue/status"]

  private static func level(_ route: String, _ status: HTTPResponse.Status) -> Logger.Level {
    if status.code >= 500 { return .warning }
    return asksAgain.contains(route) && status.code < 400 ? .debug : .info
  }
}

extension Character {
  fileprivate var isASCIILetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}

extension Duration {
  /// In seconds.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
