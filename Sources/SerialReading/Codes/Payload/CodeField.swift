/// A piece of a code's payload with its escapes decoded.
struct CodeField: Sendable, Equatable {
  /// The meaning that the payload's format gives to a field.
  enum Role: Sendable {
    /// A whole payload, or a part between separators without further structure.
    case whole
    /// Any other text.
    case text
    /// A serial: GS1 application identifier 21 or data identifier `S`.
    case serial
    /// A value that an identifier marks as something other than a serial.
    case other
  }

  /// The field's name in the payload; empty if it has none.
  var name = ""
  /// The value.
  var text: String
  /// The meaning that the format gives to the field.
  var role = Role.text

  init(name: String = "", _ text: String, role: Role = .text) {
    self.name = name
    self.text = text
    self.role = role
  }

  init(name: String = "", _ bytes: some Sequence<UInt8>, role: Role = .text) {
    self.init(name: name, String(decoding: Array(bytes), as: UTF8.self), role: role)
  }
}
