/// An identifier or a property of a device that stands beside its serial.
public struct DeviceField: Sendable, Hashable {
  /// What a field says. The raw values are its names on the wire.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// `A2338`.
    case modelNumber = "model_number"
    /// Apple's board number, four digits.
    case emc
    /// Order number: `MYD82LL/A`.
    case partNumber = "part_number"
    /// `MacBookPro17,1`.
    case modelIdentifier = "model_identifier"
    /// Mobile equipment identity: 15 digits, the last a Luhn digit.
    case imei
    /// The identity of a device's second line.
    case imei2
    /// Identity of CDMA devices: 14 digits or hexadecimal digits, perhaps with a check digit behind them.
    case meid
    /// Embedded SIM identity: 32 digits, modulo 97 equal to 1.
    case eid
    /// SIM card number: 19 or 20 digits that begin with 89, with a Luhn digit.
    case iccid
    /// Hardware address, written with colons.
    case wifiAddress = "wifi_address"
    /// Hardware address, written with colons.
    case bluetoothAddress = "bluetooth_address"
    /// Trade item number (UPC, EAN, GTIN): 12 to 14 digits with a check digit.
    case upc
    /// `256 GB`.
    case capacity
    /// `Space Gray`.
    case color
    /// `17.5.1`.
    case osVersion = "os_version"

    /// Whether it identifies one device, as the serial does: it is masked in logs.
    public var isPersonal: Bool {
      switch self {
      case .imei, .imei2, .meid, .eid, .iccid, .wifiAddress, .bluetoothAddress: true
      default: false
      }
    }
  }

  /// What it says.
  public let kind: Kind
  /// The value as it is usually written: without spaces, in the usual case.
  public let text: String
  /// Whether its check digits hold; nil where it has none.
  public let check: Bool?

  /// Takes a value as it is printed or as a code holds it: spaces, hyphens and the case of letters do not matter.
  ///
  /// - Returns: nil where it does not have the form of that kind. A value whose check digits do not hold has the form.
  public init?(_ kind: Kind, _ text: some StringProtocol) {
    guard text.utf8.count <= Self.longest, let parsed = Self.parsed(kind, text) else { return nil }
    (self.kind, self.text, self.check) = (kind, parsed.text, parsed.check)
  }

  /// Bytes of the longest value that is taken, with its spaces.
  private static let longest = 64

  /// The text with what tells one device from another hidden, for logs.
  public var masked: String {
    kind.isPersonal ? text.prefix(2) + String(repeating: "*", count: max(0, text.count - 2)) : text
  }

  private static func parsed(_ kind: Kind, _ text: some StringProtocol) -> (text: String, check: Bool?)? {
    switch kind {
    case .modelNumber: shaped(text, "A####")
    case .emc: shaped(text, "####")
    case .partNumber: partNumber(text)
    case .modelIdentifier: ModelIdentifier.normalised(text).map { ($0, nil) }
    case .imei, .imei2: digits(text, [15]).map { ($0.text, LookAlike.passesLuhn($0.digits)) }
    case .meid: meid(text)
    case .eid: digits(text, [32]).map { ($0.text, $0.text.hasPrefix("89") && passesEIDCheck($0.digits)) }
    case .iccid: iccid(text)
    case .wifiAddress, .bluetoothAddress: address(text)
    case .upc: digits(text, [12, 13, 14]).map { (tradeItem($0.text), LookAlike.passesTradeItemCheck($0.digits)) }
    case .capacity: capacity(text)
    case .color: DeviceColors.normalised(text).map { ($0, nil) }
    case .osVersion: version(text)
    }
  }

  private static func shaped(_ text: some StringProtocol, _ shape: String) -> (text: String, check: Bool?)? {
    let word = text.uppercased()
    return ShapePattern(shape).matches(Array(word.utf8)) ? (word, nil) : nil
  }

  private static func partNumber(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    let word = text.uppercased().filter { $0 != " " }
    let bytes = Array(word.utf8)
    // Sold, refurbished, engraved, replaced; configured to order.
    guard bytes.first.map({ "MFNP3Z".utf8.contains($0) }) ?? false, word.contains(where: \.isNumber),
      partNumberShapes.contains(where: { $0.matches(bytes) })
    else { return nil }
    return (word, nil)
  }

  /// Of a device as it is sold; of one configured to order, short and whole.
  private static let partNumberShapes = ["%%%%%@@?/@", "Z%%%@@?/@", "Z%%%%%%%%@@?/@"].map { ShapePattern($0) }

  /// Digits in groups that spaces or hyphens part.
  private static func digits(_ text: some StringProtocol, _ counts: [Int]) -> (text: String, digits: [Int])? {
    let bytes = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard counts.contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return (String(decoding: bytes, as: UTF8.self), bytes.map { Int(clamping: $0) - 0x30 })
  }

  private static func meid(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    let word = text.uppercased().filter { $0 != " " && $0 != "-" }
    let values = word.utf8.compactMap { Hexadecimal.value(of: $0) }
    guard values.count == word.utf8.count, [14, 15].contains(values.count) else { return nil }
    // Where all digits are decimal, so is the check digit's sum.
    let isDecimal = values.prefix(14).allSatisfy { $0 < 10 }
    let passes =
      isDecimal ? values.allSatisfy { $0 < 10 } && LookAlike.passesLuhn(values) : passesHexadecimalLuhn(values)
    return (word, values.count == 15 ? passes : nil)
  }

  private static func iccid(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    guard let found = digits(text, [19, 20]), found.text.hasPrefix("89") else { return nil }
    // Of 20 digits the last may be a filler behind the Luhn digit, but is that digit itself on most cards.
    return (found.text, LookAlike.passesLuhn(found.digits))
  }

  private static func address(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    let word = Array(text.uppercased().utf8)
    let digits = word.filter { Hexadecimal.value(of: $0) != nil }
    let isGrouped = ["~~:~~:~~:~~:~~:~~", "~~-~~-~~-~~-~~-~~", "~~ ~~ ~~ ~~ ~~ ~~", "~~~~~~~~~~~~"]
      .contains { ShapePattern($0).matches(word) }
    // Groups and single devices only: the lowest bit of the first byte is set in addresses of many.
    guard isGrouped, digits.count == 12, let low = Hexadecimal.value(of: digits[1]), low & 1 == 0,
      Set(digits).count > 1
    else { return nil }
    let pairs = stride(from: 0, to: 12, by: 2).map { String(decoding: digits[$0..<$0 + 2], as: UTF8.self) }
    return (pairs.joined(separator: ":"), nil)
  }

  /// The number without the zeros that lengthen it: codes hold 14 digits where 12 are printed.
  private static func tradeItem(_ digits: String) -> String {
    let zeros = min(digits.utf8.count - 12, digits.prefix { $0 == "0" }.count)
    return String(digits.dropFirst(max(0, zeros)))
  }

  private static func capacity(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    let word = text.uppercased().filter { $0 != " " }
    for unit in ["GB", "TB"] where word.hasSuffix(unit) {
      let number = word.dropLast(unit.count)
      guard capacities[unit]?.contains(String(number)) == true else { return nil }
      return ("\(number) \(unit)", nil)
    }
    return nil
  }

  /// Sizes in which devices are sold.
  private static let capacities: [String: Set<String>] = [
    "GB": ["4", "8", "16", "32", "64", "120", "128", "160", "250", "256", "320", "500", "512", "750"],
    "TB": ["1", "2", "3", "4", "8"],
  ]

  private static func version(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count),
      parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let first = Int(parts[0]), (3...40).contains(first)
    else { return nil }
    return (String(text), nil)
  }

  /// The Luhn check over hexadecimal digits: every second digit from the right is doubled, and the digits of the products are added up.
  private static func passesHexadecimalLuhn(_ digits: [Int]) -> Bool {
    let sum = digits.reversed().enumerated().reduce(0) { sum, item in
      let doubled = item.element * (item.offset % 2 == 0 ? 1 : 2)
      return sum + doubled / 16 + doubled % 16
    }
    return sum % 16 == 0
  }

  /// ISO/IEC 7064 as GSMA's SGP.29 has it for EIDs: the number is 1 modulo 97.
  private static func passesEIDCheck(_ digits: [Int]) -> Bool { digits.reduce(0) { ($0 * 10 + $1) % 97 } == 1 }
}

