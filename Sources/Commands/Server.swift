import ChildProcess
import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Logging
import ReaderProcess
import ReaderProtocol
import ServiceLifecycle
import Settings

/// The server's parts, put together: store, readers, workers, HTTP, and what keeps house.
struct Server {
  private let settings: Settings
  private let logger: Logger
  private let store: any ServerStore
  private let runner: JobRunner
  private let evaluationReader: EvaluationReader
  private let openFiles: Int

  /// Opens the data folder and starts the readers; nothing is served yet.
  init(settings: Settings, logger: Logger) throws {
    self.settings = settings
    self.logger = logger
    openFiles = OpenFiles.raiseLimit()
    let folder = DataFolder(path: settings.data)
    try folder.prepare()
    store = try openStore(settings, isServer: true)

    let configuration = RunnerConfiguration(
      workers: settings.workers, lease: settings.queue.lease, maxAttempts: settings.queue.maxAttempts,
      retryDelay: settings.queue.backoff, timeBudget: settings.reading.timeBudget,
      readDeadline: .seconds(settings.reader.deadline), pixelLimit: settings.upload.maxPixels)
    // As they are now: a file that is edited under a running server changes nothing before the next start.
    let readerSettings = ReaderSettings(settings)
    var reader = ChildConfiguration.reader(
      arguments: [ReaderProgram.name], addressSpaceLimit: UInt64(clamping: settings.reader.memoryLimit),
      photosPerProcess: settings.reader.recycleAfter)
    // Over all photos and threads; the deadline of each ends it long before.
    reader.processorLimit = Int(exactly: (settings.reader.deadline * 20).rounded(.up))
    reader.readablePaths = [settings.reading.secondModel]
    evaluationReader = EvaluationReader(
      settings: readerSettings, configuration: reader, deadline: .seconds(settings.reader.deadline),
      largestPhoto: settings.upload.maxBytes, logger: logger)
    let photos = StoredPhotos(store.blobs, largestPhoto: settings.upload.maxBytes)
    runner = try JobRunner(store: store, photos: photos, configuration: configuration, logger: logger) { _ in
      try ReaderProcess(settings: readerSettings, configuration: reader, logger: logger)
    }
  }

  /// Serves until SIGTERM or SIGINT; then finishes what is under way. A second signal ends the program at once.
  func run() async throws {
    var configuration = APIConfiguration(settings, version: VersionCommand.version)
    configuration.maxConnections = OpenFiles.connections(settings, limit: openFiles, logger: logger)
    let application = makeApplication(
      configuration: configuration,
      services: APIServices(
        store: store, runner: runner, evaluationReader: evaluationReader, settings: settings),
      logger: logger,
      onListening: announce)
    let grace = Duration.seconds(settings.server.stopTimeout)
    var services = ServiceGroupConfiguration(
      services: [
        .init(
          service: Housekeeping(
            store: store, data: URL(fileURLWithPath: settings.data, isDirectory: true),
            retention: settings.retention, logger: logger)),
        .init(service: ReadingService(runner: runner, grace: grace)),
        .init(service: application),
      ], logger: logger)
    // After it everything that still runs is cancelled: answers, evaluations, exports, readings.
    services.maximumGracefulShutdownDuration = grace
    let group = ServiceGroup(configuration: services)
    let stop = StopLimit(seconds: settings.server.stopTimeout, logger: logger)
    let signals = StopSignals { count in
      if count > 1 { exit(1) }
      logger.notice("stopping: finishing what is being read; a second signal stops at once")
      stop.begin()
      Task { await group.triggerGracefulShutdown() }
    }
    defer { signals.cancel() }
    do {
      try await group.run()
    } catch let error where stop.hasBegun {
      logger.notice("what was still under way was cut off", metadata: ["error": "\(error)"])
    }
    try? await store.close()
  }

  @Sendable private func announce(port: Int) async {
    let host = settings.host == "0.0.0.0" || settings.host == "::" ? "127.0.0.1" : settings.host
    print("SerialScan \(VersionCommand.version) is listening on http://\(host):\(port)")
    print("Try: curl -F image=@photo.jpg http://\(host):\(port)/scan")
    fflush(nil)
  }
}

/// The workers as a service: at a stop they finish what they read, up to the grace, and give the rest back.
private struct ReadingService: Service {
  let runner: JobRunner
  let grace: Duration

  func run() async throws {
    await withGracefulShutdownHandler {
      await runner.run()
    } onGracefulShutdown: {
      Task { await runner.stop(grace: grace) }
    }
  }
}
