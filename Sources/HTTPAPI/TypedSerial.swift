import AppleSerial

/// A serial that a person or a program entered, normalized for saving.
package struct TypedSerial {
  /// The serial in upper case, without separators.
  let text: String
  /// Whether it has a valid format.
  let isValid: Bool
  /// A suggested correction: serials never contain the letters O and I.
  let proposal: String?

  /// The maximum number of characters of a device type, and of notes.
  package static let longestDeviceType = 100
  static let longestNotes = 2000

  /// The schema of a serial in a request.
  static let note = Schema(["minLength": 4]).about(
    "4 to 32 letters and digits, optionally with spaces, hyphens and dots between them.")

  /// The schema of `proposal`.
  static let proposalNote = Schema.about(
    "The serial with 0 and 1 for the letters O and I, where that has a valid format and the one sent does not.")

  /// Parses 4 to 32 letters and digits, with spaces, hyphens and the like between them. Throws 422 for anything else.
  ///
  /// - Parameter name: The field, for the error.
  init(_ typed: String, named name: String = "serial") throws {
    guard let written = WrittenSerial(typed) else {
      throw APIError.invalidParameter(
        name, "must be 4 to 32 letters and digits, optionally with spaces, hyphens and dots between them")
    }
    (text, isValid, proposal) = (written.text, written.isValid, written.proposal)
  }

  /// Throws if a device type or notes are too long, or contain text that a spreadsheet cell can't hold.
  static func check(deviceType: String?, notes: String?) throws {
    try ClientText.check(deviceType, named: "device_type", limit: longestDeviceType)
    try ClientText.check(notes, named: "notes", limit: longestNotes)
  }
}
