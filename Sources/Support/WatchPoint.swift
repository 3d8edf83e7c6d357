/// A moment on the way of a photo through `serialscan watch` at which a test may end the program, as `FaultPoint`s are on
/// a job's way.
package enum WatchPoint: String, CaseIterable, Sendable {
  /// The photo is whole and read into memory; nobody knows of it.
  case watchTaken
  /// The store or the server has the photo; its result is not known.
  case watchSubmitted
  /// The result is known, and written nowhere.
  case watchAnswered
  /// The journal's line is written, and not certain to be on the disk.
  case watchRecording
  /// The photo is in the journal, and lies where it was.
  case watchRecorded
  /// A part of the copy on another file system is written.
  case watchCopying
  /// The photo has both names, the old one and the new one.
  case watchNamed
  /// The photo has its new name only.
  case watchMoved
  /// The spreadsheet is in its place.
  case watchSheetWritten

  private static let handler = Locked<(@Sendable (WatchPoint) -> Void)?>(nil)

  /// Calls `handler` whenever a point is reached, on the thread that reaches it. For tests' executables.
  package static func arm(_ handler: @escaping @Sendable (WatchPoint) -> Void) {
    Self.handler.withLock { $0 = handler }
  }

  /// Says that the program has come here; nothing happens unless a test has armed the points.
  package func reached() {
    Self.handler.withLock { $0 }?(self)
  }
}
