/// Accepted serials on their way into the database. A session that ends, begins anew or gets no further frame takes none of
/// them along: each is tried until it is saved, with a pause (backoff) that grows while nothing can be.
extension TrackingSessions {
  /// Serials that wait, at most; sessions offer further ones again with their next frames.
  static let mostUnsaved = 10_000
  private static let firstPause = Duration.milliseconds(250)
  private static let longestPause = Duration.seconds(10)

  /// Takes a serial to be saved; false where too many wait.
  func take(_ serial: LiveSerial) -> Bool {
    guard unsaved.count < Self.mostUnsaved else { return false }
    unsaved.append(serial)
    if saving == nil { saving = Task { await saveAll() } }
    return true
  }

  /// Waits until all accepted serials are saved; a task that is cancelled gives up what is left.
  ///
  /// - Returns: How many were not saved.
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
        // Another may be saved where this one can't.
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
