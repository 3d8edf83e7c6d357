/// A string in the format of an Apple serial number: 10, 11 or 12 characters of base 34 (no `O`, no `I`).
///
/// A valid format proves little: there is no check digit, and about half of all random 12-character strings are valid.
public struct SerialNumber: Sendable, Hashable {
  /// The formats by length.
  public enum Format: String, Sendable, CaseIterable {
    /// 11 characters, to 2010: plant (2), year digit, week 01-53, unit (3), product (3).
    case eleven
    /// 12 characters, 2010 to 2021: plant (3), half-year, week, unit (3), configuration code (4).
    case twelve
    /// 10 characters, since 2021, random.
    case ten

    /// Number of characters in this format.
    public var length: Int {
      switch self {
      case .ten: 10
      case .eleven: 11
      case .twelve: 12
      }
    }

    /// Returns the format of a length; nil if there is none.
    public init?(length: Int) {
      switch length {
      case 10: self = .ten
      case 11: self = .eleven
      case 12: self = .twelve
      default: return nil
      }
    }

    /// Whether a byte is valid at a position (starting at 0), considered alone.
    ///
    /// The 11-character week is checked digit by digit here (00-59); ``SerialNumber/init(_:)`` checks it as a number.
    public func admits(_ byte: UInt8, at position: Int) -> Bool {
      guard SerialNumber.isInAlphabet(byte) else { return false }
      let isDigit = byte <= UInt8(ascii: "9")
      return switch (self, position) {
      case (.twelve, 3): SerialNumber.halfYears.contains(byte)
      case (.twelve, 4): SerialNumber.weeks.contains(byte)
      case (.eleven, 2), (.eleven, 4): isDigit
      case (.eleven, 3): isDigit && byte <= UInt8(ascii: "5")
      default: true
      }
    }
  }

  /// The serial in upper case.
  public let text: String
  /// Its format.
  public let format: Format

  /// Parses a serial; nil if invalid in every format.
  public init?(_ text: String) {
    // Upper-casing turns some letters beyond ASCII into ASCII ones: `ß`, `ſ`.
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let upper = text.uppercased()
    let characters = Array(upper.utf8)
    guard let format = Format(length: characters.count),
      characters.indices.allSatisfy({ format.admits(characters[$0], at: $0) })
    else { return nil }
    if format == .eleven {
      let week = (characters[3] - UInt8(ascii: "0")) * 10 + (characters[4] - UInt8(ascii: "0"))
      guard (1...53).contains(week) else { return nil }
    }
    self.text = upper
    self.format = format
  }

  /// Whether it is mostly digits: at least eight of ten characters, or nine of eleven or twelve without a known plant.
  ///
  /// This holds for one in 700 random serials of ten characters, one in 1,800 of twelve, and for fewer of eleven, but for
  /// most order numbers, many serials of other makers (`5CG7576492`) and numbers of taxpayers (`GB802209547`).
  public var isMostlyDigits: Bool {
    let digits = text.utf8.count { $0 <= UInt8(ascii: "9") }
    return digits >= (format == .ten ? 8 : 9) && !hasKnownPlant
  }

  /// Whether it ends in a running number, as other makers' serials do: `HBMT22700048`, `YLNP012345`.
  ///
  /// Six digits end one in 1,500 random serials of ten characters. Of the 4,460 configuration codes that OpenCorePkg lists
  /// (`macserial/modelinfo_autogen.h`) five are four digits, of 4,643 of the older format 37 are three, so that five digits
  /// end at most one in 1,500 of the longer ones.
  public var endsInRunningNumber: Bool {
    text.utf8.suffix(format == .ten ? 6 : 5).allSatisfy { $0 <= UInt8(ascii: "9") } && !hasKnownPlant
  }

  /// Whether it has the format of another maker's serial.
  ///
  /// Checks HP's ten characters (country, plant, digit of the year, week: `5CG9443407`), which one in 3,700 random serials
  /// matches; Western Digital's twelve (`WCCM76V7KQF8`); LG's (digit of the year, month, four letters: `908NTLE1K215`);
  /// and those of optical network terminals (four letters, eight hexadecimal digits: `FSCM99A6BCEC`; ITU-T G.984.3),
  /// which one in 1,200 random serials without a known plant matches. No Apple serial is known to begin like Western
  /// Digital's and LG's.
  public var isShapedLikeOthers: Bool {
    switch format {
    case .ten:
      let date = text.dropFirst(3).prefix(3)
      return Self.countriesOfHP.contains(text.prefix(2).replacing("S", with: "5"))
        && Int(date).map { (1...53).contains($0 % 100) } ?? false
    case .eleven: return false
    case .twelve:
      let isWesternDigitals = ["WC", "WD", "WM", "WX"].contains { text.hasPrefix($0) }
      let isLGs =
        (Int(text.prefix(3)).map { (1...12).contains($0 % 100) } ?? false)
        && text.dropFirst(3).prefix(4).allSatisfy(\.isLetter)
      let isTerminals =
        text.prefix(4).allSatisfy(\.isLetter) && text.dropFirst(4).allSatisfy(\.isHexDigit) && !hasKnownPlant
      return isWesternDigitals || isLGs || isTerminals
    }
  }

  /// Countries with which HP's serials begin: of plants of computers, monitors (`CNK8181G2C`), servers and printers. An
  /// `S` is compared as `5`, and an `I` as `1`, as which they are read.
  private static let countriesOfHP: Set<Substring> = [
    "1N", "2C", "2M", "2U", "3C", "4C", "5C", "5G", "6C", "7C", "8C", "BR", "CN", "CZ", "GB", "JP", "KR", "MX", "MY",
    "TH", "TR", "TW", "U5",
  ]

  /// Whether a byte is in the alphabet: A-Z and 0-9 without O and I.
  public static func isInAlphabet(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte != UInt8(ascii: "O") && byte != UInt8(ascii: "I")
    default: false
    }
  }

  /// Letters that encode a half-year at the fourth position (OpenCorePkg, `macserial/FORMAT.md`).
  public static let halfYears = Set("CDFGHJKLMNPQRSTVWXYZ".utf8)
  /// Characters that encode a week at the fifth position (OpenCorePkg, `macserial/FORMAT.md`).
  public static let weeks = Set("123456789CDFGHJKLMNPQRTVWXY".utf8)
}
