/// A JSON value whose objects keep the order of their members, which makes documents readable.
indirect enum JSONTree: Sendable {
  case object([Member])
  case array([JSONTree])
  case text(String)
  case integer(Int)
  case number(Double)
  case flag(Bool)
  case null

  /// A member of an object.
  struct Member: Sendable {
    var name: String
    var value: JSONTree
  }

  /// The value as JSON text.
  var text: String {
    switch self {
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ",") + "}"
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .text(let text): Self.quoted(text)
    case .integer(let number): String(number)
    case .number(let number): Int(exactly: number).map { String($0) } ?? String(number)
    case .flag(let flag): flag ? "true" : "false"
    case .null: "null"
    }
  }

  private static func quoted(_ text: String) -> String {
    let characters = text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case _ where scalar.value < 0x20: "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }
    return "\"\(characters.joined())\""
  }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(floatLiteral value: Double) { self = .number(value) }
  init(booleanLiteral value: Bool) { self = .flag(value) }
  init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, JSONTree)...) {
    self = .object(elements.map { Member(name: $0, value: $1) })
  }
}
