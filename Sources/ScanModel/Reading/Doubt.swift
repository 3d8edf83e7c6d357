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

/// The doubts that say what a read is instead of a device's serial: no other photo of it can settle them.
extension Doubt {
  /// It is a sample or a mask.
  public static let placeholder = Doubt(
    code: "placeholder",
    sentence: "It is a sample or a mask, not a device's serial: its characters repeat or count up.")
  /// It is another manufacturer's.
  public static let otherMaker = Doubt(
    code: "other_maker",
    sentence: "The photo shows another manufacturer's device, or this looks like another manufacturer's serial.")
  /// It is a part's.
  public static let part = Doubt(
    code: "part", sentence: "Its label or the lines beside it name a part, such as a disk, a battery or a display.")
}
