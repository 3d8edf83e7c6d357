/// Why a question has no answer.
public enum ChildFailure: Error, Sendable, Equatable {
  /// The child died, or said what no honest one says; the sentences tell how.
  case crashed(String)
  /// It did not answer in time; `worked` is the share of the deadline for which it computed.
  case timedOut(worked: Double)
  /// It ran into its limit of memory.
  case outOfMemory
  /// None could be started; the sentence tells why.
  case unavailable(String)
}

/// What happens to questions, as told to who looks on from the child's thread.
public enum ChildEvent: Sendable {
  /// The child has been given a question.
  case asked
  /// The child was found dead over a question.
  case lost
}
