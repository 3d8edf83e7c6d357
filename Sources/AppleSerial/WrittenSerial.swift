/// A serial as typed by a person or written by a program: `c02x l0th jhcc`, `S-C02XL0THJHCC`, full-width or in groups.
public struct WrittenSerial: Sendable, Equatable {
  /// Number of letters and digits of a serial of any maker: the shortest number stored has 4, the longest 32.
  private static let lengths = 4...32
  /// Maximum bytes of a text.
  private static let mostBytes = 512

  /// The text in upper case, without spaces, hyphens, dots, zero-width characters and a leading data identifier `S`.
  public let text: String
  /// The text with 0 for `O` and 1 for `I`, which serials do not contain. Nil if the text is already valid, or this is
  /// not.
  public let proposal: String?
  /// Whether the text is valid in one of the formats.
  public var isValid: Bool { SerialNumber(text) != nil }

  /// Parses a text of 4 to 32 letters and digits with the usual separators; nil if invalid.
  ///
  /// A leading `S` is removed if only the rest is valid, or if both are and a separator follows it.
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

  /// The text to search for when a person types `typed`: the serial if all of it is one in any usual notation.
  ///
  /// Otherwise `typed` unchanged, which may be part of a serial, a device type or a file name.
  public static func searched(_ typed: String) -> String {
    guard let written = WrittenSerial(typed) else { return typed }
    let serial = written.proposal ?? written.text
    // Device names are words, but `Apple Watch` also has the format of a serial.
    guard SerialNumber(serial) != nil, serial.utf8.contains(where: isDigit),
      written.proposal == nil || isGrouped(typed)
    else { return typed }
    return serial
  }

  /// The letters and digits of part of a serial in upper case, without the usual separators (`C02XL0` for `c02x-l0`).
  /// Nil if it contains other characters, or no letters or digits.
  public static func part(_ typed: String) -> String? {
    guard let bytes = characters(of: typed)?.bytes, !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether there are no spaces, or they separate groups of three or four characters, optionally after an `S`.
  private static func isGrouped(_ typed: String) -> Bool {
    let groups = typed.utf8.split(separator: UInt8(ascii: " ")).map(\.count)
    let rest = groups.first == 1 ? groups.dropFirst() : groups[...]
    return rest.count == 1 || rest.allSatisfy { (3...4).contains($0) }
  }

  /// The valid serial that the bytes are, or become with 0 and 1 for `O` and `I`.
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

  /// The letters and digits in ASCII, and whether a separator follows the first. Nil if there are other characters.
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

  /// The upper-case letter or digit for a character, including full-width East Asian ones.
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

  /// Whether a character is a space, a dash or a dot of any kind.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    let category = scalar.properties.generalCategory
    return scalar.properties.isWhitespace || category == .dashPunctuation
      || "\u{2212}.\u{FF0E}\u{B7}\u{2022}".unicodeScalars.contains(scalar)
  }
}
