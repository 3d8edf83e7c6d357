/// The serials that were saved, or are waiting to be saved, under one session's name. Isolated to the
/// `TrackingSessions` actor.
///
/// A reference, because a read may end after its session was replaced: the old session and the new one must not both
/// save the same serial.
final class SavedSerials {
  var serials: Set<String> = []
  /// When the latest session of the name ended.
  var lastUse: ContinuousClock.Instant

  init(lastUse: ContinuousClock.Instant) { self.lastUse = lastUse }
}

/// Saves accepted serials to the database. A serial outlives its session: it is retried until it is saved, with
/// exponential backoff while saving fails.
extension TrackingSessions {
  /// Maximum number of waiting serials; sessions submit further ones again with their next frames.
  static let mostUnsaved = 10_000
  private static let firstPause = Duration.milliseconds(250)
  private static let longestPause = Duration.seconds(10)

  /// Queues a serial to be saved; returns false if too many are waiting.
  func enqueue(_ serial: LiveSerial) -> Bool {
    guard unsaved.count < Self.mostUnsaved else { return false }
    unsaved.append(serial)
    if saving == nil { saving = Task { await saveAll() } }
    return true
  }

  /// Waits until all accepted serials are saved. Cancelling the task gives up the rest.
  ///
  /// - Returns: The number of serials that were not saved.
  public func finishSaving() async -> Int {
    isFinishing = true
    pause?.cancel()
    await withTaskCancellationHandler {
      await saving?.value
    } onCancel: {
      Task { await giveUpSaving() }
    }
    return unsaved.count
  }

  private func saveAll() async {
    var length = Self.firstPause
    while let serial = unsaved.first, !hasGivenUp {
      do {
        try await reader?.save(serial)
        unsaved = Array(unsaved.dropFirst())
        length = Self.firstPause
      } catch {
        // Another serial may be saved even if this one can't.
        unsaved = unsaved.dropFirst() + [serial]
        await rest(for: length)
        length = min(length * 2, Self.longestPause)
      }
    }
    saving = nil
  }

  private func rest(for length: Duration) async {
    guard !hasGivenUp else { return }
    let rest = Task<Void, Never> { try? await Task.sleep(for: isFinishing ? Self.firstPause : length) }
    pause = rest
    await rest.value
  }

  private func giveUpSaving() {
    hasGivenUp = true
    pause?.cancel()
    saving?.cancel()
  }
}
