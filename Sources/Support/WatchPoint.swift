/// A point in a photo's processing by `serialscan watch` at which a test can end the program, like `FaultPoint` for
/// jobs.
package enum WatchPoint: String, CaseIterable, Sendable {
  /// The photo is complete and in memory; nothing is recorded.
  case watchTaken
  /// The store or the server has the photo; its result is unknown.
  case watchSubmitted
  /// The result is known, but not recorded.
  case watchAnswered
  /// The journal's line is written, but not necessarily on the disk.
  case watchRecording
  /// The photo is in the journal, and still at its old place.
  case watchRecorded
  /// Part of the copy to another file system is written.
  case watchCopying
  /// The photo has both its old and its new name.
  case watchNamed
  /// The photo has only its new name.
  case watchMoved
  /// The spreadsheet is in place.
  case watchSheetWritten

  private static let handler = Locked<(@Sendable (WatchPoint) -> Void)?>(nil)

  /// Calls `handler` whenever a point is reached, on the thread that reaches it. For tests' executables.
  package static func arm(_ handler: @escaping @Sendable (WatchPoint) -> Void) {
    Self.handler.withLock { $0 = handler }
  }

  /// Reports that the program has reached this point; does nothing unless a test has armed the points.
  package func reached() {
    Self.handler.withLock { $0 }?(self)
  }
}
