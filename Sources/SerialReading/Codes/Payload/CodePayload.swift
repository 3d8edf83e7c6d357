/// Parses a code's payload: an address, a card, JSON, GS1 element strings, an ISO/IEC 15434 message, or plain text.
///
/// Parsing takes time linear in the number of bytes, whatever they are.
struct CodePayload {
  /// The most levels of nested formats, such as an address in a vCard; deeper levels are read as text.
  private static let mostLevels = 3

  /// The fields, in order.
  private(set) var fields: [CodeField] = []

  /// Parses a payload.
  ///
  /// - Parameter isGS1: Whether the code is marked as holding GS1 element strings.
  init(_ text: String, isGS1: Bool = false) {
    let bytes = Self.trimmed(Self.visible(text)[...])
    let named = Self.symbologies.contains { bytes.starts(with: $0.utf8) } ? bytes.dropFirst(3) : isGS1 ? bytes : nil
    for field in named.flatMap(ElementStrings.gs1) ?? [CodeField(bytes, role: .whole)] { take(field, level: 0) }
  }

  /// The symbology identifiers that a scanner writes before GS1 element strings (ISO/IEC 15424).
  private static let symbologies = ["]C1", "]e0", "]d2", "]Q3"]

  /// Adds a field, or the fields of the format of its text.
  private mutating func take(_ field: CodeField, level: Int) {
    guard field.role != .serial, field.role != .other, level < Self.mostLevels else {
      append(Array(field.text.utf8)[...], as: field)
      return
    }
    let bytes = Self.trimmed(Array(field.text.utf8)[...])
    if let found = Self.structured(bytes) {
      for inner in found { take(inner, level: level + 1) }
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
      for inner in AddressFields.fields(word[start...]) { take(inner, level: level + 1) }
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
