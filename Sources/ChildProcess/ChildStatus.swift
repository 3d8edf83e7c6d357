/// The state of a child, and counts over it and its predecessors.
public struct ChildStatus: Sendable, Equatable, Codable {
  /// A child's state.
  public enum State: String, Sendable, Codable {
    /// The process was started and is warming up.
    case starting
    /// Waiting for a question.
    case ready
    /// Working on a question.
    case working
    /// Could not start; retried after a pause.
    case unavailable
    /// Stopped permanently.
    case stopped
  }

  /// The current state.
  public var state: State = .starting
  /// The running process's id, or nil.
  public var processID: Int32?
  /// Number of questions answered.
  public var answers = 0
  /// Number of processes started, including the first.
  public var starts = 0
  /// Number of processes that crashed, or were killed for an implausible message.
  public var crashes = 0
  /// Number of questions that exceeded their deadline.
  public var timeouts = 0
  /// Number of processes killed for their memory use.
  public var memoryKills = 0
  /// Number of processes replaced for their age or size.
  public var recycles = 0
  /// Why no child can be started, as text for people; nil if one can.
  public var problem: String?

  /// Creates the status of a child that has not started.
  public init() {}
}
