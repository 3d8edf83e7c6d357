import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Puts the HTTP server together. Run the result as a service; it drains when it is told to stop.
///
/// - Parameters:
///   - configuration: The settings.
///   - services: The rest of the server.
///   - photoStorage: Where photos go; also the runner reads them there.
///   - logger: Where requests are logged.
///   - onListening: Called with the port once connections are accepted.
public func makeApplication(
  configuration: APIConfiguration, services: APIServices, photoStorage: PhotoStorage, logger: Logger,
  onListening: @escaping @Sendable (Int) async -> Void = { _ in }
) -> some Service {
  let metrics = RequestMetrics()
  let endpoints = makeEndpoints(
    configuration: configuration, services: services, photoStorage: photoStorage, metrics: metrics)
  let gate = Gate(
    keys: KeyRing(load: services.keys, countUses: services.countKeyUses),
    limiter: RateLimiter(perMinute: configuration.requestsPerMinute))
  let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
  router.middlewares.add(RequestLog(metrics: metrics))
  if !configuration.corsOrigins.isEmpty { router.middlewares.add(CrossOrigin(origins: configuration.corsOrigins)) }
  router.middlewares.add(ErrorAnswers(endpoints: endpoints))
  for endpoint in endpoints {
    router.on(RouterPath(endpoint.path), method: endpoint.method) { request, context in
      try await gate.check(request, context, for: endpoint)
      return try await endpoint.handler(request, context)
    }
  }
  let times = ConnectionDeadlines.Times(
    header: .seconds(configuration.headerTimeout), body: .seconds(configuration.bodyTimeout),
    write: .seconds(configuration.writeTimeout), idle: .seconds(configuration.idleTimeout))
  return Application(
    router: router,
    server: .http1(
      configuration: .init(
        additionalChannelHandlers: [ConnectionDeadlines(times: times)],
        httpDecoderConfiguration: .init(maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024))),
    configuration: ApplicationConfiguration(
      address: .hostname(configuration.host, port: configuration.port), serverName: "SerialScan", backlog: 1024,
      availableConnectionsDelegate: MaximumAvailableConnections(configuration.maxConnections)),
    onServerRunning: { await onListening($0.localAddress?.port ?? configuration.port) },
    logger: logger)
}

/// Every endpoint there is.
func makeEndpoints(
  configuration: APIConfiguration, services: APIServices, photoStorage: PhotoStorage, metrics: RequestMetrics
) -> [Endpoint] {
  let upload = PhotoUpload(
    storage: photoStorage, maxPhotoBytes: configuration.maxUploadBytes, maxPixels: configuration.maxPixels,
    places: WriterPlaces(count: configuration.maxUploads))
  let intake = Intake(store: services.store, storage: photoStorage)
  let waitEstimate = WaitEstimate(secondsPerPhoto: services.secondsPerPhoto, workers: configuration.workers)
  return [
    Scan(upload: upload, intake: intake, waitEstimate: waitEstimate).endpoint,
    JobResult(store: services.store, waitForEnd: services.waitForEnd, maxWait: configuration.maxWait).endpoint,
    AnnotatedImage(storage: photoStorage, folder: configuration.annotationsPath).endpoint,
    ProcessSerial(upload: upload, intake: intake, services: services, timeout: configuration.processTimeout).endpoint,
    Presets(configuration: configuration).endpoint,
    ClientSettings(configuration: configuration).endpoint,
    MetricsText(requests: metrics, services: services).endpoint,
  ] + Health(services: services, version: configuration.version, startedAt: Date()).endpoints
}

extension TimeAmount {
  fileprivate static func seconds(_ seconds: Double) -> TimeAmount { .nanoseconds(Int64(seconds * 1e9)) }
}
