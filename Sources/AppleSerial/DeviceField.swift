/// An identifier or property of a device, printed beside its serial.
public struct DeviceField: Sendable, Hashable {
  /// The kind of field. The raw values are its names in the API.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// Model number: `A2338`.
    case modelNumber = "model_number"
    /// Apple's board number, four digits.
    case emc
    /// Order number: `MYD82LL/A`.
    case partNumber = "part_number"
    /// Model identifier: `MacBookPro17,1`.
    case modelIdentifier = "model_identifier"
    /// International Mobile Equipment Identity: 15 digits, the last a Luhn digit.
    case imei
    /// The IMEI of a device's second line.
    case imei2
    /// Mobile equipment identifier of CDMA devices: 14 decimal or hexadecimal digits, optionally followed by a check
    /// digit.
    case meid
    /// Embedded SIM identity: 32 digits, congruent to 1 modulo 97.
    case eid
    /// SIM card number: 19 or 20 digits starting with 89, with a Luhn digit.
    case iccid
    /// Wi-Fi hardware address, written with colons.
    case wifiAddress = "wifi_address"
    /// Bluetooth hardware address, written with colons.
    case bluetoothAddress = "bluetooth_address"
    /// Trade item number (UPC, EAN, GTIN): 12 to 14 digits with a check digit.
    case upc
    /// Storage capacity: `256 GB`.
    case capacity
    /// Colour: `Space Gray`.
    case color
    /// Operating system version: `17.5.1`.
    case osVersion = "os_version"

    /// Whether it identifies one device, as the serial does, and is therefore masked in logs.
    public var isPersonal: Bool {
      switch self {
      case .imei, .imei2, .meid, .eid, .iccid, .wifiAddress, .bluetoothAddress: true
      default: false
      }
    }
  }

  /// The kind of field.
  public let kind: Kind
  /// The value in its usual notation: without spaces, in the usual case.
  public let text: String
  /// Whether its check digits are valid; nil if it has none.
  public let check: Bool?

  /// Parses a value as printed or in a barcode, ignoring spaces, hyphens and case.
  ///
  /// - Returns: Nil if it does not have the format of its kind. A value with wrong check digits is accepted.
  public init?(_ kind: Kind, _ text: some StringProtocol) {
    guard text.utf8.count <= Self.longest, let parsed = Self.parsed(kind, text) else { return nil }
    (self.kind, self.text, self.check) = (kind, parsed.text, parsed.check)
  }

  /// Maximum bytes of a value, including spaces.
  private static let longest = 64

  /// The text with the parts that identify one device masked, for logs.
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
    // The first letter means sold, refurbished, engraved, replaced, or (`Z`) configured to order.
    guard bytes.first.map({ "MFNP3Z".utf8.contains($0) }) ?? false, word.contains(where: \.isNumber),
      partNumberShapes.contains(where: { $0.matches(bytes) })
    else { return nil }
    return (word, nil)
  }

  /// Part numbers of devices as sold, and short and long ones of devices configured to order.
  private static let partNumberShapes = ["%%%%%@@?/@", "Z%%%@@?/@", "Z%%%%%%%%@@?/@"].map { ShapePattern($0) }

  /// Parses digits in groups separated by spaces or hyphens.
  private static func digits(_ text: some StringProtocol, _ counts: [Int]) -> (text: String, digits: [Int])? {
    let bytes = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    guard counts.contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return (String(decoding: bytes, as: UTF8.self), bytes.map { Int(clamping: $0) - 0x30 })
  }

  private static func meid(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    let word = text.uppercased().filter { $0 != " " && $0 != "-" }
    let values = word.utf8.compactMap { Hexadecimal.value(of: $0) }
    guard values.count == word.utf8.count, [14, 15].contains(values.count) else { return nil }
    // If all digits are decimal, the check digit is computed in decimal too.
    let isDecimal = values.prefix(14).allSatisfy { $0 < 10 }
    let passes =
      isDecimal ? values.allSatisfy { $0 < 10 } && LookAlike.passesLuhn(values) : passesHexadecimalLuhn(values)
    return (word, values.count == 15 ? passes : nil)
  }

  private static func iccid(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    guard let found = digits(text, [19, 20]), found.text.hasPrefix("89") else { return nil }
    // In 20-digit numbers the last digit may be a filler after the Luhn digit, but on most cards it is the Luhn digit.
    return (found.text, LookAlike.passesLuhn(found.digits))
  }

  private static func address(_ text: some StringProtocol) -> (text: String, check: Bool?)? {
    let word = Array(text.uppercased().utf8)
    let digits = word.filter { Hexadecimal.value(of: $0) != nil }
    // A recogniser takes some colons for hyphens, so both may separate the pairs of one address.
    let written = word.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: ":") : $0 }
    let isGrouped = ["~~:~~:~~:~~:~~:~~", "~~ ~~ ~~ ~~ ~~ ~~", "~~~~~~~~~~~~"]
      .contains { ShapePattern($0).matches(written) }
    // Must be grouped and unicast: the lowest bit of the first byte is set in multicast addresses.
    guard isGrouped, digits.count == 12, let low = Hexadecimal.value(of: digits[1]), low & 1 == 0,
      Set(digits).count > 1
    else { return nil }
    let pairs = stride(from: 0, to: 12, by: 2).map { String(decoding: digits[$0..<$0 + 2], as: UTF8.self) }
    return (pairs.joined(separator: ":"), nil)
  }

  /// The number without leading zeros added as padding: barcodes contain 14 digits where 12 are printed.
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

  /// Storage capacities of devices sold.
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

  /// The hexadecimal Luhn check: every second digit from the right is doubled, and the digits of the products are
  /// summed.
  private static func passesHexadecimalLuhn(_ digits: [Int]) -> Bool {
    let sum = digits.reversed().enumerated().reduce(0) { sum, item in
      let doubled = item.element * (item.offset % 2 == 0 ? 1 : 2)
      return sum + doubled / 16 + doubled % 16
    }
    return sum % 16 == 0
  }

  /// The check of EIDs (ISO/IEC 7064, GSMA SGP.29): the number is congruent to 1 modulo 97.
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

  /// The identifier in Apple's notation; nil if invalid.
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

/// English names of the colours in which devices are sold, as printed on boxes in most countries.
enum DeviceColors {
  private static let names = [
    "Space Gray", "Space Grey", "Space Black", "Silver", "Gold", "Rose Gold", "Midnight", "Starlight", "Graphite",
    "Pacific Blue", "Sierra Blue", "Alpine Green", "Midnight Green", "Deep Purple", "Jet Black", "Black Titanium",
    "White Titanium", "Blue Titanium", "Natural Titanium", "Desert Titanium", "Sky Blue", "Black", "White", "Blue",
    "Green", "Red", "(PRODUCT)RED", "Purple", "Yellow", "Pink", "Coral", "Orange", "Ultramarine", "Teal",
  ]
  private static let byName = Dictionary(names.map { (key($0), $0) }) { first, _ in first }

  /// Maximum number of words in a name.
  static let mostWords = 2

  /// The name as printed on boxes; nil if invalid.
  static func normalised(_ text: some StringProtocol) -> String? { byName[key(text)] }

  private static func key(_ text: some StringProtocol) -> String {
    text.lowercased().split(separator: " ").joined(separator: " ")
  }
}
