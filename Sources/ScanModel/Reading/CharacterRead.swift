/// One character of a serial as it was read from text, and what else it may be.
public struct CharacterRead: Codable, Sendable, Equatable {
  /// Another character that may stand there.
  public struct Alternative: Codable, Sendable, Equatable {
    /// The character.
    public var character: String
    /// How likely it stands there, 0...1.
    public var confidence: Double

    /// Creates an alternative.
    public init(character: String, confidence: Double) {
      self.character = character
      self.confidence = confidence
    }
  }

  /// The character.
  public var character: String
  /// How likely it is this one, 0...1, by what the readings of its line and its own strokes say of it alone: it tells doubtful
  /// characters from clear ones. The serial's own confidence also rests on its label, its length and its grammar.
  public var confidence: Double
  /// What else it may be, the likeliest first: `mostAlternatives` at most, none where the character is clear.
  public var alternatives: [Alternative]

  /// The most alternatives that a character has.
  public static let mostAlternatives = 3

  /// Creates a character.
  public init(character: String, confidence: Double, alternatives: [Alternative] = []) {
    self.character = character
    self.confidence = confidence
    self.alternatives = alternatives
  }
}
