/// Parses a code's payload: an address, a card, JSON, GS1 element strings, an ISO/IEC 15434 message, or plain text.
///
/// Parsing takes time linear in the number of bytes, whatever they are.
package struct CodePayload {
  /// The most levels of nested formats, such as an address in a vCard; deeper levels are read as text.
  private static let mostLevels = 3
  /// The longest payload that is parsed, in bytes: four times the capacity of a code.
  private static let longest = 16_384

  /// The fields, in order.
  package private(set) var fields: [CodeField] = []

  /// Parses a code's payload; nil if it is too long for one.
  package init?(_ code: Barcode) {
    guard code.text.utf8.count <= Self.longest else { return nil }
    let bytes = Self.trimmed(Self.visible(code.text)[...])
    let isNamed = Self.symbologies.contains { bytes.starts(with: $0.utf8) }
    let named = isNamed ? bytes.dropFirst(3) : code.isGS1 ? bytes : nil
    for field in named.flatMap(ElementStrings.gs1) ?? [CodeField(bytes, role: .whole)] { add(field, level: 0) }
  }

  /// The symbology identifiers that a scanner writes before GS1 element strings (ISO/IEC 15424).
  private static let symbologies = ["]C1", "]e0", "]d2", "]Q3"]

  /// Adds a field, or the fields of the format of its text.
  private mutating func add(_ field: CodeField, level: Int) {
    guard field.role != .serial, field.role != .other, level < Self.mostLevels else {
      append(Array(field.text.utf8)[...], as: field)
      return
    }
    let bytes = Self.trimmed(Array(field.text.utf8)[...])
    if let found = Self.structured(bytes) {
      for inner in found { add(inner, level: level + 1) }
    } else {
      takeText(bytes, of: field, level: level)
    }
  }

  private static func structured(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    ElementStrings.envelope(bytes) ?? ElementStrings.separated(bytes) ?? ElementStrings.bracketed(bytes)
      ?? CardFields.properties(bytes) ?? CardFields.semicolons(bytes) ?? JSONFields.fields(bytes)
  }

  /// Adds text and the fields of the addresses in it.
  private mutating func takeText(_ bytes: ArraySlice<UInt8>, of field: CodeField, level: Int) {
    var field = field
    var textStart = bytes.startIndex
    var rest = bytes
    while !rest.isEmpty {
      let word = rest.drop(while: Self.isOutsideAddresses).prefix { !Self.isOutsideAddresses($0) }
      rest = rest[word.endIndex...]
      guard let start = AddressFields.start(in: word) else { continue }
      field.role = .text
      append(bytes[textStart..<start], as: field)
      for inner in AddressFields.fields(word[start...]) { add(inner, level: level + 1) }
      field.name = ""
      textStart = word.endIndex
    }
    append(bytes[textStart...], as: field)
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>, as field: CodeField) {
    let text = Self.trimmed(Self.unescaped(bytes)[...])
    if !text.isEmpty { fields.append(CodeField(name: field.name, text, role: field.role)) }
  }

  /// Whether a byte does not occur in addresses (RFC 3986), so that it ends one. An apostrophe may occur, but usually
  /// quotes an address.
  private static func isOutsideAddresses(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "\"'<>\\^`{|}".utf8.contains(byte)
  }

  /// Unescapes percent signs, backslashes and HTML entities that the writer of a text escaped unnecessarily.
  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    Escapes.entitiesDecoded(Escapes.backslashDecoded(Escapes.percentDecoded(bytes)[...]))
  }

  /// The bytes of a text without invisible characters: byte order marks, zero-width spaces, soft hyphens.
  private static func visible(_ text: String) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array(text.utf8) }
    return Array(String(text.unicodeScalars.filter { $0.properties.generalCategory != .format }).utf8)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0 || byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }
    let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
    return bytes[..<end].drop(while: isBlank)
  }
}

