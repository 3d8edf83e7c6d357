import ArgumentParser
import Evaluations
import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Logging
import Settings
import Support

/// `serialscan work`: runs workers, evaluations and sweeps for a shared store (no HTTP).
struct WorkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work", abstract: "Run workers for a shared store (no HTTP).",
    discussion: """
      Run it on as many machines as needed. The store comes from --store, store.url or SERIALSCAN_STORE_URL. A signal \
      lets it finish the photos it is reading; a second one ends it immediately.

      It also runs background evaluations and sweeps whose labelled folder is below the local datasets folder \
      (--datasets FOLDER), with a reader of their own. It leaves the others to machines that have the folder.

      Examples:
        serialscan work --store postgresql://db/serialscan
        serialscan work --store postgresql://db/serialscan --workers 8
        serialscan work --store postgresql://db/serialscan --datasets /srv/labelled
      """)

  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let settings = try options.load()
    guard let address = settings.store.url else {
      throw CleanExit.misconfigured(
        "`work` needs a shared store: name the servers' PostgreSQL with --store postgresql://user@host/database. "
          + "The photos of a data folder are read by `serialscan serve`")
    }
    guard settings.workers > 0 else {
      let problem = "--workers must be at least 1; leave it out for one per core"
      if options.workers != nil { throw ValidationError(problem) }
      throw CleanExit.misconfigured(problem)
    }
    LogFormat.bootstrap(settings.log)
    let logger = Logger(label: "serialscan")
    settings.warnings.forEach { logger.warning("\($0)") }
    _ = OpenFiles.raiseLimit()
    let store = try openedStore(settings)
    let runner = try makeRunner(settings, store: store, logger: logger)
    StandardOutput.shared.announce(
      "SerialScan \(VersionCommand.version) reads the photos of \(address), \(settings.workers) at a time")
    let reading = ReadingService(runner: runner, grace: .seconds(settings.server.stopTimeout))
    let serviceManager = ServiceManager()
    serviceManager?.tell(.ready)
    try await runUntilStopped(
      [reading, tasks(settings, store, logger)], serviceManager: serviceManager,
      stopTimeout: settings.server.stopTimeout, logger: logger)
    try? await store.close()
  }

  /// Creates the service for evaluations and sweeps, whose reader starts with the first of them.
  private func tasks(_ settings: Settings, _ store: any ServerStore, _ logger: Logger) -> BackgroundWork {
    let configuration = APIConfiguration(settings, version: VersionCommand.version)
    let reader = EvaluationReader(settings, logger: logger)
    let evaluator = Evaluator(configuration.evaluations, blobs: store.blobs) {
      try await reader.read(path: $0, $1).reading
    }
    return BackgroundWork(
      store: store, evaluator: evaluator, patience: configuration.taskPatience, logger: logger)
  }

  private func openedStore(_ settings: Settings) throws -> any ServerStore {
    do {
      try DataFolder(path: settings.data).prepare()
      return try openStore(settings, isServer: true, workers: settings.workers)
    } catch let error as StoreOpenError {
      throw CleanExit.failure(error.description)
    }
  }
}
