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
