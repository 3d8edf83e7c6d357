import ScanModel

/// Reads serials alongside tracking: no response waits for a read, and a session has at most one in progress.
extension TrackingSessions {
  /// Prepares reading for a new session; does nothing without a reader.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - beginning: The objects to track.
  ///   - name: The session's name. Serials saved under it, or waiting to be, are not saved again.
  func begin(_ session: Session, _ beginning: Beginning, name: String) {
    guard beginning.readsSerials, let reader else { return }
    session.reads = SessionReads(objectCount: session.ids.count, accept: reader.accept, refuse: reader.refuse)
    guard let owner = beginning.owner else { return }
    session.owner = owner
    let known = saved[name] ?? SavedSerials(lastUse: session.lastUse)
    saved[name] = known
    session.saved = known
  }

  /// Keeps a frame if it is worth reading, and starts a read if a reader is free.
  func read(_ report: FrameReport, _ picture: [UInt8], of session: Session, pause: Duration? = .zero) {
    guard reader != nil, session.reads != nil else { return }
    // Half of the free bytes are reserved for new sessions.
    let hasRoom = picture.count <= (limits.bytes - bytes) / 2
    session.reads?.note(report, picture: hasRoom ? picture : nil, index: session.index, pause: pause)
    countKept(session)
    startReading(session)
    saveAccepted(session)
  }

  private func startReading(_ session: Session) {
    guard let reader, !session.isReading, !session.hasEnded, session.reads?.hasNext == true, reader.reserve() else {
      return
    }
    guard let order = session.reads?.next() else { return }
    session.isReading = true
    Task {
      let reading = try? await reader.read(order)
      finish(order, reading, of: session)
    }
  }

  private func finish(_ order: SessionReads.Order, _ reading: Reading?, of session: Session) {
    session.isReading = false
    session.reads?.record(reading, for: order)
    saveAccepted(session)
    guard !session.hasEnded else { return }
    countKept(session)
    startReading(session)
  }

  /// Saves each accepted serial once.
  private func saveAccepted(_ session: Session) {
    guard let owner = session.owner, let saved = session.saved else { return }
    for case .some(let voted) in session.reads?.serials ?? []
    where voted.verdict == .accepted && saved.serials.insert(voted.serial).inserted {
      if !enqueue(LiveSerial(voted: voted, owner: owner)) { saved.serials.remove(voted.serial) }
    }
  }

  private func countKept(_ session: Session) {
    guard !session.hasEnded else { return }
    let kept = session.reads?.byteCount ?? 0
    bytes += kept - session.keptBytes
    session.keptBytes = kept
  }
}
