/// Why a serial is not surer than it is.
public struct Doubt: Codable, Sendable, Equatable {
  /// A name for programs, such as `no_label`.
  public var code: String
  /// A sentence for a person.
  public var sentence: String

  /// Creates a doubt.
  public init(code: String, sentence: String) {
    self.code = code
    self.sentence = sentence
  }
}
