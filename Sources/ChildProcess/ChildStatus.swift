/// How a child is, and what it and those before it have done.
public struct ChildStatus: Sendable, Equatable, Codable {
  /// Where a child stands.
  public enum State: String, Sendable, Codable {
    /// The process is started and warms up.
    case starting
    /// Waits for a question.
    case ready
    /// Works on a question.
    case working
    /// Could not start; tried again after a while.
    case unavailable
    /// Ended for good.
    case stopped
  }

  /// Where it stands.
  public var state: State = .starting
  /// The id of the running process, or nil.
  public var processID: Int32?
  /// Questions answered.
  public var answers = 0
  /// Processes started, the first one included.
  public var starts = 0
  /// Processes that died by themselves, or were ended for what they said.
  public var crashes = 0
  /// Questions ended at their deadline.
  public var timeouts = 0
  /// Processes ended for their memory.
  public var memoryKills = 0
  /// Processes replaced for their age or size.
  public var recycles = 0
  /// Why no child can be started, for a person; nil where one can.
  public var problem: String?

  /// Creates the status of a child that has done nothing yet.
  public init() {}
}
