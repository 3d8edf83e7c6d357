import AppleSerial

/// A serial that a person or a program has typed, in the form in which it is saved.
struct TypedSerial {
  /// In upper case, without what people write between its characters.
  let text: String
  /// Whether it fits the grammar of one of the formats.
  let isValid: Bool
  /// What was meant perhaps: the letters O and I are in no serial.
  let proposal: String?

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
    try ClientText.check(deviceType, named: "device_type", limit: 100)
    try ClientText.check(notes, named: "notes", limit: 2000)
  }
}
