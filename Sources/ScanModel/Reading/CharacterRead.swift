/// A character of a serial as read from text, with its alternatives.
public struct CharacterRead: Codable, Sendable, Equatable {
  /// Another character that it may be.
  public struct Alternative: Codable, Sendable, Equatable {
    /// The character.
    public var character: String
    /// Probability of this character, 0...1.
    public var confidence: Double

    /// Creates an alternative.
    public init(character: String, confidence: Double) {
      self.character = character
      self.confidence = confidence
    }
  }

  /// The character.
  public var character: String
  /// Probability of the character, 0...1, from the readings of its line and its own strokes only.
  ///
  /// It distinguishes doubtful characters from clear ones. The serial's confidence also depends on its label, length
  /// and format.
  public var confidence: Double
  /// The alternatives, most likely first: at most `mostAlternatives`, none if the character is clear.
  public var alternatives: [Alternative]

  /// Maximum number of alternatives.
  public static let mostAlternatives = 3

  /// Creates a character.
  public init(character: String, confidence: Double, alternatives: [Alternative] = []) {
    self.character = character
    self.confidence = confidence
    self.alternatives = alternatives
  }
}
