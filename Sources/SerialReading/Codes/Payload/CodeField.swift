/// A piece of a code's payload, its escapes decoded.
struct CodeField: Sendable, Equatable {
  /// What the payload's format says that a field is.
  enum Role: Sendable {
    /// All of a payload, or what nothing but separators sets apart.
    case whole
    /// Any other text.
    case text
    /// A serial: GS1's application identifier 21, the data identifier `S`.
    case serial
    /// Something else, which an identifier names.
    case other
  }

  /// What the payload calls the field; empty where it has no name.
  var name = ""
  /// The value.
  var text: String
  /// What the format says that it is.
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
