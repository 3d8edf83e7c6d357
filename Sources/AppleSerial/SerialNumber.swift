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

  /// Parses a serial from ASCII characters; nil if invalid in every format.
  public init?(_ characters: [UInt8]) { self.init(String(decoding: characters, as: UTF8.self)) }

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
