import AppleSerial
import ChildProcess
import JobStore
import Logging
import ScanModel
import Settings
import Support
import TrackingSessions

/// The reader processes for live video. They are separate from those of the workers, so that photos and videos do not
/// wait for each other. Each starts on first use, and pauses after each read to stay within its share of a core.
final class LiveReaders: LiveReader {
  /// The schedule of all readers.
  private struct Turns {
    /// The number of readers that are reading or about to read, and the times until which the others pause.
    var busy = 0
    var resting: [ContinuousClock.Instant] = []
    var idle: [ReaderProcess] = []
    var isStopped = false
  }

  let accept: Double
  let refuse: Double
  private let settings: Settings
  private let store: any SerialStore
  private let logger: Logger
  private let turns = Locked(Turns())

  /// Prepares the readers; starts none.
  init(_ settings: Settings, store: any SerialStore, logger: Logger) {
    self.settings = settings
    self.store = store
    self.logger = logger
    (accept, refuse) = (settings.reading.accept, settings.reading.refuse)
  }

  func reserve() -> Bool {
    let now = ContinuousClock.now
    return turns.withLock { turns in
      turns.resting.removeAll { $0 <= now }
      guard !turns.isStopped, turns.busy + turns.resting.count < settings.tracking.readers else { return false }
      turns.busy += 1
      return true
    }
  }

  func read(_ order: SessionReads.Order) async throws -> Reading {
    let start = ContinuousClock.now
    defer { rest(since: start) }
    let reader = try idleReader()
    defer { giveBack(reader) }
    let (files, request) = (Array(order.pictures.joined()), ReadRequest(order, settings))
    return try await reader.read(files, request, deadline: .seconds(settings.reader.deadline)) { _ in }.reading
  }

  func save(_ serial: LiveSerial) async throws {
    let voted = serial.voted
    var saved = NewSerial(
      serial: voted.serial, confidence: voted.confidence, source: .live,
      isValid: SerialNumber(voted.serial) != nil, method: "vote",
      notes: "Session \(serial.owner.sessionID), \(counted(voted.frames, "frame"))", verdict: voted.verdict,
      keyID: serial.owner.keyID, saveID: serial.id, batchID: serial.owner.batchID)
    do {
      do {
        _ = try await store.save(saved)
      } catch is BatchError {
        // The batch was ended or deleted during the session. What was accepted is saved all the same.
        saved.batchID = nil
        _ = try await store.save(saved)
      }
    } catch StoreError.refused(let reason) {
      // Retrying can't succeed.
      logger.error("a serial of live video was dropped: the store can't save it", metadata: ["error": "\(reason)"])
    } catch {
      logger.error("a serial of live video could not be saved; retrying", metadata: ["error": "\(error)"])
      throw error
    }
  }

  /// Stops the readers.
  func stop() async {
    let idle = turns.withLock { turns in
      defer { turns.idle = [] }
      turns.isStopped = true
      return turns.idle
    }
    for reader in idle { await reader.stop() }
  }

  private func idleReader() throws -> ReaderProcess {
    if let reader = turns.withLock({ $0.idle.popLast() }) { return reader }
    return try ReaderProcess(settings: ReaderSettings(settings), configuration: .reader(settings), logger: logger)
  }

  private func giveBack(_ reader: ReaderProcess) {
    let isStopped = turns.withLock { turns in
      if !turns.isStopped { turns.idle.append(reader) }
      return turns.isStopped
    }
    if isStopped { Task { await reader.stop() } }
  }

  private func rest(since start: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let pause = (now - start) * (1 / settings.tracking.readShare - 1)
    turns.withLock { turns in
      turns.busy -= 1
      turns.resting.append(now + pause)
    }
  }
}

extension ReadRequest {
  /// Creates the read request for a session's views of an object.
  init(_ order: SessionReads.Order, _ settings: Settings) {
    self = settings.readRequest
    timeBudget = settings.tracking.readBudget
    (views, viewScale) = (order.views, order.scale)
  }
}
