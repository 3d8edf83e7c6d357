/// How a reader is, and what it has done since it was made.
public struct ReaderStatus: Sendable, Equatable, Codable {
  /// Where a reader stands.
  public enum State: String, Sendable, Codable {
    /// The process is started and warms up.
    case starting
    /// Waits for a photo.
    case ready
    /// Reads a photo.
    case reading
    /// Could not start; tried again after a while.
    case unavailable
    /// Ended for good.
    case stopped
  }

  /// Where it stands.
  public var state: State = .starting
  /// The id of the running process, or nil.
  public var processID: Int32?
  /// Photos answered, with a reading or with a failure of the photo's own.
  public var photosRead = 0
  /// Processes started, the first one included.
  public var starts = 0
  /// Processes that died by themselves.
  public var crashes = 0
  /// Reads ended at their deadline.
  public var timeouts = 0
  /// Processes ended for their memory.
  public var memoryKills = 0
  /// Processes replaced for their age or size.
  public var recycles = 0
  /// Why the reader is unavailable, for a person; nil where it is not.
  public var problem: String?

  /// Creates the status of a reader that has done nothing yet.
  public init() {}
}
