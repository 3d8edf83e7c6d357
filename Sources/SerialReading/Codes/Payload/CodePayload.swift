/// A code's payload, parsed as what it is: an address, a card, JSON, GS1's element strings, an ISO/IEC 15434 message, or plain text.
///
/// Whatever bytes it holds, parsing takes time in proportion to them.
struct CodePayload {
  /// Formats within formats, such as an address in a vCard; what lies deeper is read as text.
  private static let mostLevels = 3

  /// The fields, in their order.
  private(set) var fields: [CodeField] = []

  /// Parses a payload.
  ///
  /// - Parameter isGS1: Whether the code says that it holds GS1's element strings.
  init(_ text: String, isGS1: Bool = false) {
    let bytes = Self.trimmed(Self.visible(text)[...])
    let named = Self.symbologies.contains { bytes.starts(with: $0.utf8) } ? bytes.dropFirst(3) : isGS1 ? bytes : nil
    for field in named.flatMap(ElementStrings.gs1) ?? [CodeField(bytes, role: .whole)] { take(field, level: 0) }
  }

  /// What a scanner writes before GS1's element strings (ISO/IEC 15424).
  private static let symbologies = ["]C1", "]e0", "]d2", "]Q3"]

  /// A field as it is, or the fields of the format that its text is in.
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

  /// Text and the addresses in it.
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

  /// Whether a byte stands in no address (RFC 3986), so that it ends one in a text; an apostrophe could, but quotes it rather.
  private static func isOutsideAddresses(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "\"'<>\\^`{|}".utf8.contains(byte)
  }

  /// A text whose writer escaped what needs none: percent signs, backslashes, entities of HTML.
  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    Escapes.entitiesDecoded(Escapes.backslashDecoded(Escapes.percentDecoded(bytes)[...]))
  }

  /// A text's bytes without what is not seen: byte order marks, zero-width spaces, soft hyphens.
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
