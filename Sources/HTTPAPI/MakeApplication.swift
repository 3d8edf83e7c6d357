import BlobFiles
import Evaluations
import Exports
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import JobStore
import Logging
import NIOCore
import ServiceLifecycle

/// Creates the HTTP server. Run the result as a service; it drains when it is stopped.
///
/// - Parameters:
///   - configuration: The settings.
///   - services: The rest of the server.
///   - logger: The logger for requests.
///   - onListening: Called with the port once connections are accepted.
public func makeApplication(
  configuration: APIConfiguration, services: APIServices, logger: Logger,
  onListening: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some Service {
  let settings = configuration.settings
  let metrics = RequestMetrics()
  let evaluator = Evaluator(configuration.evaluations, blobs: services.store.blobs, read: services.read)
  let keys = KeyRing(store: services.store, logger: logger)
  let held = HeldAnswers(keys: keys, most: settings.server.maxConnections)
  let endpoints = makeEndpoints(
    configuration: configuration, services: services, metrics: metrics,
    evaluator: evaluator, keys: keys, held: held, logger: logger)
  let gate = Gate(
    keys: keys,
    limiter: RateLimiter(perMinute: settings.server.requestsPerMinute),
    browsers: BrowserRequests(hosts: settings.server.hosts, origins: settings.server.corsOrigins))
  let router = Router(context: APIContext.self)
  router.middlewares.add(
    RequestLog(metrics: metrics, proxies: TrustedProxies(prefixes: settings.server.trustedProxies)))
  router.middlewares.add(CrossOrigin(origins: settings.server.corsOrigins))
  router.middlewares.add(RateLimitFields())
  router.middlewares.add(ErrorAnswers(endpoints: endpoints))
  for endpoint in endpoints {
    func add(_ method: HTTPRequest.Method, _ handler: @escaping Endpoint.Handler) {
      router.on(RouterPath(endpoint.path), method: method) { request, context in
        var context = context
        context.caller = try await gate.check(request, context, for: endpoint)
        context.note.keyID = context.caller.keyID
        try endpoint.check(request)
        guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
          throw APIError.encodedBody
        }
        guard endpoint.isList else { return try await handler(request, context) }
        return try await context.whileConnected { [context] in try await handler(request, context) }
      }
    }
    add(endpoint.method, endpoint.handler)
    if let head = endpoint.head { add(.head, head) }
  }
  let times = ConnectionDeadlines.Times(
    header: .seconds(settings.server.headerTimeout), body: .seconds(settings.server.bodyTimeout),
    write: .seconds(settings.server.writeTimeout), leastWriteRate: settings.server.leastWriteRate,
    idle: .seconds(settings.server.idleTimeout))
  let requestLogger = Logger(label: "http", factory: { [handler = logger.handler] _ in handler })
  return Application(
    router: router,
    server: .http1(
      configuration: .init(
        additionalChannelHandlers: [
          ConnectionDeadlines(times: times) { RequestLog.log($0, metrics, requestLogger) }
        ],
        httpDecoderConfiguration: .init(maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024))),
    configuration: ApplicationConfiguration(
      address: .hostname(settings.host, port: settings.port), serverName: "SerialScan", backlog: 1024,
      availableConnectionsDelegate: MaximumAvailableConnections(settings.server.maxConnections)),
    services: [
      keys, held,
      BackgroundWork(
        store: services.store, evaluator: evaluator, patience: configuration.taskPatience, logger: logger),
    ],
    onServerRunning: {
      await tellWhetherOpen(services.store, logger)
      await tellOfWrongTemplates(configuration.exportChoices, logger)
      await onListening($0.localAddress?.port ?? settings.port)
    },
    logger: logger)
}

/// Logs once that anyone who can reach the server can use it.
private func tellWhetherOpen(_ store: any KeyStore, _ logger: Logger) async {
  guard let keys = try? await store.keys(includingRevoked: true), keys.isEmpty else { return }
  logger.notice(
    """
    no API keys exist, so anyone who can reach this server can use it; to restrict access, run \
    `serialscan keys add NAME --scopes admin`
    """
  )
}

/// Logs each invalid file in the operator's folder of templates.
private func tellOfWrongTemplates(_ choices: ExportChoices, _ logger: Logger) async {
  let problems = try? await FileThreads.run { choices.templates.read().problems }
  for problem in problems ?? [] { logger.warning("an export template is ignored: \(problem)") }
}

/// An endpoint's properties that tests check.
package struct EndpointFacts: Sendable {
  /// The required access.
  package var access: String
  /// The names of the query parameters.
  package var parameters: [String]
}

/// The documents generated from the endpoints, and the problems found.
package struct InterfaceFacts: Sendable {
  /// Each endpoint by method and path, such as `GET /health`.
  package var endpoints: [String: EndpointFacts]
  /// The tables of `docs/api.md` by name.
  package var tables: [String: String]
  /// The problems in the declarations; empty in a released program.
  package var problems: [String]
}

