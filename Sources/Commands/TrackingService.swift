import ChildProcess
import JobStore
import Logging
import ServiceLifecycle
import Settings
import TrackingSessions

/// Live tracking as a service: its processes run as long as the server, and idle sessions end even if no frame arrives.
struct TrackingService: Service {
  let sessions: TrackingSessions
  private let trackers: [TrackerProcess]
  private let readers: LiveReaders
  private let logger: Logger

  /// Starts the trackers. Throws `POSIXError` if the server has no file descriptors left.
  ///
  /// - Parameter store: The store of the serials.
  init(_ settings: Settings, store: any SerialStore, logger: Logger) throws {
    let configuration = ChildConfiguration.tracker(
      arguments: [TrackerProgram.name], addressSpaceLimit: UInt64(clamping: settings.tracking.memoryLimit),
      niceness: Int32(clamping: settings.tracking.niceness))
    let deadline = Duration.seconds(settings.tracking.deadline)
    var trackers: [TrackerProcess] = []
    while trackers.count < settings.tracking.processes {
      trackers.append(try TrackerProcess(configuration: configuration, deadline: deadline, logger: logger))
    }
    self.trackers = trackers
    self.logger = logger
    readers = LiveReaders(settings, store: store, logger: logger)
    sessions = TrackingSessions(
      trackers: trackers, reader: settings.tracking.readers > 0 ? readers : nil,
      limits: TrackingSessions.Limits(
        sessions: settings.tracking.maxSessions, bytes: settings.tracking.maxBytes, idle: settings.tracking.idle,
        pictures: settings.upload.pictures))
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await sessions.endIdle()
        try? await Task.sleep(for: .seconds(5))
      }
    }
    await readers.stop()
    let unsaved = await sessions.finishSaving()
    if unsaved > 0 {
      logger.error(
        "serials of live video were lost: the store did not save them before the stop",
        metadata: ["count": .stringConvertible(unsaved)])
    }
    for tracker in trackers { await tracker.stop() }
  }
}
