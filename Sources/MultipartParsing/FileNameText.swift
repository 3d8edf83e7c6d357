/// Decodes file names in headers. Accepts any bytes: a name that neither is UTF-8 nor declares its encoding is decoded
/// as Windows-1252, which maps every byte to a character.
enum FileNameText {
  /// The encodings that a name can declare.
  private enum Charset {
    case utf8, windows1252

    init?(_ name: String) {
      switch name.lowercased() {
      case "utf-8", "utf8", "us-ascii": self = .utf8
      // The WHATWG Encoding Standard, 4.2, decodes ISO-8859-1 as Windows-1252.
      case "windows-1252", "cp1252", "iso-8859-1", "latin1": self = .windows1252
      default: return nil
      }
    }
  }

  /// Decodes the value of `filename`: bytes, or RFC 2047 encoded words (`=?UTF-8?B?…?=`), which mail programs and some
  /// libraries send.
  static func plain(_ bytes: [UInt8]) -> String {
    words(bytes) ?? text(bytes)
  }

  /// Decodes the value of `filename*` (RFC 8187), such as `UTF-8'en'na%C3%AFve.jpg`; nil if invalid.
  static func extended(_ bytes: [UInt8]) -> String? {
    let quote = UInt8(ascii: "'")
    let parts = bytes.split(separator: quote, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let charset = Charset(String(decoding: parts[0], as: UTF8.self)) else { return nil }
    return text(percentDecoded(parts[2]), charset)
  }

  private static func text(_ bytes: [UInt8], _ charset: Charset = .utf8) -> String {
    if charset == .utf8, let text = String(validating: bytes, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    for byte in bytes { scalars.append(character(of: byte)) }
    return String(scalars)
  }

  /// The characters 0x80 to 0x9F of Windows-1252 (WHATWG Encoding, index windows-1252); all others equal Unicode's.
  private static let special = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  private static func character(of byte: UInt8) -> Unicode.Scalar {
    (0x80...0x9F).contains(byte) ? special[Int(clamping: byte - 0x80)] : Unicode.Scalar(byte)
  }

  private static func percentDecoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    decoded(bytes, escape: UInt8(ascii: "%"))
  }

  /// Decodes bytes written as an escape character and two hexadecimal digits.
  private static func decoded(_ bytes: some Sequence<UInt8>, escape: UInt8) -> [UInt8] {
    let bytes = Array(bytes)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == escape, index + 2 < bytes.count, let high = digit(bytes[index + 1]),
        let low = digit(bytes[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(bytes[index])
        index += 1
      }
    }
    return decoded
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension FileNameText {
  /// Decodes RFC 2047 encoded words, ignoring blanks between them; nil if there is other text or an invalid word.
  private static func words(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: "=?".utf8) else { return nil }
    var result = ""
    for piece in bytes.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
      guard piece.count >= 6, piece.starts(with: "=?".utf8), piece.dropFirst(piece.count - 2).elementsEqual("?=".utf8)
      else { return nil }
      let parts = piece.dropFirst(2).dropLast(2).split(
        separator: UInt8(ascii: "?"), maxSplits: 2, omittingEmptySubsequences: false)
      // A language tag may follow the encoding (RFC 2231, 5).
      guard parts.count == 3,
        let charset = Charset(String(decoding: parts[0].prefix { $0 != UInt8(ascii: "*") }, as: UTF8.self))
      else { return nil }
      switch parts[1].first {
      case UInt8(ascii: "Q"), UInt8(ascii: "q"):
        let blanks = parts[2].map { $0 == UInt8(ascii: "_") ? 0x20 : $0 }
        result += text(decoded(blanks, escape: UInt8(ascii: "=")), charset)
      case UInt8(ascii: "B"), UInt8(ascii: "b"):
        guard let content = base64(parts[2]) else { return nil }
        result += text(content, charset)
      default: return nil
      }
    }
    return result
  }

  /// Decodes base64 (RFC 4648, 4); nil if invalid.
  private static func base64(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for character in text where character != UInt8(ascii: "=") {
      let value: UInt8
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      default: return nil
      }
      bits = (bits << 6 | UInt32(clamping: value)) & 0xFFFF
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes
  }
}
