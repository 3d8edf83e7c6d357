/// The protocol between the parent and children of one kind.
///
/// The parent sends a setup, then one question at a time. The child replies to each with any number of steps and one
/// answer. Messages are JSON; questions and answers may have an attachment of bytes. A child that keeps state between
/// questions (sessions) identifies it in the questions, and loses it when it is replaced.
///
/// Decoding may have compromised a child, so everything it sends is checked here, once, before it is used.
public protocol ChildDialogue: Sendable {
  /// The first message to a child, such as settings.
  associatedtype Setup: Codable & Sendable
  /// A question.
  associatedtype Question: Codable & Sendable
  /// Progress on a question.
  associatedtype Step: Codable & Sendable
  /// The end of a question, including failures.
  associatedtype Answer: Codable & Sendable

  /// Throws if a working child would never send this step for the question.
  static func check(_ step: Step, on question: Question) throws(Implausible)

  /// Throws if a working child would never send this answer to the question.
  static func check(_ answer: Answer, attachment: [UInt8], on question: Question) throws(Implausible)
}

/// A message that no working child would send. The child is killed and the message ignored.
public struct Implausible: Error, Sendable, Equatable {
  /// A sentence about the child for people.
  public var detail: String

  /// Creates an error with a sentence about the child.
  public init(_ detail: String) { self.detail = detail }
}

/// A question with an id.
struct NumberedQuestion<Question: Codable & Sendable>: Codable, Sendable {
  /// Unique for each question and repeated in its answers, so that no answer is attributed to another question.
  var id: UInt64
  var question: Question
}

/// A message from a child.
enum ChildWord<Step: Codable & Sendable, Answer: Codable & Sendable>: Codable, Sendable {
  /// Sent once, first, when the child is ready.
  case ready
  /// The child can't start, for the given reason. Nothing follows.
  case unavailable(String)
  /// Progress on the question with this id.
  case step(id: UInt64, Step)
  /// The answer to the question with this id.
  case answer(id: UInt64, Answer)
}
