import ChildProcess
import Foundation
import JobRunner
import JobStore
import Logging
import ScanModel
import ServiceLifecycle
import Settings

/// Seconds until every machine sees a new file of a folder that all mount: twice what NFS may keep the lack of a name
/// for (`acdirmax`, 60 s by default).
private let sharedFolderPatience: Double = 120

/// The workers of a store, each with a reader process of its own, which begin to warm up.
///
/// The settings are taken as they are now: a file that is edited under a running program changes nothing before the
/// next start.
func makeRunner(_ settings: Settings, store: any ServerStore, logger: Logger) throws -> JobRunner {
  var configuration = RunnerConfiguration(
    workers: settings.workers, lease: settings.queue.lease, maxAttempts: settings.queue.maxAttempts,
    retryDelay: settings.queue.backoff, request: settings.readRequest,
    readDeadline: .seconds(settings.reader.deadline))
  if settings.store.url != nil, settings.store.photos != nil {
    configuration.missingPhotoPatience = sharedFolderPatience
  }
  let codes = StoreCodes(store, logger: logger)
  configuration.complete = { request in
    var request = request
    request.codes = await codes.current()
    return request
  }
  let (readerSettings, reader) = (ReaderSettings(settings), ChildConfiguration.reader(settings))
  let photos = StoredPhotos(store.blobs, largestPhoto: settings.upload.maxBytes)
  return try JobRunner(store: store, photos: photos, configuration: configuration, logger: logger) { _ in
    try ReaderProcess(settings: readerSettings, configuration: reader, logger: logger)
  }
}

extension ChildConfiguration {
  /// A reader within the settings' bounds.
  static func reader(_ settings: Settings) -> ChildConfiguration {
    var reader = ChildConfiguration.reader(
      arguments: [ReaderProgram.name], addressSpaceLimit: UInt64(clamping: settings.reader.memoryLimit),
      photosPerProcess: settings.reader.recycleAfter)
    // Over all photos and threads; the deadline of each ends it long before.
    reader.processorLimit = Int(exactly: (settings.reader.deadline * 20).rounded(.up))
    reader.readablePaths = [settings.reading.secondModel]
    return reader
  }
}

/// The workers as a service: at a stop they finish what they read, up to the grace, and give the rest back.
struct ReadingService: Service {
  let runner: JobRunner
  let grace: Duration

  func run() async throws {
    await withGracefulShutdownHandler {
      await runner.run()
      // It ends early where claiming has stopped already; a service that returns before its stop ends the others.
      try? await gracefulShutdown()
    } onGracefulShutdown: {
      Task { await runner.stop(grace: grace) }
    }
  }
}
