import AppleSerial
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers
import Support

/// Gives every request an id, logs it and counts it. Also removes the body of responses to HEAD, including errors.
///
/// The log line has the path without the query, which may contain serials.
struct RequestLog: RouterMiddleware {
  let metrics: RequestMetrics
  let proxies: TrustedProxies

  func handle(
    _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    let origin = RequestOrigin(request.headers)
    context.logger = Logger(label: "http", factory: { [handler = context.logger.handler] _ in handler })
    context.logger[metadataKey: "hb.request.id"] = nil
    context.logger[metadataKey: "request"] = "\(origin.requestID)"
    if let trace = origin.traceID { context.logger[metadataKey: "trace"] = "\(trace)" }
    context.origin = origin
    context.client = proxies.client(of: context.channel.remoteAddress?.ipAddress, request.headers)
    let start = ContinuousClock.now
    var response = try await next(request, context)
    let seconds = start.duration(to: .now).seconds
    if let name = HTTPField.Name("X-Request-ID") { response.headers[name] = origin.requestID }
    if request.method == .head {
      // Keep the length of GET's response, or none: without a body it would become 0.
      let length = response.headers[.contentLength]
      response = response.createHeadResponse()
      response.headers[.contentLength] = length
    }
    let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
    let status = context.note.hasClientLeft ? .clientClosedRequest : response.status
    metrics.count(method: request.method, route: route, status: status.code, seconds: seconds)
    var line: Logger.Metadata = [
      "method": "\(request.method.rawValue.shown(most: 20))", "path": "\(Self.logged(request.uri.path))",
      "status": .stringConvertible(status.code), "seconds": .stringConvertible(seconds.rounded(toPlaces: 4)),
      "address": "\(context.clientAddress)",
    ]
    if let key = context.note.keyID { line["key"] = "\(key)" }
    if let job = context.note.jobID { line["job"] = "\(job)" }
    context.logger.log(level: Self.level(route, status), "request", metadata: line)
    return response
  }

  /// The path as logged: without the serial of a device.
  private static func logged(_ path: String) -> String {
    let devices = "/devices/"
    guard path.hasPrefix(devices), path != "/devices/import" else { return path.shown(most: 200) }
    return devices + SerialNumber.masked(path.dropFirst(devices.count).shown(most: 200))
  }

  /// Logs and counts a request that was answered before its head arrived.
  @Sendable static func log(_ refused: RefusedConnection, _ metrics: RequestMetrics, _ logger: Logger) {
    metrics.count(method: nil, route: "none", status: refused.status.code, seconds: nil)
    logger.info(
      "request",
      metadata: [
        "request": "\(refused.requestID)", "status": .stringConvertible(refused.status.code),
        "address": "\(refused.address ?? "unknown")",
      ])
  }

  /// Routes polled by clients and monitors. Logging each request would hide the others and take a sixth of the
  /// request's time.
  private static let asksAgain: Set = [
    "/health", "/livez", "/readyz", "/metrics", "/result/{job_id}", "/queue/status", "/events",
  ]

  private static func level(_ route: String, _ status: HTTPResponse.Status) -> Logger.Level {
    if status.code >= 500 { return .warning }
    return asksAgain.contains(route) && status.code < 400 ? .debug : .info
  }
}

/// Values collected for a request's log line while it is answered.
final class RequestNote: Sendable {
  private let found = NIOLockedValueBox<(key: String?, job: String?, hasLeft: Bool)>((nil, nil, false))
  private let left = NIOLockedValueBox<RateLimiter.Allowance?>(nil)

  /// The remaining rate-limit allowance; nil without a limit.
  var allowance: RateLimiter.Allowance? {
    get { left.withLockedValue { $0 } }
    set { left.withLockedValue { $0 = newValue } }
  }

  /// The id of the request's key.
  var keyID: String? {
    get { found.withLockedValue { $0.key } }
    set { found.withLockedValue { $0.key = newValue } }
  }

  /// Whether the client disconnected before the request was complete.
  var hasClientLeft: Bool {
    get { found.withLockedValue { $0.hasLeft } }
    set { found.withLockedValue { $0.hasLeft = newValue } }
  }

  /// The id of the job that the request created.
  var jobID: String? {
    get { found.withLockedValue { $0.job } }
    set { found.withLockedValue { $0.job = newValue } }
  }
}

extension Duration {
  /// The duration in seconds.
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
