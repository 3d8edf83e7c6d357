/// Parses fields with identifiers before their data: GS1 element strings and ISO/IEC 15434 messages.
enum ElementStrings {
  /// The group separator, which ends a field.
  static let groupSeparator: UInt8 = 0x1D
  private static let recordSeparator: UInt8 = 0x1E
  private static let endOfTransmission: UInt8 = 0x04

  /// GS1 element strings as a scanner sends them, `01095060001343522110ABC<GS>21C02ZK1ABMD6N` (GS1 General
  /// Specifications, 7.8).
  ///
  /// - Returns: nil if the bytes are not entirely such strings.
  static func gs1(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    var fields: [CodeField] = []
    var rest = bytes
    while !rest.isEmpty {
      guard let size = identifierSize(rest), rest.count > size else { return nil }
      let identifier = rest.prefix(size)
      rest = rest.dropFirst(size)
      let value: ArraySlice<UInt8>
      if let length = fixedLength(identifier) {
        value = rest.prefix(length)
        guard value.count == length, value.allSatisfy(isDigit) else { return nil }
      } else {
        value = rest.prefix { $0 != groupSeparator }
        guard (1...90).contains(value.count) else { return nil }
      }
      rest = rest.dropFirst(value.count)
      if rest.first == groupSeparator { rest = rest.dropFirst() }
      fields += field(identifier, value)
    }
    return fields.isEmpty && bytes.isEmpty ? nil : fields
  }

  /// GS1 element strings as they are printed, `(01)09506000134352(21)C02ZK1ABMD6N`.
  ///
  /// - Returns: nil if the bytes are not entirely such strings.
  static func bracketed(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    var fields: [CodeField] = []
    var rest = bytes
    while !rest.isEmpty {
      guard rest.popFirst() == UInt8(ascii: "(") else { return nil }
      let identifier = rest.prefix(while: isDigit)
      guard identifierSize(identifier) == identifier.count, rest.dropFirst(identifier.count).first == UInt8(ascii: ")")
      else { return nil }
      rest = rest.dropFirst(identifier.count + 1)
      // A value may contain brackets, so it ends only at a valid identifier in brackets.
      let value = rest.prefix(valueSize(rest))
      rest = rest.dropFirst(value.count)
      guard !value.isEmpty, fixedLength(identifier).map({ $0 == trimmed(value).count }) ?? true else { return nil }
      fields += field(identifier, trimmed(value))
    }
    return fields
  }

  /// The envelope `[)>` of ISO/IEC 15434. Format 05 holds GS1 identifiers, 06 data identifiers, 12 text element
  /// identifiers.
  ///
  /// - Returns: nil if there is no such envelope.
  static func envelope(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    guard bytes.starts(with: "[)>".utf8), bytes.dropFirst(3).first == recordSeparator else { return nil }
    return bytes.dropFirst(4).split { $0 == recordSeparator || $0 == endOfTransmission }.flatMap { record in
      let parts = record.split(separator: groupSeparator)
      guard let format = parts.first, format.count >= 2, format.prefix(2).allSatisfy(isDigit) else {
        return [CodeField(record)]
      }
      let fields = parts.dropFirst()
      switch String(decoding: format.prefix(2), as: UTF8.self) {
      case "05": return gs1(record.dropFirst(format.count + 1)) ?? []
      case "06": return fields.flatMap(identified)
      case "12":
        return fields.map { CodeField(name: String(decoding: $0.prefix(3), as: UTF8.self), $0.dropFirst(3)) }
      default: return fields.map { CodeField($0) }
      }
    }
  }

  /// Fields between group separators without identifiers.
  static func separated(_ bytes: ArraySlice<UInt8>) -> [CodeField]? {
    guard bytes.contains(groupSeparator) else { return nil }
    if let fields = bytes.starts(with: "01".utf8) ? gs1(bytes) : nil { return fields }
    return bytes.split { $0 == groupSeparator || $0 == recordSeparator || $0 == endOfTransmission }
      .map { CodeField($0, role: .whole) }
  }

  /// Whether an application identifier and its value denote a trade item, whose serial has identifier 21.
  static func isTradeItem(_ identifier: ArraySlice<UInt8>, _ value: [UInt8]) -> Bool {
    guard value.allSatisfy(isDigit) else { return false }
    switch String(decoding: identifier, as: UTF8.self).lowercased() {
    case "01", "gtin": return [8, 12, 13, 14].contains(value.count)
    case "8006", "itip": return value.count == 18
    default: return false
    }
  }

  /// A field with a data identifier (ANSI MH10.8.2): up to three digits, a letter, data. `S` is the serial; `25S` and
  /// similar ones are not.
  private static func identified(_ field: ArraySlice<UInt8>) -> [CodeField] {
    let digits = field.prefix(4).prefix(while: isDigit).count
    if field.starts(with: "1P".utf8) { return [CodeField(name: "Part No.", field.dropFirst(2), role: .other)] }
    guard digits == 0 else { return [] }
    return field.first == UInt8(ascii: "S") ? [CodeField(field.dropFirst(), role: .serial)] : []
  }

  /// The field of an application identifier: 21 is the serial, 01 the trade item, 90 to 99 are for company use; others
  /// are not serials.
  private static func field(_ identifier: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> [CodeField] {
    if identifier.elementsEqual("21".utf8) { return [CodeField(value, role: .serial)] }
    if identifier.elementsEqual("01".utf8) { return [CodeField(name: "GTIN", value, role: .other)] }
    return identifier.count == 2 && identifier.first == UInt8(ascii: "9") ? [CodeField(value)] : []
  }

  /// The number of digits of the application identifier at the beginning; nil if there is none.
  private static func identifierSize(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = Escapes.number(bytes.prefix(2), radix: 10, digits: 2) else { return nil }
    let size: Int
    switch first {
    case 0...4, 10...22, 30, 37, 90...99: size = 2
    case 23...25, 40...42, 71: size = 3
    case 31...36, 39, 43, 70, 72, 80...82: size = 4
    default: return nil
    }
    return bytes.count >= size && bytes.prefix(size).allSatisfy(isDigit) ? size : nil
  }

  /// The number of digits of a value whose identifier has a fixed length.
  private static func fixedLength(_ identifier: ArraySlice<UInt8>) -> Int? {
    switch Escapes.number(identifier.prefix(2), radix: 10, digits: 2) ?? 99 {
    case 0: 18
    case 1...3: 14
    case 4: 16
    case 11...19: 6
    case 20: 2
    case 31...36: 6
    case 41: 13
    default: nil
    }
  }

  /// The number of bytes up to the next identifier in brackets.
  private static func valueSize(_ bytes: ArraySlice<UInt8>) -> Int {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "(") {
        let digits = bytes[index...].dropFirst().prefix(5).prefix(while: isDigit)
        if (2...4).contains(digits.count), identifierSize(digits) == digits.count,
          bytes[digits.endIndex...].first == UInt8(ascii: ")")
        {
          break
        }
      }
      index += 1
    }
    return index - bytes.startIndex
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte <= UInt8(ascii: " ") }
    let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
    return bytes[..<end].drop(while: isBlank)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
