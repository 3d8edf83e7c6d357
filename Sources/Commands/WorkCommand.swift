import ArgumentParser
import Foundation
import JobRunner
import JobStore
import Logging
import Settings
import StandardStreams

/// `serialscan work`: reads the photos of a store that machines share, and answers nobody.
struct WorkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "work", abstract: "Read the photos of a shared store; answer nobody.",
    discussion: """
      For machines beside servers, as many as there is to read. Takes the store by --store, store.url or \
      SERIALSCAN_STORE_URL. A signal lets it finish what it reads; a second one ends it at once.

      Examples:
        serialscan work --store postgresql://db.example/serialscan
        serialscan work --store postgresql://db.example/serialscan --workers 8
      """)

  @OptionGroup var options: SettingsOptions

  func run() async throws {
    StandardStreams.ignoreBrokenPipes()
    let settings = try options.load()
    guard let address = settings.store.url else {
      throw CleanExit.misconfigured(
        "there is no store to work for: name the PostgreSQL that the servers share with --store "
          + "postgresql://user@host/database. The photos of a data folder are read by `serialscan serve` itself")
    }
    guard settings.workers > 0 else {
      throw CleanExit.misconfigured("--workers 0 reads nothing; give a number, or leave it out for one a core")
    }
    LogFormat.bootstrap(settings.log)
    let logger = Logger(label: "serialscan")
    settings.warnings.forEach { logger.warning("\($0)") }
    _ = OpenFiles.raiseLimit()
    let store = try openedStore(settings)
    let runner = try makeRunner(settings, store: store, logger: logger)
    print("SerialScan \(VersionCommand.version) reads the photos of \(address), \(settings.workers) at a time")
    fflush(nil)
    let reading = ReadingService(runner: runner, grace: .seconds(settings.server.stopTimeout))
    let serviceManager = ServiceManager()
    serviceManager?.tell(.ready)
    try await runUntilStopped(
      [reading], serviceManager: serviceManager, stopTimeout: settings.server.stopTimeout, logger: logger)
    try? await store.close()
    ProgramEnd.afterStop()
  }

  private func openedStore(_ settings: Settings) throws -> any ServerStore {
    do {
      try DataFolder(path: settings.data).prepare()
      return try openStore(settings, isServer: true, workers: settings.workers)
    } catch let error as StoreOpenError {
      throw CleanExit.stop(error.description)
    } catch let error as CocoaError {
      throw CleanExit.stop("the data folder \(settings.data) can't be used: \(error.localizedDescription)")
    }
  }
}
