/// Why a question was not answered.
public enum ChildFailure: Error, Sendable, Equatable {
  /// The child crashed or sent an implausible message, as described.
  case crashed(String)
  /// The child did not answer in time; `worked` is the share of the deadline for which it used a CPU.
  case timedOut(worked: Double)
  /// The child reached its memory limit.
  case outOfMemory
  /// No child could be started, for the given reason.
  case unavailable(String)
}

/// A question's event, reported on the child's thread.
public enum ChildEvent: Sendable {
  /// The child received a question.
  case asked
  /// The child died while working on a question.
  case lost
}
