import AppleSerial

/// A serial that a person or a program has typed, in the form in which it is saved.
struct TypedSerial {
  /// In upper case, without what people write between its characters.
  let text: String
  /// Whether it fits the grammar of one of the formats.
  let isValid: Bool
  /// What was meant perhaps: the letters O and I are in no serial.
  let proposal: String?

  /// Characters of the longest device type, and of the longest notes.
  static let longestDeviceType = 100
  static let longestNotes = 2000

  /// What the description of the API says of a serial that is sent.
  static let note = Schema(["minLength": 4]).about(
    "4 to 32 letters and digits, with at most spaces, hyphens and dots between them.")

  /// What the description of the API says of `proposal`.
  static let proposalNote = Schema.about(
    "The serial with 0 and 1 for the letters O and I, where that has a valid format and the one sent does not.")

  /// Takes 4 to 32 letters and digits, with spaces, hyphens and the like between them; anything else is 422.
  init(_ typed: String) throws {
    guard let written = WrittenSerial(typed) else {
      throw APIError.invalidParameter(
        "serial", "must be 4 to 32 letters and digits, with at most spaces, hyphens and dots between them")
    }
    (text, isValid, proposal) = (written.text, written.isValid, written.proposal)
  }

  /// Throws where what stands beside a serial is too long, or no text that a spreadsheet's cell could hold.
  static func check(deviceType: String?, notes: String?) throws {
    try ClientText.check(deviceType, named: "device_type", limit: longestDeviceType)
    try ClientText.check(notes, named: "notes", limit: longestNotes)
  }
}
