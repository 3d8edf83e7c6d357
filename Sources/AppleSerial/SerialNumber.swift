/// A string that has the shape of an Apple serial number: 10, 11 or 12 characters of base 34 (no `O`, no `I`).
///
/// Having the shape is no certainty: there is no check digit, and about half of all random 12-character strings fit.
public struct SerialNumber: Sendable, Hashable {
  /// The formats, by length.
  public enum Format: String, Sendable, CaseIterable {
    /// 11 characters, to 2010: plant (2), year digit, week 01-53, unit (3), product (3).
    case eleven
    /// 12 characters, 2010 to 2021: plant (3), half-year, week, unit (3), configuration code (4).
    case twelve
    /// 10 characters, from 2021 on, random.
    case ten
  }

  /// The serial in upper case.
  public let text: String
  /// The format it fits.
  public let format: Format

  /// Takes a string that fits one of the formats; nil where it does not.
  public init?(_ text: String) {
    let characters = Array(text.uppercased().utf8)
    guard characters.allSatisfy(Self.isInAlphabet) else { return nil }
    switch characters.count {
    case 12 where Self.halfYears.contains(characters[3]) && Self.weeks.contains(characters[4]): format = .twelve
    case 11 where Self.isElevenCharacterDate(characters[2...4]): format = .eleven
    case 10: format = .ten
    default: return nil
    }
    self.text = text.uppercased()
  }

  /// Whether a byte is in the alphabet: A-Z and 0-9 without O and I.
  public static func isInAlphabet(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte != UInt8(ascii: "O") && byte != UInt8(ascii: "I")
    default: false
    }
  }

  /// Letters that stand for a half-year at the fourth place (OpenCorePkg, `macserial/FORMAT.md`).
  public static let halfYears = Set("CDFGHJKLMNPQRSTVWXYZ".utf8)
  /// Characters that stand for a week at the fifth place (OpenCorePkg, `macserial/FORMAT.md`).
  public static let weeks = Set("123456789CDFGHJKLMNPQRTVWXY".utf8)

  private static func isElevenCharacterDate(_ date: ArraySlice<UInt8>) -> Bool {
    let digits = date.map { Int($0) - Int(UInt8(ascii: "0")) }
    guard digits.allSatisfy({ (0...9).contains($0) }) else { return false }
    return (1...53).contains(digits[1] * 10 + digits[2])
  }
}
