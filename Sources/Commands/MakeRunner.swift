import ChildProcess
import Foundation
import HTTPAPI
import JobRunner
import JobStore
import Logging
import ScanModel
import ServiceLifecycle
import Settings

/// Seconds until every machine sees a new file in a shared folder: twice the time that NFS may cache a missing name
/// (`acdirmax`, 60 s by default).
private let sharedFolderPatience: Double = 120

/// Creates the workers of a store, each with its own reader process, which starts to warm up.
///
/// Uses the settings as loaded: editing the file of a running program has no effect until the next start.
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
  let fields = settings.fields.custom
  if fields.contains(where: { $0.pattern != nil }) { configuration.customValues = { fields.values(inCodes: $0) } }
  let (readerSettings, reader) = (ReaderSettings(settings), ChildConfiguration.reader(settings))
  let photos = StoredPhotos(store.blobs, largestPhoto: settings.upload.maxBytes)
  return try JobRunner(store: store, photos: photos, configuration: configuration, logger: logger) { _ in
    try ReaderProcess(settings: readerSettings, configuration: reader, logger: logger)
  }
}

extension ChildConfiguration {
  /// Returns the configuration of a reader process with the limits from the settings.
  static func reader(_ settings: Settings) -> ChildConfiguration {
    var reader = ChildConfiguration.reader(
      arguments: [ReaderProgram.name], addressSpaceLimit: UInt64(clamping: settings.reader.memoryLimit),
      photosPerProcess: settings.reader.recycleAfter)
    // The CPU limit covers all photos and threads; the deadline of each photo ends the process long before.
    reader.processorLimit = Int(exactly: (settings.reader.deadline * 20).rounded(.up))
    return reader
  }
}

/// The workers as a service. At a stop they finish their current photos within the grace period, and return the rest to
/// the queue.
struct ReadingService: Service {
  let runner: JobRunner
  let grace: Duration

  func run() async throws {
    await withGracefulShutdownHandler {
      await runner.run()
      // If claiming has already stopped, the run ends early, and a service that returns before its stop would end the
      // others.
      try? await gracefulShutdown()
    } onGracefulShutdown: {
      Task { await runner.stop(grace: grace) }
    }
  }
}