/// Returns the documents generated from the endpoints, to compare them with the server's responses and with `docs/`.
package func interfaceFacts(configuration: APIConfiguration, services: APIServices) -> InterfaceFacts {
  let evaluator = Evaluator(configuration.evaluations, blobs: services.store.blobs, read: services.read)
  let logger = Logger(label: "serialscan")
  let keys = KeyRing(store: services.store, logger: logger)
  let endpoints = makeEndpoints(
    configuration: configuration, services: services, metrics: RequestMetrics(), evaluator: evaluator, keys: keys,
    held: HeldAnswers(keys: keys, most: configuration.settings.server.maxConnections), logger: logger)
  let facts = endpoints.map { endpoint in
    let names = endpoint.parameters.filter { $0.place == .query }.map(\.name)
    return (endpoint.title, EndpointFacts(access: endpoint.access.rawValue, parameters: names))
  }
  return InterfaceFacts(
    endpoints: Dictionary(facts) { $1 }, tables: InterfaceTables(endpoints).byName,
    problems: InterfaceDocument(endpoints, version: configuration.version).problems)
}

/// Returns all endpoints.
func makeEndpoints(
  configuration: APIConfiguration, services: APIServices, metrics: RequestMetrics,
  evaluator: Evaluator, keys: KeyRing, held: HeldAnswers, logger: Logger
) -> [Endpoint] {
  let settings = configuration.settings
  let upload = PhotoUpload(
    blobs: services.store.blobs, limits: settings.upload,
    places: WriterPlaces(count: settings.server.maxUploads))
  let (store, pages) = (services.store, Pages())
  let queue = FreshCheck(freshness: .milliseconds(500)) { try? await store.queueStatus() }
  let exports = configuration.exportChoices
  let intake = Intake(
    store: store, queue: queue, maxWaiting: settings.queue.maxWaiting, reserved: settings.queue.reserved,
    multiple: settings.reading.multiple, webhooks: settings.webhooks)
  let codes = StoreCodes(store, logger: logger)
  let rereading = Rereading(store: store, configuration: configuration, read: services.reread)
  let endpoints =
    [
      Scan(upload: upload, intake: intake, store: store).endpoint,
      JobResult(store: store, maxWait: settings.server.maxWait, held: held, codes: codes).endpoint,
      AnnotatedImage(store: store, rereading: rereading, logger: logger).endpoint,
      ReadExplanation(store: store, rereading: rereading).endpoint,
      ProcessSerial(
        upload: upload, intake: intake, store: store, timeout: settings.server.processTimeout, held: held, codes: codes
      ).endpoint,
      Events(store: store, held: held).endpoint,
      Presets(configuration: configuration).endpoint,
      ClientSettings(configuration: configuration, exports: exports).endpoint,
      History(store: store, codes: codes).endpoint,
      Statistics(store: store).endpoint,
      QueueReport(store: store, configuration: configuration).endpoint,
      SavingSerials(store: store, configuration: configuration).endpoint,
      Confirming(store: store).endpoint,
      ConfirmedPictures(store: store).endpoint,
      JobPhoto(store: store).endpoint,
      JobThumbnail(store: store).endpoint,
      Download(
        store: store, folder: configuration.exportsPath, choices: exports, fields: settings.fields.custom, codes: codes
      ).endpoint,
      MetricsText(
        requests: metrics, services: services, countsWebhooks: settings.webhooks.rules.isOn
      ).endpoint,
    ] + Jobs(store: store).endpoints
    + Batches(store: store).endpoints
    + Reviewing(store: store).endpoints
    + SavedSerials(store: store, codes: codes).endpoints
    + Devices(store: store, fields: settings.fields.custom, codes: codes).endpoints
    + [DeviceImporting(store: store, fields: settings.fields.custom).endpoint]
    + Keys(store: store, ring: keys).endpoints
    + Datasets(evaluator: evaluator).endpoints
    + EvaluationRoutes(
      store: store, evaluator: evaluator, maxTasks: settings.queue.maxTasks,
      othersMayHave: configuration.taskPatience.forFolder > .zero
    ).endpoints
    + Tasks(store: store).endpoints
    + Webhooks(store: store, defaultURL: settings.webhooks.defaultURL?.text).endpoints
    + Health(services: services, queue: queue, version: configuration.version, startedAt: Date()).endpoints
    + Tracking(
      sessions: services.tracking,
      upload: FrameUpload(
        maxBytes: settings.upload.maxBytes, places: FramePlaces(bytes: settings.tracking.maxBytes)),
      batches: store
    ).endpoints
    + pages.endpoints
  return endpoints + [pages.description(of: endpoints, version: configuration.version)]
}

extension TimeAmount {
  fileprivate static func seconds(_ seconds: Double) -> TimeAmount {
    // The settings allow hours; a duration too large for the number counts as unlimited.
    .nanoseconds(Int64(exactly: (seconds * 1e9).rounded()) ?? .max / 4)
  }
}
