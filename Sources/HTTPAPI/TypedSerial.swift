import AppleSerial

/// A serial that a person or a program has typed, in the form in which it is saved.
struct TypedSerial {
  /// In upper case, without blanks.
  let text: String
  /// Whether it fits the grammar of one of the formats.
  let isValid: Bool

  /// Takes 4 to 32 letters and digits; anything else is 422.
  init(_ typed: String) throws {
    let text = typed.uppercased().filter { !$0.isWhitespace }
    guard (4...32).contains(text.count), text.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isUppercase) }) else {
      throw APIError.invalidParameter("serial", "must be 4 to 32 letters and digits")
    }
    self.text = text
    isValid = SerialNumber(text) != nil
  }

  /// Throws where what stands beside a serial is too long, or no text that a spreadsheet's cell could hold.
  static func check(deviceType: String?, notes: String?) throws {
    try ClientText.check(deviceType, named: "device_type", limit: 100)
    try ClientText.check(notes, named: "notes", limit: 2000)
  }
}
