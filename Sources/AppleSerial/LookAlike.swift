/// Identifiers that are printed beside a serial or have its format, but are not serials.
public enum LookAlike: String, Sendable, CaseIterable {
  /// FCC ID: `BCGA2141`.
  case fccID
  /// ISED Canada certification number: `579C-A2141`.
  case canadianID
  /// Model number: `A2141`; model identifier: `MACBOOKPRO16,1`.
  case model
  /// Apple's board number: `EMC 3347`.
  case emc
  /// Standards printed beside the approvals: `IS 13252`, `IEC 60950-1`.
  case standard
  /// Approval registrations: `R-41000450`, `RM53774`.
  case registration
  /// Chinese radio approval: `2019AJ1234`.
  case cmiit
  /// Order or part number: `MVVJ2LL/A`, with or without the data identifier `1P`; service parts `661-12345`.
  case partNumber
  /// Logic board number, 17 characters, or a board's assembly number `820-01700-A`.
  case logicBoard
  /// Mobile equipment identity: 15 digits with a Luhn digit, or 14 hexadecimal digits.
  case imei
  /// Embedded SIM identity: 32 digits.
  case eid
  /// SIM card number: 19 or 20 digits starting with 89.
  case iccid
  /// Trade item number (UPC, EAN): 8, 12, 13 or 14 digits with a check digit.
  case tradeItem
  /// Network hardware address: 12 hexadecimal digits, with or without separators.
  case macAddress
  /// Inventory number of a computer: `COMP000000000872506`.
  case computerNumber
  /// A hexadecimal number as programs write it: `0xC0001403`.
  case hexadecimal
  /// Part number of a memory chip of 16 bits: `NT5CC64M16GP`, `MT41K256M16`. One in a million serials has this form.
  case memoryChip
  /// Model of a solid-state drive by Samsung, which many laptops contain: `MZVLW256HEHP`.
  case drive
  /// Only digits.
  case number

  /// Classifies one token, ignoring case and surrounding spaces; nil if unknown.
  public init?(_ text: String) {
    let token = text.uppercased().utf8.drop { $0 == UInt8(ascii: " ") }
    let bytes = Array(token.reversed().drop { $0 == UInt8(ascii: " ") }.reversed())
    let isHyphenated = bytes.contains(UInt8(ascii: "-"))
    guard
      let kind = isHyphenated ? Self.shaped(bytes) ?? Self.numeric(bytes) : Self.numeric(bytes) ?? Self.shaped(bytes)
    else { return nil }
    self = kind
  }

  /// Whether a string of a serial's length contains an approval printed beside serials, because two words were joined
  /// (`2041BCGA2141`) or letters misread (`8CGA2141`).
  public static func isHidden(in serial: String) -> Bool {
    let bytes = Array(serial.uppercased().utf8)
    return hiddenMarks.contains { mark in
      guard bytes.count >= mark.count else { return false }
      return (0...(bytes.count - mark.count)).contains { start in
        zip(bytes[start...], mark).allSatisfy { byte, symbol in
          symbol == UInt8(ascii: "#")
            ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            : byte == symbol || unified(byte) == unified(symbol)
        }
      }
    }
  }

  /// Whether a text names an Apple device as its own label does: by a model number (`A2141`, `EMC 3347`) or by Apple's
  /// approvals.
  public static func namesDevice(_ text: String) -> Bool {
    let words = text.split { " :,;".contains($0) }.map(String.init)
    let pairs = zip(words, words.dropFirst()).map { "\($0) \($1)" }
    return (words + pairs).contains { word in
      switch LookAlike(word) {
      case .model, .emc, .fccID, .canadianID: true
      default: false
      }
    }
  }

  private static let hiddenMarks: [[UInt8]] = [
    "BCGA##", "BCGE##", "BCG4##", "579CA", "579CE", "579C4", "1S13252", "COMP0", "A####EMC", "EMC####", "MODELA##",
  ].map { Array($0.utf8) }