/// Hexadecimal digits.
enum Hexadecimal {
  /// The value of a hexadecimal digit in upper case; nil if invalid.
  static func value(of byte: UInt8) -> Int? {
    switch byte {
    case 0x30...0x39: Int(clamping: byte) - 0x30
    case 0x41...0x46: Int(clamping: byte) - 0x41 + 10
    default: nil
    }
  }
}

/// Model identifiers: a family, then two numbers.
enum ModelIdentifier {
  private static let families = [
    "MacBookPro", "MacBookAir", "MacBook", "Macmini", "MacPro", "Mac", "iMacPro", "iMac", "iPhone", "iPad", "iPod",
    "Watch", "AppleTV", "AudioAccessory", "RealityDevice",
  ]
  private static let byName = Dictionary(families.map { ($0.lowercased(), $0) }) { first, _ in first }

  /// The identifier as Apple writes it; nil if invalid.
  static func normalised(_ text: some StringProtocol) -> String? {
    let family = text.prefix { !$0.isNumber }
    let numbers = text[family.endIndex...].split(separator: ",", omittingEmptySubsequences: false)
    guard let name = byName[family.lowercased()], numbers.count == 2,
      numbers.allSatisfy({ number in
        (1...2).contains(number.utf8.count) && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
          && !number.hasPrefix("0")
      })
    else { return nil }
    return name + numbers.joined(separator: ",")
  }
}

/// Names of colours in which devices are sold, in English, as boxes have them in most countries.
enum DeviceColors {
  private static let names = [
    "Space Gray", "Space Grey", "Space Black", "Silver", "Gold", "Rose Gold", "Midnight", "Starlight", "Graphite",
    "Pacific Blue", "Sierra Blue", "Alpine Green", "Midnight Green", "Deep Purple", "Jet Black", "Black Titanium",
    "White Titanium", "Blue Titanium", "Natural Titanium", "Desert Titanium", "Sky Blue", "Black", "White", "Blue",
    "Green", "Red", "(PRODUCT)RED", "Purple", "Yellow", "Pink", "Coral", "Orange", "Ultramarine", "Teal",
  ]
  private static let byName = Dictionary(names.map { (key($0), $0) }) { first, _ in first }

  /// The longest name, in words.
  static let mostWords = 2

  /// The name as boxes write it; nil if invalid.
  static func normalised(_ text: some StringProtocol) -> String? { byName[key(text)] }

  private static func key(_ text: some StringProtocol) -> String {
    text.lowercased().split(separator: " ").joined(separator: " ")
  }
}
