/// A serial as a person or a program writes it: `c02x l0th jhcc`, `S-C02XL0THJHCC`, full-width or in groups.
public struct WrittenSerial: Sendable, Equatable {
  /// Letters and digits that a serial may have, of any kind: the shortest number that is kept has 4, the longest 32.
  private static let lengths = 4...32
  /// The most bytes of a text that is looked at.
  private static let mostBytes = 512

  /// In upper case, without spaces, hyphens, dots, zero-width characters and a leading data identifier `S`.
  public let text: String
  /// The same with 0 for `O` and 1 for `I`, which no serial has; nil where the text fits the grammar, or this does not.
  public let proposal: String?
  /// Whether the text fits the grammar of one of the formats.
  public var isValid: Bool { SerialNumber(text) != nil }

  /// Takes a text of 4 to 32 letters and digits with what people write between them; nil for anything else.
  ///
  /// A leading `S` goes where only the rest fits the grammar, or where both do and a separator stands behind it.
  public init?(_ written: String) {
    guard let characters = Self.characters(of: written) else { return nil }
    var bytes = characters.bytes[...]
    if bytes.first == UInt8(ascii: "S"), let rest = Self.fitting(bytes.dropFirst()) {
      let whole = Self.fitting(bytes)
      if whole == nil || (characters.firstStandsAlone && rest.isExact) || (rest.isExact && whole?.isExact == false) {
        bytes = bytes.dropFirst()
      }
    }
    guard Self.lengths.contains(bytes.count) else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
    let fitting = Self.fitting(bytes)
    proposal = fitting?.isExact == false ? fitting?.text : nil
  }

  /// What to look for where a person searches for `typed`: the serial, where all of it is one in any of the ways in
  /// which people write it; otherwise `typed` as it is, which may be a part of one, a device type or a file name.
  public static func searched(_ typed: String) -> String {
    guard let written = WrittenSerial(typed) else { return typed }
    let serial = written.proposal ?? written.text
    // Names of devices are words: `Apple Watch` has the shape of a serial too.
    guard SerialNumber(serial) != nil, serial.utf8.contains(where: isDigit),
      written.proposal == nil || isGrouped(typed)
    else { return typed }
    return serial
  }

  /// The letters and digits of a part of a serial, in upper case, without what people write between them (`c02x-l0` gives
  /// `C02XL0`). Nil where other characters are among them, or none are letters or digits.
  public static func part(_ typed: String) -> String? {
    guard let bytes = characters(of: typed)?.bytes, !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether there are no spaces, or groups of three or four characters between them, behind perhaps an `S`.
  private static func isGrouped(_ typed: String) -> Bool {
    let groups = typed.utf8.split(separator: UInt8(ascii: " ")).map(\.count)
    let rest = groups.first == 1 ? groups.dropFirst() : groups[...]
    return rest.count == 1 || rest.allSatisfy { (3...4).contains($0) }
  }

  /// The serial that bytes are, or would be with 0 and 1 for `O` and `I`.
  private static func fitting(_ bytes: ArraySlice<UInt8>) -> (text: String, isExact: Bool)? {
    let text = String(decoding: bytes, as: UTF8.self)
    if SerialNumber(text) != nil { return (text, true) }
    let replaced = String(
      decoding: bytes.map { byte in
        switch byte {
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        case UInt8(ascii: "I"): UInt8(ascii: "1")
        default: byte
        }
      }, as: UTF8.self)
    return SerialNumber(replaced) == nil ? nil : (replaced, false)
  }

  /// The letters and digits in ASCII, and whether a separator stands behind the first; nil where anything else is among
  /// them.
  private static func characters(of written: String) -> (bytes: [UInt8], firstStandsAlone: Bool)? {
    guard written.utf8.count <= mostBytes else { return nil }
    var bytes: [UInt8] = []
    var firstStandsAlone = false
    for scalar in written.unicodeScalars {
      if let byte = character(scalar) {
        bytes.append(byte)
      } else if isSeparator(scalar) {
        if bytes.count == 1 { firstStandsAlone = true }
      } else if scalar.properties.generalCategory != .format {
        return nil
      }
    }
    return (bytes, firstStandsAlone)
  }

  /// The upper-case letter or the digit that a character is, also of the full width of East Asian writing.
  private static func character(_ scalar: Unicode.Scalar) -> UInt8? {
    let code = (0xFF01...0xFF5E).contains(scalar.value) ? scalar.value - 0xFEE0 : scalar.value
    guard let byte = UInt8(exactly: code) else { return nil }
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): return byte - 0x20
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): return byte
    default: return nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Spaces of all kinds, dashes of all kinds, dots.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    let category = scalar.properties.generalCategory
    return scalar.properties.isWhitespace || category == .dashPunctuation
      || "\u{2212}.\u{FF0E}\u{B7}\u{2022}".unicodeScalars.contains(scalar)
  }
}
