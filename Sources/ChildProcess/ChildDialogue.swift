/// What is said with children of one kind.
///
/// The parent sends a setup, then questions, one after another. The child answers each with any number of steps and one
/// answer. Every message is JSON; bytes may go beside a question and an answer. A child that keeps state between
/// questions (sessions) names it in its questions, and loses it when it is replaced.
///
/// A child may have been taken over by what it decodes, so that all it says is checked here, once, before anybody sees it.
public protocol ChildDialogue: Sendable {
  /// What a child is told before all else, such as settings.
  associatedtype Setup: Codable & Sendable
  /// What it is asked.
  associatedtype Question: Codable & Sendable
  /// How far it has come with a question.
  associatedtype Step: Codable & Sendable
  /// The end of a question, also where it could not be met.
  associatedtype Answer: Codable & Sendable

  /// Throws where no honest child says this about a question.
  static func check(_ step: Step, on question: Question) throws(Implausible)

  /// Throws where no honest child says this about a question.
  static func check(_ answer: Answer, attachment: [UInt8], on question: Question) throws(Implausible)
}

/// What a child said that no honest one says. It is ended for it, and its word counts for nothing.
public struct Implausible: Error, Sendable, Equatable {
  /// A sentence about the child, for a person.
  public var detail: String

  /// Creates it with a sentence about the child.
  public init(_ detail: String) { self.detail = detail }
}

/// A question with its number.
struct NumberedQuestion<Question: Codable & Sendable>: Codable, Sendable {
  /// New with every question; the answers bear it, so that no answer can go to another question.
  var id: UInt64
  var question: Question
}

/// What a child says.
enum ChildWord<Step: Codable & Sendable, Answer: Codable & Sendable>: Codable, Sendable {
  /// Warmed up; said once, first.
  case ready
  /// Can't start, and why; nothing follows.
  case unavailable(String)
  /// How far the question with this id has come.
  case step(id: UInt64, Step)
  /// The end of the question with this id.
  case answer(id: UInt64, Answer)
}