  /// The digit that small print turns a letter into.
  private static func unified(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "O"), UInt8(ascii: "Q"), UInt8(ascii: "D"): UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
    case UInt8(ascii: "B"): UInt8(ascii: "8")
    case UInt8(ascii: "S"): UInt8(ascii: "5")
    case UInt8(ascii: "G"): UInt8(ascii: "6")
    case UInt8(ascii: "Z"): UInt8(ascii: "2")
    default: byte
    }
  }

  private static func shaped(_ bytes: [UInt8]) -> LookAlike? {
    shapes.first { $0.pattern.matches(bytes) }?.kind
  }

  private static let shapes = (texts + memoryChips).map { (pattern: ShapePattern($0.shape), kind: $0.kind) }

  private static let texts: [(shape: String, kind: LookAlike)] = [
    ("BCG-?@####@?", .fccID), ("BCG-?####@?", .fccID), ("FCC ?ID:? ?BCG%+", .fccID),
    ("579C-?@####@?", .canadianID), ("IC:? ?579C%+", .canadianID),
    ("A####", .model), ("@+#?#,#?#", .model),
    ("EMC ?#?####", .emc), ("EMC ?NO.? ?####", .emc),
    ("IS ?#####", .standard), ("IS ?#####-#", .standard), ("IS ?#####:####", .standard),
    ("1S#####", .standard),
    ("IEC ?#####", .standard), ("IEC ?#####-#", .standard), ("EN ?#####", .standard), ("UL ?#####-#", .standard),
    ("R-?########", .registration), ("RM-?#####", .registration), ("R-?@@@-@@@-%+", .registration),
    ("20##@@####", .cmiit), ("CMIIT ?ID:? ?20##@@####", .cmiit),
    ("1?P?@%%%%@@/?@", .partNumber), ("1P%+", .partNumber), ("1P%+/@", .partNumber), ("@%%%%@@@/@", .partNumber),
    ("@%%%%@/@", .partNumber), ("Z%%%@/@", .partNumber),
    ("Z%%%#?#?#?#?#?@@/@", .partNumber), ("66#-#####", .partNumber), ("66#-####", .partNumber),
    ("820-####-@", .logicBoard), ("820-#####-@", .logicBoard), ("820-####", .logicBoard), ("820-#####", .logicBoard),
    ("@%%%%%%%%%%%%%%%%", .logicBoard),
    ("COMP#+", .computerNumber), ("C0MP#+", .computerNumber),
    ("~~:~~:~~:~~:~~:~~", .macAddress), ("~~-~~-~~-~~-~~-~~", .macAddress), ("~~~~~~~~~~~~", .macAddress),
    ("~~ ~~ ~~ ~~ ~~ ~~", .macAddress),
    ("~~~~~~~~~~~~~~", .imei), ("0X~+", .hexadecimal), ("MZ%%%###H@@@", .drive), ("MZ%%%#T#H@@@", .drive),
  ]

  /// By their words in millions.
  private static let memoryChips = ["16", "32", "64", "128", "256", "512"].map {
    (shape: "@@%+\($0)M16@?@?", kind: LookAlike.memoryChip)
  }

  private static func numeric(_ bytes: [UInt8]) -> LookAlike? {
    let digits = bytes.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }.map { Int($0) - 48 }
    guard !digits.isEmpty, digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
    switch digits.count {
    case 15 where passesLuhn(digits): return .imei
    case 32: return .eid
    case 19, 20: return digits.starts(with: [8, 9]) ? .iccid : .number
    case 8, 12, 13, 14: return passesTradeItemCheck(digits) ? .tradeItem : .number
    default: return .number
    }
  }

  /// The Luhn check (ISO/IEC 7812-1): digits weighted 1, 2, 1, 2 ... from the right; the digits of the products sum to
  /// a multiple of ten.
  static func passesLuhn(_ digits: [Int]) -> Bool {
    let sum = digits.reversed().enumerated().reduce(0) { sum, item in
      let doubled = item.element * (item.offset % 2 == 0 ? 1 : 2)
      return sum + doubled / 10 + doubled % 10
    }
    return sum % 10 == 0
  }

  /// The check of trade item numbers (GS1 General Specifications 7.9): digits weighted 1, 3, 1, 3 ... from the right
  /// sum to a multiple of ten.
  static func passesTradeItemCheck(_ digits: [Int]) -> Bool {
    let sum = digits.reversed().enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
    return sum % 10 == 0
  }
}
