/// The strings and numbers of a JSON text (RFC 8259), each with its key, including nested values.
struct JSONFields {
  /// The most levels of nesting; a deeper text is read as plain text.
  private static let mostLevels = 32
  /// Keys that do not describe their value.
  private static let emptyKeys: Set<String> = ["value", "val", "text", "data", "#text", "$"]

  private var rest: ArraySlice<UInt8>
  private var fields: [CodeField] = []

  /// The fields of a text; nil if the text is not entirely a JSON object or array.
  static func fields(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    guard bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") else { return nil }
    var parser = JSONFields(rest: bytes)
    guard parser.takeValue(name: "", level: 0) else { return nil }
    parser.skipBlanks()
    return parser.rest.isEmpty ? parser.fields : nil
  }

  private init(rest: ArraySlice<UInt8>) { self.rest = rest }

  private mutating func takeValue(name: String, level: Int) -> Bool {
    skipBlanks()
    switch rest.first {
    case UInt8(ascii: "{"): return level < Self.mostLevels && takeMembers(of: name, level: level + 1)
    case UInt8(ascii: "["): return level < Self.mostLevels && takeElements(of: name, level: level + 1)
    case UInt8(ascii: "\""):
      guard let text = takeString() else { return false }
      fields.append(CodeField(name: name, text))
      return true
    default:
      // A number, `true`, `false` or `null`, none of which can be a serial.
      let word = rest.prefix { $0 > UInt8(ascii: " ") && !",]}".utf8.contains($0) }
      rest = rest.dropFirst(word.count)
      return !word.isEmpty && word.allSatisfy { $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ":") }
    }
  }

  private mutating func takeMembers(of name: String, level: Int) -> Bool {
    takeList(end: UInt8(ascii: "}")) { parser in
      parser.skipBlanks()
      guard parser.rest.first == UInt8(ascii: "\""), let bytes = parser.takeString() else { return false }
      let key = String(decoding: bytes, as: UTF8.self)
      parser.skipBlanks()
      guard parser.rest.popFirst() == UInt8(ascii: ":") else { return false }
      let isEmpty = Self.emptyKeys.contains(key.lowercased())
      // Labels are much shorter than the part of the nested names that is kept.
      let outer = String(name.unicodeScalars.suffix(40))
      return parser.takeValue(name: isEmpty ? outer : outer.isEmpty ? key : "\(outer) \(key)", level: level)
    }
  }

  private mutating func takeElements(of name: String, level: Int) -> Bool {
    takeList(end: UInt8(ascii: "]")) { $0.takeValue(name: name, level: level) }
  }

  private mutating func takeList(end: UInt8, element: (inout JSONFields) -> Bool) -> Bool {
    rest = rest.dropFirst()
    skipBlanks()
    if rest.first == end {
      rest = rest.dropFirst()
      return true
    }
    while element(&self) {
      skipBlanks()
      switch rest.popFirst() {
      case UInt8(ascii: ","): continue
      case end: return true
      default: return false
      }
    }
    return false
  }

  /// The string that begins at a quotation mark; nil if it is unterminated.
  private mutating func takeString() -> [UInt8]? {
    rest = rest.dropFirst()
    var index = rest.startIndex
    while index < rest.endIndex {
      switch rest[index] {
      case UInt8(ascii: "\""):
        let text = Escapes.backslashDecoded(rest[..<index])
        rest = rest[index...].dropFirst()
        return text
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return nil
  }

  private mutating func skipBlanks() {
    rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
  }
}