/// A piece of a code's payload with its escapes decoded.
package struct CodeField: Sendable, Equatable {
  /// The meaning that the payload's format gives to a field.
  package enum Role: Sendable {
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
  package var name = ""
  /// The value.
  package var text: String
  /// The meaning that the format gives to the field.
  package var role = Role.text

  init(name: String = "", _ text: String, role: Role = .text) {
    self.name = name
    self.text = text
    self.role = role
  }

  init(name: String = "", _ bytes: some Sequence<UInt8>, role: Role = .text) {
    self.init(name: name, String(decoding: Array(bytes), as: UTF8.self), role: role)
  }
}

/// Decodes the escapes of payload formats, in time linear in the number of bytes.
enum Escapes {
  /// Decodes `%` and two hexadecimal digits (RFC 3986, 2.1). Returns the bytes unchanged if any `%` does not begin an
  /// escape.
  ///
  /// - Parameter plusIsSpace: Whether `+` means a space, as in the query of a web address.
  static func percentDecoded(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8] {
    let plain = plusIsSpace ? bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }[...] : bytes
    return isPercentEncoded(plain) ? hexDecoded(plain, after: UInt8(ascii: "%")) : Array(plain)
  }

  /// Decodes `=` and two hexadecimal digits (RFC 2045, 6.7).
  static func quotedPrintableDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    hexDecoded(bytes, after: UInt8(ascii: "="))
  }

  /// Decodes backslash escapes: `\n`, `\r` and `\t` become white space, `\u003a` a colon; any other character stands
  /// for itself (RFC 8259, 7; RFC 6350, 3.4).
  static func backslashDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "\\")) else { return Array(bytes) }
    var units: [UInt16] = []
    var decoded: [UInt8] = []
    var rest = bytes
    func flushed() -> [UInt8] { Array(String(decoding: units, as: UTF16.self).utf8) }
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        if escaped == UInt8(ascii: "u"), let unit = number(rest.prefix(4), radix: 16, digits: 4) {
          units.append(UInt16(truncatingIfNeeded: unit))
          rest = rest.dropFirst(4)
          continue
        }
        decoded += flushed() + [whitespace[escaped] ?? escaped]
      } else {
        if !units.isEmpty { decoded += flushed() }
        decoded.append(byte)
      }
      units = []
    }
    return decoded + flushed()
  }

  /// Decodes `&amp;`, `&#32;` and similar entities, as in HTML and XML.
  static func entitiesDecoded(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "&")) else { return bytes }
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      // The longest entity is `&#1114111;`.
      if byte == UInt8(ascii: "&"), let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")),
        let character = entity(rest[..<end])
      {
        decoded += character
        rest = rest[end...].dropFirst()
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  /// Whether there is a `%`, and each one begins an escape.
  private static func isPercentEncoded(_ bytes: ArraySlice<UInt8>) -> Bool {
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "%") }.map { bytes[$0...].dropFirst().prefix(2) }
    return !ends.isEmpty && ends.allSatisfy { number($0, radix: 16, digits: 2) != nil }
  }

  private static let whitespace: [UInt8: UInt8] = [
    UInt8(ascii: "n"): UInt8(ascii: "\n"), UInt8(ascii: "N"): UInt8(ascii: "\n"), UInt8(ascii: "r"): UInt8(ascii: "\n"),
    UInt8(ascii: "t"): UInt8(ascii: "\t"),
  ]

  private static let entities: [String: UInt8] = [
    "amp": UInt8(ascii: "&"), "lt": UInt8(ascii: "<"), "gt": UInt8(ascii: ">"), "quot": UInt8(ascii: "\""),
    "apos": UInt8(ascii: "'"), "nbsp": UInt8(ascii: " "),
  ]

  private static func entity(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    guard name.first == UInt8(ascii: "#") else { return entities[String(decoding: name, as: UTF8.self)].map { [$0] } }
    let digits = name.dropFirst()
    let isHex = digits.first == UInt8(ascii: "x") || digits.first == UInt8(ascii: "X")
    let value = isHex ? number(digits.dropFirst(), radix: 16) : number(digits, radix: 10)
    return value.flatMap { UInt32(exactly: $0) }.flatMap(Unicode.Scalar.init).map { Array(String($0).utf8) }
  }

  private static func hexDecoded(_ bytes: ArraySlice<UInt8>, after sign: UInt8) -> [UInt8] {
    guard bytes.contains(sign) else { return Array(bytes) }
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == sign, let value = number(rest.prefix(2), radix: 16, digits: 2) {
        decoded.append(UInt8(truncatingIfNeeded: value))
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  /// The value of digits; nil if they are invalid, too many, or not the requested number.
  static func number(_ digits: ArraySlice<UInt8>, radix: Int, digits count: Int? = nil) -> Int? {
    guard (1...8).contains(digits.count), count == nil || count == digits.count else { return nil }
    var number = 0
    for digit in digits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
      default: return nil
      }
      guard value < radix else { return nil }
      number = number * radix + Int(value)
    }
    return number
  }
}
