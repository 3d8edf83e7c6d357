import ChildProcess
import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Logging
import ScanModel
import ServiceLifecycle
import Settings
import Support
import Webhooks

/// The server: store, readers, workers, HTTP and housekeeping.
struct Server {
  private let settings: Settings
  private let logger: Logger
  private let store: any ServerStore
  private let runner: JobRunner
  private let evaluationReader: EvaluationReader
  private let openFiles: Int
  private let tracking: TrackingService
  private let serviceManager = ServiceManager()

  /// Opens the data folder and starts the readers, but does not serve yet.
  init(settings: Settings, logger: Logger) throws {
    self.settings = settings
    self.logger = logger
    openFiles = OpenFiles.raiseLimit()
    let folder = DataFolder(path: settings.data)
    try folder.prepare()
    store = try openStore(settings, isServer: true, workers: settings.workers)

    evaluationReader = EvaluationReader(settings, logger: logger)
    tracking = try TrackingService(settings, store: store, logger: logger)
    runner = try makeRunner(settings, store: store, logger: logger)
    if settings.workers == 0, settings.store.url == nil {
      logger.warning(
        "workers is 0, so photos are accepted but not read; set workers, or use a shared store with `serialscan work`")
    }
  }

  /// Serves until SIGTERM or SIGINT, then completes requests in progress. A second signal ends the program at once.
  func run() async throws {
    var configuration = APIConfiguration(settings, version: VersionCommand.version)
    configuration.settings.server.maxConnections = OpenFiles.connections(settings, limit: openFiles, logger: logger)
    let codes = StoreCodes(store, logger: logger)
    let webhooks = WebhookDelivery(
      settings: settings.webhooks, version: VersionCommand.version, store: store,
      body: { [store] in try await webhookBody(of: $0, store: store, codes: codes) }, logger: logger)
    let application = makeApplication(
      configuration: configuration,
      services: APIServices(
        store: store, runner: runner, evaluationReader: evaluationReader, settings: settings,
        tracking: tracking.sessions, webhooks: webhooks.figures),
      logger: logger,
      onListening: announce)
    let grace = Duration.seconds(settings.server.stopTimeout)
    let housekeeping = Housekeeping(
      store: store, data: URL(fileURLWithPath: settings.data, isDirectory: true), retention: settings.retention,
      logger: logger)
    let services: [any Service] = [
      housekeeping, ReadingService(runner: runner, grace: grace), tracking, webhooks, application,
    ]
    try await runUntilStopped(
      services, serviceManager: serviceManager, stopTimeout: settings.server.stopTimeout, logger: logger,
      onStop: runner.stopClaiming)
    try? await store.close()
  }

  @Sendable private func announce(port: Int) async {
    let host = settings.host == "0.0.0.0" || settings.host == "::" ? "127.0.0.1" : settings.host
    StandardOutput.shared.announce("SerialScan \(VersionCommand.version) is listening on http://\(host):\(port)")
    StandardOutput.shared.announce("Try: curl -F image=@photo.jpg http://\(host):\(port)/scan")
    serviceManager?.tell(.ready)
  }
}
