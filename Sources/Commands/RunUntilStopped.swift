import Foundation
import Logging
import ServiceLifecycle

/// Runs services until SIGTERM or SIGINT, then lets them finish within `stopTimeout` seconds. A second signal ends the
/// program at once. When the stop begins, notifies the service manager and calls `onStop`.
func runUntilStopped(
  _ services: [any Service], serviceManager: ServiceManager?, stopTimeout: Double, logger: Logger,
  onStop: @escaping @Sendable () -> Void = {}
) async throws {
  var configuration = ServiceGroupConfiguration(services: services.map { .init(service: $0) }, logger: logger)
  // Afterwards everything still running is cancelled: responses, evaluations, exports, reads.
  configuration.maximumGracefulShutdownDuration = .seconds(stopTimeout)
  let group = ServiceGroup(configuration: configuration)
  let stop = StopLimit(seconds: stopTimeout, logger: logger)
  let signals = StopSignals { count in
    if count > 1 { ProgramEnd.with(.failure) }
    serviceManager?.tell(.stopping)
    logger.notice("stopping: finishing requests and photos in progress; a second signal stops at once")
    stop.begin()
    onStop()
    Task { await group.triggerGracefulShutdown() }
  }
  defer { signals.cancel() }
  do {
    try await group.run()
  } catch let error where stop.hasBegun {
    logger.notice("work in progress was cancelled at server.stop_timeout", metadata: ["error": "\(error)"])
  }
}
