/// A reason that lowers a serial's confidence.
public struct Doubt: Codable, Sendable, Equatable {
  /// A code for programs, such as `no_label`.
  public var code: String
  /// A sentence for people.
  public var sentence: String

  /// Creates a doubt.
  public init(code: String, sentence: String) {
    self.code = code
    self.sentence = sentence
  }
}
