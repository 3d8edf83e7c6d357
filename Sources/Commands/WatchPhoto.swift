import Foundation
import Support

/// The steps of one photo of a watch.
extension WatchRun {
  /// The number of attempts after which a photo that crashes its reader each time counts as unreadable.
  private static let mostReadings = 5

  /// Processes one photo from start to end.
  func handle(_ name: String, _ mark: FileMark) async throws(WatchProblem) {
    let (folder, limit) = (options.folder.path, options.largestPhoto)
    let file = try await on(files) {
      Result { () throws(WatchProblem) in try WatchedFile(name: name, in: folder, as: mark, limit: limit) }
    }.get()
    WatchPoint.watchTaken.reached()
    if let wasUnreadable = file.digest.flatMap(journal.wasUnreadable) {
      // The program was killed before the move, or the same photo arrived again.
      try await finish(file, answer: nil, isUnreadable: wasUnreadable)
      return
    }
    if file.digest == nil, journal.knows(name, mark) {
      try await finish(file, answer: nil, isUnreadable: true)
      return
    }
    let answer = try await read(file)
    WatchPoint.watchAnswered.reached()
    try await finish(file, answer: answer, isUnreadable: answer.isUnreadable)
  }

  private func read(_ file: WatchedFile) async throws(WatchProblem) -> WatchAnswer {
    guard let bytes = file.bytes, let digest = file.digest else {
      return .unreadable("The file has more than the \(options.largestPhoto) bytes of upload.max_bytes.")
    }
    do {
      let key = "watch-" + SHA256.hexadecimal(Array("\(digest) \(options.asked)".utf8))
      return try await reader.read(file, bytes: bytes, key: key)
    } catch let problem as WatchProblem {
      let failures = state.withLock { $0.held[file.name]?.failures ?? 0 }
      guard problem.cause == .photo, failures + 1 >= Self.mostReadings else { throw problem }
      return .unreadable("Reading it failed \(failures + 1) times. \(problem.sentence)")
    } catch {
      throw WatchProblem(.surroundings, "\(file.name) could not be read: \(FileRefusal.reason(of: error))")
    }
  }

  /// Records a photo's result durably, and moves the photo.
  private func finish(_ file: WatchedFile, answer: WatchAnswer?, isUnreadable: Bool) async throws(WatchProblem) {
    try await on(desk) { [self] in
      Result { () throws(WatchProblem) in
        // Two files with the same bytes may have arrived at once: only the first one gets the row.
        let isNew = answer != nil && file.digest.flatMap(journal.wasUnreadable) == nil
        if isNew || !journal.knows(file.name, file.mark) {
          try journal.append(
            WatchJournal.Entry(
              name: file.name, file: file.mark, digest: file.digest, isUnreadable: isUnreadable,
              rows: isNew ? answer?.rows(file.name, deviceType: options.deviceType) : nil))
          WatchPoint.watchRecorded.reached()
          if isNew { state.withLock { $0.isSheetStale = true } }
          voice.say(isNew ? answer?.line(file.name) ?? file.name : "\(file.name)  was read before")
        }
        try move?.move(file, isUnreadable: isUnreadable)
      }
    }.get()
  }
}
