import Foundation
import Logging
import ServiceLifecycle

/// Runs services until SIGTERM or SIGINT; then lets them finish what is under way, for `stopTimeout` seconds at most. A
/// second signal ends the program at once. The service manager is told of the stop when it begins; `onStop` is called then.
func runUntilStopped(
  _ services: [any Service], serviceManager: ServiceManager?, stopTimeout: Double, logger: Logger,
  onStop: @escaping @Sendable () -> Void = {}
) async throws {
  var configuration = ServiceGroupConfiguration(services: services.map { .init(service: $0) }, logger: logger)
  // After it everything that still runs is cancelled: answers, evaluations, exports, readings.
  configuration.maximumGracefulShutdownDuration = .seconds(stopTimeout)
  let group = ServiceGroup(configuration: configuration)
  let stop = StopLimit(seconds: stopTimeout, logger: logger)
  let signals = StopSignals { count in
    if count > 1 { exit(1) }
    serviceManager?.tell(.stopping)
    logger.notice("stopping: finishing what is under way; a second signal stops at once")
    stop.begin()
    onStop()
    Task { await group.triggerGracefulShutdown() }
  }
  defer { signals.cancel() }
  do {
    try await group.run()
  } catch let error where stop.hasBegun {
    logger.notice("what was still under way was cut off", metadata: ["error": "\(error)"])
  }
}
